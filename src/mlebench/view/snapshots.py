"""Grading snapshots as they appear, for those who asked for it: kept in memory, never where an agent reads."""

from __future__ import annotations

import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from mlebench.base.amounts import format_seconds
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.results.names import SNAPSHOTS_FOLDER
from mlebench.results.records import RunRecord
from mlebench.results.reports import SavedReport
from mlebench.results.runs import Run
from mlebench.results.trust import Named, choose_data
from mlebench.view.grades import Grades, SnapshotGrade
from mlebench.view.watching import Groups, Watched

_PAUSE = 2.0  # seconds between two looks at the folders
_Key = tuple[str, str]  # the names of the folders of a group and of a run


class SnapshotGrader(Grades):
    """Grades snapshots, and what runs handed in that have ended, of the groups that are looked at, one by one."""

    def __init__(self, named: Named) -> None:
        self._named = named
        self._snapshots: dict[_Key, dict[int, SnapshotGrade]] = {}
        self._final: dict[_Key, tuple[RunRecord, SavedReport | None]] = {}
        self._problems: dict[str, str] = {}
        self._registries: dict[str, Registry] = {}
        self._seen: dict[_Key, int] = {}
        self._stop = threading.Event()

    def snapshot(self, group: str, run: str) -> SnapshotGrade | None:
        """The last snapshot of a run that was graded."""
        found = self._snapshots.get((group, run))
        return found[max(found)] if found else None

    def final(self, group: str, run: str) -> SavedReport | None:
        """The report of what a run handed in."""
        return self._final.get((group, run), (None, None))[1]

    def problem(self, group: str) -> str:
        """Why nothing of a group can be graded."""
        return self._problems.get(group, "")

    def start(self, groups: Groups) -> None:
        """Begin to grade."""
        threading.Thread(target=self._grade_all, args=(groups,), daemon=True).start()

    def stop(self) -> None:
        """Grade nothing more."""
        self._stop.set()

    def _grade_all(self, groups: Groups) -> None:
        while not self._stop.wait(_PAUSE):
            for watched in groups.in_memory():
                with suppress(OSError):  # the group was removed
                    self._grade(watched)

    def _grade(self, watched: Watched) -> None:
        name = watched.folder.name
        registry = self._registries.get(name)
        if registry is None:
            try:
                registry = self._registries[name] = choose_data(watched.record, self._named).registry
            except MlebenchError as error:
                self._problems[name] = str(error)
                return
            self._problems.pop(name, None)
        for run in watched.begun_runs():
            if self._stop.is_set():
                return
            self._grade_snapshots((name, run.folder.name), run, registry)
            if run.record.has_ended:
                self._grade_final((name, run.folder.name), run, registry)

    def _grade_snapshots(self, key: _Key, run: Run, registry: Registry) -> None:
        """Grade the snapshots of a run that are new; its folder is listed again only if something came into it."""
        changed = _changed_at(run.folder / SNAPSHOTS_FOLDER)
        if changed is None or self._seen.get(key) == changed:
            return
        graded = self._snapshots.setdefault(key, {})
        for seconds, path in run.snapshot_files:
            if seconds not in graded and not self._stop.is_set():
                graded[seconds] = self._snapshot(run, seconds, path, registry)
        if run.record.has_ended:  # before that, a snapshot may be half written
            self._seen[key] = changed

    def _grade_final(self, key: _Key, run: Run, registry: Registry) -> None:
        known = self._final.get(key)
        if known is not None and known[0] is run.record:
            return
        report = None
        if run.record.status != "cancelled":  # which nobody takes for a failure
            with suppress(MlebenchError):  # whoever grades the group is told
                # As in grading a group: whatever is not a file that was collected is no submission.
                report = self._report(run, run.submission if run.has_submission else Path(), registry)
        self._final[key] = (run.record, report)

    def _snapshot(self, run: Run, seconds: int, path: Path, registry: Registry) -> SnapshotGrade:
        after = f"after {format_seconds(seconds)}"
        try:
            saved = self._report(run, path, registry)
        except MlebenchError as error:
            return SnapshotGrade(seconds, f"not graded {after}: {error.sentence}")
        report = saved.report
        if report.score is None:
            return SnapshotGrade(seconds, f"not valid {after}", saved)
        medal = f", {report.medal}" if report.medal else ""
        return SnapshotGrade(seconds, f"{report.score:.6g}{medal} {after}", saved)

    def _report(self, run: Run, path: Path, registry: Registry) -> SavedReport:
        from mlebench.grade.grading import grade_csv

        record = run.record
        report = grade_csv(path, registry.get_competition(record.competition_id), renaming=run.renaming)
        return SavedReport(replace(report, run_id=record.run_id, seed=record.seed), path)


def _changed_at(folder: Path) -> int | None:
    """When something last came into a folder or left it."""
    try:
        return folder.lstat().st_mtime_ns
    except OSError:
        return None
