"""Making the runs of failing agents, and what the analysis finds for them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from benchmarks.failures.agents import CANCER, DIABETES, DIGITS, START, TITANIC, WINE, FailingAgent
from benchmarks.failures.more_agents import TWINS
from mlebench.analysis.failures import Failure, failures
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.results.groups import open_group
from mlebench.runs.grading import grade_group
from mlebench.runs.group import create_group
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import Limits, choose_sandbox
from mlebench.twins import write_twin


def prepare_data(data_dir: Path) -> None:
    """Prepare the competitions that the agents work on."""
    registry = Registry(data_dir)
    for name in (WINE, CANCER, DIABETES, DIGITS):
        prepare(registry.get_competition(name))
    for name in (TITANIC, *TWINS):
        twin = registry.get_competition(name)
        write_twin(twin, twin.home)
        prepare(twin)


def make_runs(agent: FailingAgent, data_dir: Path, folder: Path) -> Path:
    """Let a failing agent fail now, and grade what it left; the folder of the run group."""
    code = folder / "agent"
    code.mkdir(parents=True)
    for name, text in agent.files.items():
        (code / name).write_text(text, encoding="utf-8")
    python = shlex.quote(sys.executable)
    if agent.shell:
        (code / "agent.sh").write_text(f'python() {{ {python} "$@"; }}\n{agent.program}\n', encoding="utf-8")
    else:
        (code / "agent.py").write_text(agent.program if agent.bare else START + agent.program, encoding="utf-8")
    settings = RunSettings(
        agent="command",
        data_dir=data_dir,
        sandbox=choose_sandbox("auto").sandbox.name,
        limits=Limits(**{"seconds": 120.0, "memory_bytes": 4 << 30} | agent.limits),
        variant=agent.variant,
        agent_options={"command": "bash agent.sh" if agent.shell else f"{python} agent.py", "code": str(code)},
        grace=1.0,
    )
    group = create_group(folder / "runs", agent.competitions, [0], settings)
    assert run_group(group, workers=1)
    grade_group(group.results())
    return group.folder


def found_in(group: Path, data_dir: Path) -> list[Failure]:
    """What is found for the runs of a group."""
    return failures(open_group(group), Registry(data_dir))


def is_right(agent: FailingAgent, found: list[Failure]) -> bool:
    """Whether every run of an agent is explained by its cause, and in its detail where one is expected."""
    return len(found) == len(agent.competitions) and all(
        failure.evidence and failure.cause == agent.cause and _is_expected(agent.detail, failure.detail)
        for failure in found
    )


# The lists were written when refusals had no codes: what their words for a broken rule stand for.
_RULES = {
    "not a CSV file": {"not_csv", "unreadable", "not_a_file"},
    "encoding": {"wrong_encoding"},
    "separator": {"wrong_separator"},
    "empty file": {"empty_file"},
    "columns": {"missing_columns", "extra_columns", "duplicate_columns", "unnamed_columns", "wrong_column_order"},
    "number of rows": {"wrong_row_count"},
    "ids": {"unknown_ids", "missing_ids", "duplicate_ids"},
    "empty cells": {"missing_values"},
    "probabilities": {"wrong_sum"},
    "range": {"out_of_range", "not_a_probability", "infinite_value", "not_allowed"},
    "type": {"not_a_number", "not_whole", "not_a_truth_value", "not_text"},
}


def _is_expected(expected: str | None, detail: str) -> bool:
    return expected is None or detail == expected or detail in _RULES.get(expected, ())
