"""What was graded for the reader of a view, who asked for it; without `--grade-snapshots` there is nothing."""

from __future__ import annotations

from dataclasses import dataclass

from mlebench.results.reports import SavedReport


@dataclass(frozen=True)
class SnapshotGrade:
    """What a snapshot is worth, in words too; no report where it could not be graded."""

    seconds: int
    words: str
    report: SavedReport | None = None


class Grades:
    """What was graded: nothing, unless another class knows more. Groups and runs go by the names of their folders."""

    def snapshot(self, group: str, run: str) -> SnapshotGrade | None:
        """The last snapshot of a run that was graded."""
        return None

    def final(self, group: str, run: str) -> SavedReport | None:
        """The report of what a run handed in, of which there is no other one."""
        return None

    def problem(self, group: str) -> str:
        """Why nothing of a group can be graded; empty where something can."""
        return ""
