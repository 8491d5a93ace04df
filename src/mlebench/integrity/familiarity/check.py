"""Measuring familiarity: documents, what a model makes of them, and performance beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from mlebench.base import progress
from mlebench.base.codes import Code
from mlebench.base.wording import counted, plain
from mlebench.errors import MlebenchError
from mlebench.integrity.familiarity.completions import Completions, Method
from mlebench.integrity.familiarity.correlation import Correlation, pearson, spearman
from mlebench.integrity.familiarity.documents import Document
from mlebench.integrity.familiarity.measuring import Measured, Settings, measure
from mlebench.integrity.familiarity.performance import AgentPerformance
from mlebench.integrity.model_client import ModelError, RefusedError, SpentError

_FAILURES = 3  # documents in a row for which a model gives no answer; then it is not asked any more


class NotMeasured(Code):
    """Why the familiarity of a competition is not known."""

    NO_DOCUMENTS = "no_documents", "There are no documents about it."
    NOT_MEASURED = "not_measured", "Its documents were not measured, or not to the end."


@dataclass(frozen=True)
class CompetitionFamiliarity:
    """How familiar a model is with a competition: the mean over its documents."""

    competition_id: str
    familiarity: float
    documents: tuple[Measured, ...]


@dataclass(frozen=True)
class AgentFamiliarity:
    """Familiarity against the performance of an agent; `left_out` says by code why a competition is not in it."""

    agent: str
    points: dict[str, tuple[float, float]]  # (familiarity, performance) by competition
    runs: dict[str, int]
    pearson: Correlation
    spearman: Correlation
    left_out: dict[str, Code]


@dataclass(frozen=True)
class Familiarity:
    """All of it, with what cannot be seen in the numbers as notes."""

    model: str
    method: Method | None
    settings: Settings
    competitions: tuple[CompetitionFamiliarity, ...]
    agents: tuple[AgentFamiliarity, ...]
    unmeasured: tuple[Document, ...]
    notes: tuple[str, ...]
    spent: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The content of familiarity.json."""
        return {
            "model": self.model,
            "method": self.method.value if self.method else None,
            **asdict(self.settings),
            "competitions": [
                {
                    "competition_id": competition.competition_id,
                    "familiarity": competition.familiarity,
                    "documents": [
                        {"name": plain(one.document.name, 300), "familiarity": one.probability, "places": one.places}
                        for one in competition.documents
                    ],
                }
                for competition in self.competitions
            ],
            "agents": [
                {
                    "agent": agent.agent,
                    "pearson": asdict(agent.pearson),
                    "spearman": asdict(agent.spearman),
                    "competitions": [
                        {"competition_id": name, "familiarity": x, "performance": y, "runs": agent.runs[name]}
                        for name, (x, y) in agent.points.items()
                    ],
                    "left_out": {name: code.value for name, code in agent.left_out.items()},
                }
                for agent in self.agents
            ],
            "unmeasured": [f"{one.competition_id}/{plain(one.name, 300)}" for one in self.unmeasured],
            "notes": list(self.notes),
        }


def measure_documents(
    documents: Sequence[Document],
    model: str,
    settings: Settings,
    folder: Path,
    completions: Completions | None,
    notes: list[str],
) -> tuple[Method | None, list[Measured]]:
    """(method, every document with its familiarity), from what is kept and, with `completions`, from the model.

    All documents are measured by one method, since those of two do not compare.
    """
    kept = {
        method: [measure(document, model, method, settings, folder, None) for document in documents]
        for method in Method
    }
    complete = next((method for method in Method if all(one.probability is not None for one in kept[method])), None)
    if complete is not None or completions is None:
        most = max(Method, key=lambda method: sum(one.probability is not None for one in kept[method]))
        chosen = complete or most
        return chosen, kept[chosen]
    method = completions.method()
    found, failures, may_ask = [], 0, True
    for document, known in zip(documents, kept[method], strict=True):
        measured = known
        if known.probability is None and may_ask:
            name = f"{document.competition_id}/{document.name}"
            try:
                with progress.task(plain(name, 100)):
                    measured = measure(document, model, method, settings, folder, completions)
                failures = 0
            except SpentError as error:
                notes.append(str(error))
                may_ask = False
            except ModelError as error:
                is_long = isinstance(error, RefusedError) and error.status in (400, 413, 422)
                hint = " It may be too long for the model: give a smaller --context." if is_long else ""
                notes.append(f"{plain(name, 200)}: {error}{hint}")
                failures += 1
                may_ask = failures < _FAILURES
        found.append(measured)
    return method, found


def relate(
    measured: Sequence[Measured],
    performed: Sequence[AgentPerformance],
    *,
    model: str,
    method: Method | None,
    settings: Settings,
    notes: list[str],
    spent: float = 0.0,
) -> Familiarity:
    """Familiarity by competition, against the performance of each agent."""
    by_competition: defaultdict[str, list[Measured]] = defaultdict(list)
    for one in measured:
        by_competition[one.document.competition_id].append(one)
    competitions = {
        name: CompetitionFamiliarity(name, mean(one.probability or 0.0 for one in known), tuple(known))
        for name, found in sorted(by_competition.items())
        if (known := [one for one in found if one.probability is not None])
    }
    unmeasured = tuple(one.document for one in measured if one.probability is None)
    if unmeasured:
        notes.append(
            f"{counted(len(unmeasured), 'document')} of {len(measured)} not measured; run the same command again, "
            "without --no-model, to go on."
        )
    if not competitions:
        raise MlebenchError(
            f"No document was measured. {notes[0] if notes else ''}".rstrip(),
            hint="Give a model that answers, or the --output-dir of a run that was measured.",
        )
    agents = [_against(agent, competitions, set(by_competition), notes) for agent in performed]
    return Familiarity(
        model, method, settings, tuple(competitions.values()), tuple(agents), unmeasured, tuple(notes), spent
    )


def _against(
    agent: AgentPerformance,
    familiar: dict[str, CompetitionFamiliarity],
    documented: set[str],
    notes: list[str],
) -> AgentFamiliarity:
    points = {
        name: (familiar[name].familiarity, performance.mean)
        for name, performance in sorted(agent.competitions.items())
        if name in familiar
    }
    left_out: dict[str, Code] = {
        name: agent.left_out.get(name) or (NotMeasured.NOT_MEASURED if name in documented else NotMeasured.NO_DOCUMENTS)
        for name in sorted({*agent.competitions, *agent.left_out} - points.keys())
    }
    for code in dict.fromkeys(left_out.values()):
        names = [name for name, reason in left_out.items() if reason is code]
        notes.append(f"{agent.agent}: {_listed(names)} left out. {code.meaning}")
    xs, ys = [x for x, _ in points.values()], [y for _, y in points.values()]
    runs = {name: agent.competitions[name].runs for name in points}
    return AgentFamiliarity(agent.agent, points, runs, pearson(xs, ys), spearman(xs, ys), left_out)


def _listed(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
