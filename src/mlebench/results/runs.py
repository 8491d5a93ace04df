"""One run: its folder, its record, its report, and what it left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from mlebench.files.regular import is_folder, is_regular
from mlebench.renaming.mapping import RENAMING_FILE, Renaming, RenamingError, load_renaming
from mlebench.renaming.submissions import with_true_names
from mlebench.results.checks import CheckResult
from mlebench.results.kinds import DataKind, kind_of_data
from mlebench.results.matching import GroupReports
from mlebench.results.names import (
    AGENT_LOG,
    CODE_FOLDER,
    LOGS_FOLDER,
    REPLAY_FILE,
    RUN_FILE,
    RUN_LOG,
    SNAPSHOTS_FOLDER,
    SUBMISSION,
    SUBMISSION_FILE,
)
from mlebench.results.records import PlannedRun, RunRecord
from mlebench.results.reports import SavedReport, Snapshot


class LeftOut(StrEnum):
    """Why a run does not count. The codes are never renamed or given a new meaning."""

    NOT_ENDED = "not_ended"
    NOT_GRADED = "not_graded"
    CANCELLED = "cancelled"  # the user ended it, and nobody has graded what it left
    TWIN = "twin"  # it was graded on synthetic data, beside runs on other data


@dataclass(frozen=True)
class Run:
    """One run of a group; its report is read when it is first asked for."""

    folder: Path
    record: RunRecord
    reports: GroupReports = field(repr=False, compare=False)

    @property
    def planned(self) -> PlannedRun:
        """Its entry in the plan of its group."""
        return PlannedRun(self.record.run_id, self.record.competition_id, self.record.seed)

    @cached_property
    def report(self) -> SavedReport | None:
        """Its report; None where it was not graded."""
        return self.reports.of(self.record.run_id, self.folder)

    @property
    def checks(self) -> dict[str, CheckResult]:
        """What came of the checks that there are."""
        return self.reports.checks.of(self.record.run_id)

    @property
    def left_out(self) -> LeftOut | None:
        """Why it does not count; None if it does."""
        if not self.record.has_ended:
            return LeftOut.NOT_ENDED
        if self.report is not None:
            return None
        return LeftOut.CANCELLED if self.record.status == "cancelled" else LeftOut.NOT_GRADED

    @property
    def counts(self) -> bool:
        """Whether it has ended and was graded."""
        return self.left_out is None

    @property
    def data(self) -> str | None:
        """What its data is called: what it was graded on, or else what the agent had."""
        return self.report.report.data if self.report else self.record.data

    @property
    def kind(self) -> DataKind:
        """The kind of its data."""
        return kind_of_data(self.data)

    @property
    def submission(self) -> Path:
        """Where the collected submission is, if there is one; `metrics.json` and `report.md` are beside it."""
        return self.folder / SUBMISSION

    @property
    def renaming_file(self) -> Path:
        """Where the run keeps what leads from the names that its agent saw to the true ones."""
        return self.folder / RENAMING_FILE

    @cached_property
    def renaming(self) -> Renaming | None:
        """What leads from the names that its agent saw to the true ones; None where the agent saw the true ones."""
        sha256 = self.record.renaming
        return None if sha256 is None else load_renaming(self.renaming_file, sha256)

    @contextmanager
    def submission_with_true_names(self) -> Iterator[Path]:
        """The submission as graders know it: a copy where the agent saw other names, else the file itself.

        It is the file itself, too, where the way back is lost.
        """
        try:
            renaming = self.renaming
        except RenamingError:
            renaming = None
        if renaming is None:
            yield self.submission
            return
        with with_true_names(self.submission, renaming) as path:
            yield path

    @property
    def has_submission(self) -> bool:
        """Whether there is a submission: a file, not a link to one."""
        return is_folder(self.submission.parent) and is_regular(self.submission)

    @property
    def code(self) -> Path:
        """Where the code that the agent left is."""
        return self.folder / CODE_FOLDER

    @property
    def logs(self) -> Path:
        """Where the logs that the agent left are."""
        return self.folder / LOGS_FOLDER

    @property
    def agent_log(self) -> Path:
        """Where what the agent printed is."""
        return self.folder / AGENT_LOG

    @property
    def files(self) -> tuple[Path, ...]:
        """Those of our own files about the run that exist: its record and logs, and the record of a replay."""
        paths = (self.folder / name for name in (RUN_FILE, RUN_LOG, AGENT_LOG, REPLAY_FILE))
        return tuple(path for path in paths if is_regular(path))

    @property
    def snapshot_files(self) -> list[tuple[int, Path]]:
        """(seconds since the start, submission at that time) of every snapshot that was kept."""
        found = []
        snapshots = self.folder / SNAPSHOTS_FOLDER
        for folder in snapshots.iterdir() if is_folder(snapshots) else ():
            seconds, path = folder.name.removesuffix("s"), folder / SUBMISSION_FILE
            if seconds != folder.name and seconds.isdecimal() and is_folder(folder) and is_regular(path):
                found.append((int(seconds), path))
        return sorted(found)

    @property
    def snapshots(self) -> tuple[Snapshot, ...]:
        """What its snapshots scored, where they were graded."""
        return self.report.snapshots if self.report else ()

    def reread(self) -> Run:
        """The run with its record as it is now."""
        return replace(self, record=RunRecord.load(self.folder)) if is_regular(self.folder / RUN_FILE) else self
