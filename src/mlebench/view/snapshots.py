"""Grading snapshots as they appear, for those who asked for it: kept in memory, never where an agent reads."""

from __future__ import annotations

import threading
from contextlib import suppress
from pathlib import Path

from mlebench.base.amounts import format_seconds
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.results.groups import open_group
from mlebench.results.runs import Run
from mlebench.results.trust import Named, choose_data
from mlebench.view.watching import Groups

_PAUSE = 2.0  # seconds between two looks at the folders


class SnapshotGrader:
    """Grades the snapshots of the groups that are looked at, one after the other, beside the server."""

    def __init__(self, named: Named) -> None:
        self._named = named
        self._graded: dict[tuple[str, str], dict[int, str]] = {}
        self._stop = threading.Event()

    def score_of(self, group: str, run: str) -> str:
        """What the last graded snapshot of a run scored, in words; nothing where there is none."""
        found = self._graded.get((group, run))
        return found[max(found)] if found else ""

    def start(self, groups: Groups) -> None:
        """Begin to grade."""
        threading.Thread(target=self._grade_all, args=(groups,), daemon=True).start()

    def stop(self) -> None:
        """Grade nothing more."""
        self._stop.set()

    def _grade_all(self, groups: Groups) -> None:
        while not self._stop.wait(_PAUSE):
            for name in groups.names():
                with suppress(MlebenchError, OSError):
                    self._grade(name, groups.runs_dir / name)

    def _grade(self, name: str, folder: Path) -> None:
        group = open_group(folder)
        if group.record is None:
            return
        registry = choose_data(group.record, self._named).registry
        for run in group.runs:
            graded = self._graded.setdefault((name, run.folder.name), {})
            for seconds, path in run.snapshot_files:
                if seconds not in graded and not self._stop.is_set():
                    graded[seconds] = self._words(run, seconds, path, registry)

    def _words(self, run: Run, seconds: int, path: Path, registry: Registry) -> str:
        from mlebench.grade.grading import grade_csv

        after = f"after {format_seconds(seconds)}"
        try:
            report = grade_csv(path, registry.get_competition(run.record.competition_id), renaming=run.renaming)
        except MlebenchError as error:
            return f"not graded {after}: {error.sentence}"
        if report.score is None:
            return f"not valid {after}"
        return f"{report.score:.6g}{f', {report.medal}' if report.medal else ''} {after}"
