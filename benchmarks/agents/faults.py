"""What agents do when a budget is spent or their model fails, and what the record of the run then says.

    PYTHONPATH=tests python -m benchmarks.agents.faults [--agents NAME,…] [--cases NAME,…] [--lines FILE] [--claude]

Each agent that is installed runs on practice-wine in bubblewrap with the network closed, against a scripted model that
answers until something has been handed in, and then fails: twice, after which it goes on, or for ever. A cell says the
status of the run and the code of the record, the seconds from the first failure to the end of the run, the calls that
the agent made since then, and whether what it handed in was graded. `--lines` appends a JSON object for each run to a
file, and a run that is there already is not made again. With `--claude` the model has a name of Anthropic's, and the
endpoint speaks that protocol alone.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from model_server import Fault, Item, ModelServer, Say
from scripts_for_agents import ANSWERS_UNTIL_HANDED_IN, MODELS, SCRIPTS, SHORT_SCRIPTS

from mlebench.agents import find_agent
from mlebench.agents.environments import is_built
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.grade import grade_csv
from mlebench.runs.group import create_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import DEFAULT_SERVICES, RunSettings
from mlebench.sandbox import Limits
from mlebench.services.gateway.options import GatewayOptions, ModelBudgets, Price, parse_models, parse_upstream

WINE = "practice-wine"
PATIENCE = 6.0  # seconds for which the gateway asks again, in place of five minutes
SECONDS = 240.0  # the time limit of a run
PRICE = Price(input=1.0, output=1.0, cached_input=1.0, cache_write=1.0)  # so that a million tokens are a dollar


@dataclass(frozen=True)
class Case:
    """What happens once something has been handed in: a budget is spent, or the model fails in some way."""

    name: str
    fault: Fault | None = None
    times: int | None = None  # None: for ever
    budget: str | None = None


def _refused(status: int, **headers: str) -> Fault:
    return Fault(status=status, headers=headers)


CASES = (
    Case("no fault"),
    Case("budget of calls", budget="requests"),
    Case("budget of tokens", budget="tokens"),
    Case("budget of dollars", budget="usd"),
    Case("400 twice", _refused(400), 2),
    Case("400 for ever", _refused(400)),
    Case("401 for ever", _refused(401)),
    Case("402 for ever", _refused(402)),
    Case("403 for ever", _refused(403)),
    Case("429 twice", _refused(429, **{"Retry-After": "1"}), 2),
    Case("429 for ever", _refused(429, **{"Retry-After": "1"})),
    Case("500 twice", _refused(500), 2),
    Case("503 for ever", _refused(503)),
    Case("connection closed twice", Fault(hang_up=True), 2),
    Case("connection closed for ever", Fault(hang_up=True)),
    Case("answer cut twice", Fault(cut=40), 2),
    Case("answer cut for ever", Fault(cut=40)),
)


@dataclass(frozen=True)
class Result:
    """How a run ended."""

    agent: str
    case: str
    status: str
    code: str | None
    error: str | None
    seconds: float  # in all
    seconds_after: float | None  # from the first failure, or the first call beyond the budget
    calls_after: int  # that the agent made from then on, with that one
    requests: int
    tokens: int
    is_graded: bool

    def cell(self) -> str:
        """As a cell of the table."""
        graded = "graded" if self.is_graded else "no submission"
        after = "" if self.seconds_after is None else f"{self.seconds_after:.0f} s, {self.calls_after} calls, "
        return f"`{self.status}`{f' ({self.code})' if self.code else ''}, {after}{graded}"


def script_of(agent: str, case: Case) -> Iterator[Item]:
    """The script of an agent with the faults of a case in it."""
    items = SHORT_SCRIPTS[agent]
    if case.fault is None:
        return iter(items)
    first = ANSWERS_UNTIL_HANDED_IN.get(agent, 1)
    faults = itertools.repeat(case.fault) if case.times is None else itertools.repeat(case.fault, case.times)
    return itertools.chain(items[:first], _each_with_its_answer(faults), items[first:])


def _each_with_its_answer(faults: Iterable[Fault]) -> Iterator[Item]:
    """Faults, where one that cuts an answer is followed by the answer that it cuts."""
    for fault in faults:
        yield fault
        if fault.cut is not None:
            yield Say("An answer of which only the beginning comes.")


def budgets_of(agent: str, case: Case, tokens: int) -> ModelBudgets:
    """A budget that is spent once something has been handed in; `tokens` were used until then in another run."""
    amount = int(0.97 * tokens)  # prompts name the time, so no two runs use quite the same
    if case.budget == "requests":
        return ModelBudgets(requests=ANSWERS_UNTIL_HANDED_IN.get(agent, 1))
    if case.budget == "tokens":
        return ModelBudgets(tokens=amount)
    return ModelBudgets(usd=amount / 1_000_000) if case.budget == "usd" else ModelBudgets()


def measure(agent: str, case: Case, competition: LocalCompetition, folder: Path, tokens: int, claude: bool) -> Result:
    """Run an agent through a case."""
    model = "claude-scripted" if claude else MODELS.get(agent, "scripted")
    protocol = ",protocol=anthropic" if claude else ""
    with ModelServer(script_of(agent, case), models=[model]) as server:
        gateway = GatewayOptions(
            upstreams=(parse_upstream(f"{server.url},key=none{protocol}", {}),),
            models=parse_models([model]),
            patience=PATIENCE,
            budgets=budgets_of(agent, case, tokens),
            prices={model: PRICE},
        )
        settings = RunSettings(
            agent=agent,
            data_dir=competition.data_dir,
            sandbox="bubblewrap",
            limits=Limits(seconds=SECONDS, memory_bytes=8 << 30),
            services={**{name: {} for name in DEFAULT_SERVICES}, "gateway": gateway.to_dict()},
        )
        group = create_group(folder, [WINE], [0], settings)
        run_group(group, workers=1)
    (record,) = group.run_records()
    place = group.folder_of(group.record.plan[0])
    submission = place / "submission" / "submission.csv"
    report = grade_csv(submission, competition) if submission.is_file() else None
    after, number = _since_failure(place / "model_calls.jsonl", record.ended_at)
    return Result(
        agent,
        case.name,
        record.status,
        record.code,
        record.error,
        record.usage["seconds"] if record.usage else 0.0,
        after,
        number,
        int(record.model_usage["requests"]),
        int(record.model_usage["input_tokens"] + record.model_usage["output_tokens"]),
        report is not None and report.valid_submission,
    )


def _since_failure(path: Path, ended: str | None) -> tuple[float | None, int]:
    """Seconds from the first call that failed, was retried or refused to the end of the run, and the calls since."""
    calls = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for at, call in enumerate(calls):
        if call["status"] >= 400 or call.get("retries") or call.get("error"):
            began = datetime.fromisoformat(call["time"])
            seconds = (datetime.fromisoformat(ended) - began).total_seconds() if ended else None
            return seconds, len(calls) - at
    return None, 0


def table(results: Sequence[Result]) -> str:
    """A row per case, a column per agent."""
    agents = list(dict.fromkeys(result.agent for result in results))
    found = {(result.agent, result.case): result for result in results}
    lines = [f"| case | {' | '.join(agents)} |", "|---" * (len(agents) + 1) + "|"]
    for case in CASES:
        row = [found[agent, case.name].cell() if (agent, case.name) in found else "–" for agent in agents]
        lines.append(f"| {case.name} | {' | '.join(row)} |")
    return "\n".join(lines)


def main() -> None:
    """One run after the other, and the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", default=",".join(SHORT_SCRIPTS))
    parser.add_argument("--cases", default=",".join(case.name for case in CASES))
    parser.add_argument("--lines", type=Path)
    parser.add_argument("--claude", action="store_true")
    given = parser.parse_args()
    results: list[Result] = []
    if given.lines is not None and given.lines.is_file():
        results = [Result(**json.loads(line)) for line in given.lines.read_text(encoding="utf-8").splitlines()]
    known = {(result.agent, result.case) for result in results}
    with tempfile.TemporaryDirectory() as scratch:
        competition = Registry(Path(scratch) / "data").get_competition(WINE)
        prepare(competition)
        for agent, case in itertools.product(given.agents.split(","), CASES):
            if case.name not in given.cases.split(",") or (agent, case.name) in known:
                continue
            if agent in SCRIPTS and not is_built(find_agent(agent)):
                print(f"{agent} is not installed: mlebench agents install {agent}", flush=True)
                continue
            spent = [found.tokens for found in results if (found.agent, found.case) == (agent, "budget of calls")]
            used = spent[0] if spent else 10_000
            result = measure(agent, case, competition, Path(scratch) / "runs", used, given.claude)
            print(f"{agent}, {case.name}: {result.cell()} {result.error or ''}", flush=True)
            results.append(result)
            if given.lines is not None:
                with given.lines.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(result)) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
