"""Writes docs/codes.md from the codes in the program: `python scripts/codes_page.py`. A test compares the two."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from pathlib import Path

from mlebench.agents.checking import AgentProblem
from mlebench.analysis.causes import Cause
from mlebench.base.codes import Code, MedalCaveat, NoMedalCode, RefusalCode
from mlebench.checking.checker import all_checks
from mlebench.integrity.familiarity.check import NotMeasured
from mlebench.integrity.violations.rules import Rule
from mlebench.results.checks import CheckResult
from mlebench.results.measures import NotNormalised
from mlebench.results.records import CODES

PAGE = Path(__file__).parents[1] / "docs" / "codes.md"
_START = """# Codes

Reports, records and JSON say for programs, by a code, what sentences say for people. A code keeps its name and its
meaning from version to version, and new ones may be added; sentences may change at any time, so do not search them.
This page is written from the program by `python scripts/codes_page.py`.
"""
_REFUSALS = """## Refusals of submissions

`refusal_code` in the report of a graded submission and in the JSON of [`validate`](commands/validate.md) and
[`grade-sample`](commands/grade-sample.md), beside `refusal_line`, `refusal_column` and `refusal_value`: the first line
of the file that is concerned (the header is line 1), its column and its cell, where the refusal is about one. In
Python: `InvalidSubmissionError.code`. A rule of a competition of your own has the code `breaks_rule`, unless you give
another: `InvalidSubmissionError("…", code=RefusalCode.OUT_OF_RANGE)`. A report that was written before there were codes
gets one when it is read, where its sentence is known.
"""
_MEDALS = """
## Medals

`no_medal_code` in a report: why nothing can win a medal. Without it, a medal can be won.
"""
_CAVEATS = """
`medal_caveat` in a report and `medals` of a known issue: why a medal says little.
"""
_CAUSES = """
## Causes of failure

`code` of a failure in the JSON of [`failures`](commands/failures.md), which has their definitions.
"""
_CHECKS = """
## Checks of competitions

`id` in the JSON of [`check`](commands/check.md), and what a declaration excuses with `breaks=`. Those of the stage
`data` are also made after every preparation.

| id | stage | cost | what holds |
|---|---|---|---|"""
_AGENTS = """
## Problems of agents

`code` of a finding in the JSON of [`agents check`](commands/agents.md).
"""
_RULES = """
## Rules that submissions keep

`rule` of a finding and the names of the verdicts in the JSON of [`violations`](commands/violations.md).
"""
_RESULTS = """
## Results of checks

What came of [`violations`](commands/violations.md) and [`plagiarism`](commands/plagiarism.md), in `checks` of the JSON
of [`aggregate`](commands/aggregate.md) and [`leaderboard`](commands/leaderboard.md).
"""
_FAMILIARITY = """
## Competitions without familiarity or performance

`left_out` in the JSON of [`familiarity`](commands/familiarity.md): why a competition is not in the correlations.
"""
_ENDINGS = """
## Endings of runs

`code` in `run.json`, whose [schema](schemas/run.schema.json) has them too:
"""


def _table(codes: Iterable[Code]) -> str:
    rows = [f"| `{code.value}` | {code.meaning} |" for code in codes]
    return "\n".join(["| code | meaning |", "|---|---|", *rows])


def page() -> str:
    """The whole page."""
    checks = [f"| `{entry.id}` | {entry.stage} | {entry.cost} | {entry.title} |" for entry in all_checks()]
    return "\n".join(
        [
            _START,
            _REFUSALS,
            _table(RefusalCode),
            _MEDALS,
            _table(NoMedalCode),
            _CAVEATS,
            _table(MedalCaveat),
            _CAUSES,
            _table(Cause),
            _CHECKS,
            *checks,
            _AGENTS,
            _table(AgentProblem),
            _RULES,
            _table(Rule),
            _RESULTS,
            _table(CheckResult),
            _FAMILIARITY,
            _table([*NotMeasured, *NotNormalised]),
            _ENDINGS,
            *textwrap.wrap(", ".join(f"`{code}`" for code in CODES) + ".", 118, break_on_hyphens=False),
            "",
        ]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
