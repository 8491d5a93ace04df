"""Which checks the runs of a group had, and what came of them: what `violations` and `plagiarism` left in its folder.

The files are as trustworthy as the grading report beside them: data, which is read with bounds and never obeyed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from mlebench.base.codes import Code
from mlebench.files.regular import is_regular, read_regular
from mlebench.results.names import PLAGIARISM_FILE, VIOLATIONS_FILE
from mlebench.results.reports import SavedReport

_LARGEST = 256 << 20  # bytes of a file that is read


class CheckResult(Code):
    """What came of a check of a run."""

    PASSED = "passed", "The check found nothing."
    FAILED = "failed", "The check found a violation, or too much similarity."
    UNCLEAR = "unclear", "The check could not see enough to tell."
    NEVER = "never", "The run never had this check.", "not checked"


@dataclass(frozen=True)
class Check:
    """A check of results: its name, the file it leaves in the folder of a group, and how an entry of it is read."""

    name: str
    file: str
    result: Callable[[Mapping[str, Any]], CheckResult]


def _violations(entry: Mapping[str, Any]) -> CheckResult:
    verdicts = entry.get("verdicts")
    values = list(verdicts.values()) if isinstance(verdicts, dict) else []
    if True in values:
        return CheckResult.FAILED
    return CheckResult.UNCLEAR if None in values or not values else CheckResult.PASSED


def _plagiarism(entry: Mapping[str, Any]) -> CheckResult:
    found = entry.get("disqualified")
    return CheckResult.FAILED if found is True else CheckResult.PASSED if found is False else CheckResult.UNCLEAR


CHECKS = {
    check.name: check
    for check in (Check("violations", VIOLATIONS_FILE, _violations), Check("plagiarism", PLAGIARISM_FILE, _plagiarism))
}


@dataclass(frozen=True)
class GroupChecks:
    """The checks in the folder of a group; `folder` is None for runs that are in none."""

    folder: Path | None

    @cached_property
    def entries(self) -> dict[str, dict[str, Mapping[str, Any]]]:
        """What each check left, by check and by run."""
        return {name: self._read(check.file) for name, check in CHECKS.items()}

    def _read(self, file: str) -> dict[str, Mapping[str, Any]]:
        if self.folder is None or not is_regular(self.folder / file):
            return {}
        try:
            listed = json.loads(read_regular(self.folder / file, _LARGEST).decode("utf-8"))["submissions"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return {}
        entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
        return {str(entry["run_id"]): entry for entry in entries if isinstance(entry.get("run_id"), str)}

    def of(self, run_id: str) -> dict[str, CheckResult]:
        """What came of every check of a run."""
        return {
            name: check.result(self.entries[name][run_id]) if run_id in self.entries[name] else CheckResult.NEVER
            for name, check in CHECKS.items()
        }

    def entry(self, check: str, run_id: str) -> Mapping[str, Any] | None:
        """What a check left about a run."""
        return self.entries[check].get(run_id)

    @cached_property
    def disqualified(self) -> frozenset[str]:
        """The ids of the runs whose code is that of public notebooks."""
        entries = self.entries["plagiarism"]
        return frozenset(run_id for run_id, entry in entries.items() if _plagiarism(entry) is CheckResult.FAILED)


def without_medal(saved: SavedReport) -> SavedReport:
    """The report of an attempt that is disqualified: its score stands, but it earns nothing."""
    report = replace(
        saved.report, any_medal=False, gold_medal=False, silver_medal=False, bronze_medal=False, above_median=False
    )
    return replace(saved, report=report, is_disqualified=True)


def counts_of(results: Iterable[Mapping[str, CheckResult]]) -> dict[str, dict[str, int]]:
    """For every check, how many runs have which result."""
    listed = list(results)
    return {
        name: {result.value: count for result, count in _ordered(Counter(one[name] for one in listed)) if count}
        for name in CHECKS
    }


def _ordered(counts: Mapping[CheckResult, int]) -> list[tuple[CheckResult, int]]:
    return [(result, counts.get(result, 0)) for result in CheckResult]


def in_words(counts: Mapping[str, Mapping[str, int]]) -> str:
    """Counts of checks for people.

    >>> in_words({"violations": {"passed": 3, "failed": 1}, "plagiarism": {"never": 4}})
    'violations 3 passed, 1 failed; plagiarism not checked'
    """
    parts = []
    for name, found in counts.items():
        if not found or set(found) == {CheckResult.NEVER.value}:
            parts.append(f"{name} {CheckResult.NEVER.words}")
        else:
            parts.append(
                f"{name} " + ", ".join(f"{count} {CheckResult(result).words}" for result, count in found.items())
            )
    return "; ".join(parts)


def cell_of(results: Mapping[str, CheckResult]) -> str:
    """The results of one run for a cell of a table."""
    return ", ".join(f"{name} {result.words}" for name, result in results.items())
