"""Which report belongs to which run of a group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from mlebench.files.regular import is_regular
from mlebench.results.checks import GroupChecks, without_medal
from mlebench.results.names import RUN_REPORT, SNAPSHOTS_FILE
from mlebench.results.records import PlannedRun
from mlebench.results.reports import SavedReport, newest_grading_report, read_reports, read_snapshots

_SLASH = re.compile(r"[/\\]")


@dataclass(frozen=True)
class GroupReports:
    """The reports of a run group: those of its newest grading report, unless another one is chosen.

    They are read when the first one is asked for. `folder` is None for a run that is in no group; with `by_competition`
    a report that tells neither run nor folder belongs to the first run on its competition that has none.
    """

    folder: Path | None
    plan: Sequence[PlannedRun] = ()
    chosen: Path | None = None
    by_competition: bool = False

    @cached_property
    def path(self) -> Path | None:
        """The grading report that counts."""
        return self.chosen or (newest_grading_report(self.folder) if self.folder else None)

    @cached_property
    def all(self) -> tuple[SavedReport, ...]:
        """All reports of the grading report, in their order; with what the snapshots of the run scored."""
        if self.path is None or self.folder is None:
            return ()
        snapshots = read_snapshots(self.folder / SNAPSHOTS_FILE)
        reports = read_reports(self.path)
        return tuple(
            self._with_checks(replace(report, snapshots=snapshots.get(report.run_id or "", ()))) for report in reports
        )

    @cached_property
    def checks(self) -> GroupChecks:
        """The checks that the runs of the group had."""
        return GroupChecks(self.folder)

    def _with_checks(self, report: SavedReport, run_id: str | None = None) -> SavedReport:
        """A report, without its medal where its run is disqualified."""
        lost = self.checks.disqualified
        if not lost or report.is_disqualified:
            return report
        named = {report.run_id, run_id}
        if report.run_id is None:  # of others: by the folder in the path of the submission
            parts = set(_SLASH.split(report.report.submission_path))
            named |= {planned.run_id for planned in self.plan if planned.folder in parts}
        return without_medal(report) if lost & named else report

    def of(self, run_id: str, folder: Path) -> SavedReport | None:
        """The report of a run: from the grading report, or else the one in the folder of the run."""
        found = self._by_run_id.get(run_id) or self._by_folder.get(folder.resolve().name)
        if found is None and self.by_competition:
            found = self._by_competition.get(run_id)
        found = found or self._own(folder)
        return self._with_checks(found, run_id) if found is not None else None

    @cached_property
    def _by_run_id(self) -> dict[str, SavedReport]:
        return {report.run_id: report for report in reversed(self.all) if report.run_id is not None}

    @cached_property
    def _by_folder(self) -> dict[str, SavedReport]:
        """The reports that do not tell their run, by the names of all folders in the path of the submission."""
        return {
            name: report
            for report in reversed(self.all)
            if report.run_id is None
            for name in _SLASH.split(report.report.submission_path)
        }

    @cached_property
    def _by_competition(self) -> dict[str, SavedReport]:
        """What is left, by run: reports of others do not name a submission that does not exist."""
        folders = {planned.folder for planned in self.plan}
        named = {id(report) for name, report in self._by_folder.items() if name in folders}
        left = [report for report in self.all if report.run_id is None and id(report) not in named]
        found = {}
        for planned in self.plan:
            if planned.run_id in self._by_run_id or planned.folder in self._by_folder:
                continue
            report = next((report for report in left if report.competition_id == planned.competition_id), None)
            if report is not None:
                left.remove(report)
                found[planned.run_id] = report
        return found

    def _own(self, folder: Path) -> SavedReport | None:
        path = folder / RUN_REPORT
        if not is_regular(path):
            return None
        return next(iter(read_reports(path)), None)
