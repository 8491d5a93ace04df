"""How well agents did in competitions: (score - sample) / (gold - sample), the mean over seeds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean

from mlebench.base.wording import counted
from mlebench.competition.registry import Registry
from mlebench.results.groups import RunGroup, require_counted
from mlebench.results.measures import NotNormalised, normalised_or_reason
from mlebench.results.sources import declaration_of


@dataclass(frozen=True)
class Performance:
    """What an agent reached in a competition: 0 is the sample submission, 1 is gold."""

    mean: float
    runs: int


@dataclass(frozen=True)
class AgentPerformance:
    """One agent: its performance by competition, and why there is none in others."""

    agent: str
    competitions: dict[str, Performance]
    left_out: dict[str, NotNormalised]


def performances(groups: Sequence[RunGroup], registry: Registry, notes: list[str]) -> list[AgentPerformance]:
    """The performance of every agent; groups of one agent count together, as further seeds."""
    values: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    left_out: defaultdict[str, dict[str, NotNormalised]] = defaultdict(dict)
    seeds: set[tuple[str, str, int | None]] = set()
    repeated = 0
    for group in groups:
        runs = require_counted(group, partial=True)
        notes += runs.notes
        for run in runs.runs:
            saved = run.report
            if saved is None:
                continue
            competition_id, agent = run.record.competition_id, group.agent
            repeated += (agent, competition_id, run.record.seed) in seeds
            seeds.add((agent, competition_id, run.record.seed))
            normalised = normalised_or_reason(saved, declaration_of(registry, competition_id, run.folder))
            if isinstance(normalised, NotNormalised):
                left_out[agent][competition_id] = normalised
            else:
                values[agent][competition_id].append(normalised)
    if repeated:
        notes.append(
            f"{counted(repeated, 'run')} repeat a competition and a seed of the same agent and are averaged with it; "
            "call the command for each group if they were made under different conditions."
        )
    return [
        AgentPerformance(
            agent,
            {competition_id: Performance(mean(found), len(found)) for competition_id, found in values[agent].items()},
            {name: reason for name, reason in left_out[agent].items() if name not in values[agent]},
        )
        for agent in dict.fromkeys(group.agent for group in groups)
    ]
