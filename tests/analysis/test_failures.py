"""Failure analysis: agents that really fail, in real runs, and the cause that is found for each."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command import run_command
from failing_agents import AGENTS, BOTH, START, FailingAgent
from graded import write_group

from mlebench.analysis.failures import Failure, counts, failures
from mlebench.analysis.log_evidence import last_evidence
from mlebench.analysis.submissions import format_rule
from mlebench.errors import MlebenchError
from mlebench.local import LocalCompetition
from mlebench.registry import Registry, registry
from mlebench.runs.grading import grade_group
from mlebench.runs.group import create_group
from mlebench.runs.local import run_locally
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits, choose_sandbox
from mlebench.score.folders import open_runs


def failed(agent: FailingAgent, data_dir: Path, folder: Path) -> list[Failure]:
    """What is found for the runs of a failing agent, which are made now."""
    code = folder / "agent"
    code.mkdir(parents=True)
    (code / "agent.py").write_text(agent.program if agent.bare else START + agent.program)
    settings = RunSettings(
        agent="command",
        data_dir=data_dir,
        sandbox=choose_sandbox("auto").sandbox.name,
        limits=Limits(**{"seconds": 120.0, "memory_bytes": 4 << 30} | agent.limits),
        variant=agent.variant,
        agent_options={"command": f"{shlex.quote(sys.executable)} $AGENT_DIR/agent.py", "code": str(code)},
        grace=1.0,
    )
    group = create_group(folder / "runs", agent.competitions, [0], settings)
    assert run_locally(group, workers=1)
    grade_group(group)
    return failures(open_runs(group.folder), Registry(data_dir))


@pytest.fixture(scope="module")
def practice(prepared_practice: Callable[[str], LocalCompetition]) -> Path:
    """The data folder with two practice competitions."""
    for each in BOTH:
        prepared_practice(each)
    return prepared_practice(BOTH[0]).data_dir


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.name)
def test_failing_agents(agent: FailingAgent, practice: Path, tmp_path: Path) -> None:
    found = failed(agent, practice, tmp_path)
    assert [each.cause for each in found] == [agent.cause] * len(agent.competitions), found
    if agent.detail is not None:
        assert {each.detail for each in found} == {agent.detail}, found
    assert all(each.evidence for each in found), found


def test_there_are_enough_of_them() -> None:
    assert sum(len(agent.competitions) for agent in AGENTS) >= 60


def test_counts_and_the_command(tmp_path: Path) -> None:
    def left(folder: Path, _: object) -> dict[str, object]:
        (folder / "submission" / "submission.csv").unlink()
        (folder / "agent.log").write_text("\x1b[31mgood bye\x1b[0m\n")
        return {}

    group = write_group(tmp_path / "group", ["leaf-classification", "mlsp-2013-birds"], (0, 1), left=left)
    found = failures(open_runs(group), registry)
    assert counts(found, "agent") == {"tester": {"no submission": 4}}
    assert counts(found, "category") == {
        "Image Classification": {"no submission": 2},
        "Audio Classification": {"no submission": 2},
    }
    ran = run_command("failures", group, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "4 of 4 runs without a medal." in ran.out
    assert "no submission  good bye" in ran.out
    values = json.loads(run_command("failures", group, "--json", cwd=tmp_path).out)
    assert values["causes"] == {"no submission": 4}
    assert values["failures"][0]["evidence"] == "good bye"


def test_runs_with_medals_are_no_failures(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", ["leaf-classification"], report_of=lambda *_: {"any_medal": True})
    assert failures(open_runs(group), registry) == []
    assert "0 of 1 run without a medal." in run_command("failures", group, cwd=tmp_path).out


@pytest.mark.parametrize(("status", "cause"), [("infrastructure", "infrastructure"), ("cancelled", "cancelled")])
def test_what_was_not_the_agents_fault(status: str, cause: str, tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", ["leaf-classification"], status=status, error="The disk is full.")
    (found,) = failures(open_runs(group), registry)
    assert (found.cause, found.evidence) == (cause, "The disk is full.")


def test_unknown_competitions(tmp_path: Path) -> None:
    group = write_group(tmp_path / "group", ["my-contest"])
    with pytest.raises(MlebenchError, match="unknown competition 'my-contest'"):
        failures(open_runs(group), registry)


def test_the_last_exception_with_a_traceback_counts() -> None:
    log = [
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in <module>',
        "KeyError: 'x'",
        "retrying",
        "Traceback (most recent call last):",
        '  File "a.py", line 1, in <module>',
        "torch.cuda.SomeError: bad",
        "bye",
    ]
    found = last_evidence(log, "exception")
    assert found is not None
    assert (found.detail, found.line) == ("SomeError", "torch.cuda.SomeError: bad")
    assert last_evidence(["ValueError: as a heading"], "exception") is None


@pytest.mark.parametrize(
    ("refusal", "rule"),
    [
        ("submission.csv is a zip archive, not a CSV file.", "not a CSV file"),
        ("submission.csv is separated by semicolons; separate its columns by commas.", "separator"),
        ("The submission lacks the column Transported; it has PassengerId, Target.", "columns"),
        ("The column PassengerId lacks '0013_01' and has 'x', which the test set does not have.", "ids"),
        ("The column Transported has 1 empty cell; every row needs a prediction.", "empty cells"),
        ("The submission has 3 rows, but 5 are expected, one per row to predict.", "number of rows"),
        ("The column p has 2, which is above 1.", "range"),
        ("The probabilities of 3 of 9 rows do not sum to 1 (one row sums to 2).", "probabilities"),
        ("Something else.", "other"),
    ],
)
def test_rules(refusal: str, rule: str) -> None:
    assert format_rule(refusal) == rule
