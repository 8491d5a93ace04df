"""Summary and matrix of a group that goes on, as the page draws them; what has not changed is not read again."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mlebench.base.wording import counted, part_of, plain
from mlebench.competition.declaration import Competition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_folder, is_regular
from mlebench.page.activity import model_calls_of
from mlebench.page.facts import competitions_of, group_facts, in_one_edition
from mlebench.page.page_facts import CompetitionFacts, GroupFacts, PageFacts
from mlebench.page.run_facts import LiveState, RunFacts
from mlebench.page.sections.matrix import MatrixCell, MatrixRow, drawn_matrix, matrix_cell, matrix_rows
from mlebench.page.sections.summary import summary
from mlebench.results.events import RunState
from mlebench.results.groups import CountedRuns, RunGroup
from mlebench.results.matching import GroupReports
from mlebench.results.measures import human_percentile
from mlebench.results.names import GROUP_FILE, RUN_REPORT, SUBMISSION, SUBMISSION_FOLDER
from mlebench.results.records import GroupRecord, PlannedRun, RunRecord
from mlebench.results.reports import SavedReport
from mlebench.results.runs import Run
from mlebench.score.group import score_group, score_under_own_budgets
from mlebench.score.lite import RunScore
from mlebench.view.grades import Grades, SnapshotGrade

_SCORING = 0.02  # seconds that one update may spend on the Lite scores of runs; the next one goes on
_FEW = 100  # runs; of more, the first page comes without Lite scores
_Stamp = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class LiveReports(GroupReports):
    """The reports of a group, and of runs that have none what this view graded for its reader."""

    graded_here: Callable[[str], SavedReport | None] = field(default=lambda _: None, compare=False)

    def of(self, run_id: str, folder: Path) -> SavedReport | None:
        """The report of a run."""
        return super().of(run_id, folder) or self.graded_here(folder.name)


@dataclass
class Results:
    """What is drawn of a group, and at which version each part of it changed last."""

    summary: str = ""
    notices: tuple[str, ...] = ()
    cells: dict[str, dict[str, str]] = field(default_factory=dict)  # by the addresses of the runs
    means: dict[str, str] = field(default_factory=dict)  # by competition
    changed: dict[tuple[str, str], int] = field(default_factory=dict)

    def since(self, version: int) -> dict[str, Any]:
        """What of it is newer than a version, as plain values."""
        changed = self.changed
        return {
            "summary": self.summary if changed.get(("summary", ""), 0) > version else None,
            "notices": list(self.notices) if changed.get(("notices", ""), 0) > version else None,
            "cells": {run: cell for run, cell in self.cells.items() if changed["cell", run] > version},
            "means": {name: value for name, value in self.means.items() if changed["mean", name] > version},
        }


@dataclass(frozen=True)
class _KnownRun:
    """A run as it was drawn last, and what that followed from."""

    record: RunRecord
    reports: GroupReports
    live: LiveState | None
    own_report: _Stamp
    graded_here: SavedReport | None
    facts: RunFacts


class LiveResults:
    """Draws the results of one group again when something of them has changed."""

    def __init__(self, folder: Path, record: GroupRecord, registry: Registry, grades: Grades) -> None:
        self._folder, self._record, self._registry, self._grades = folder, record, registry, grades
        self._label = plain(record.agent, 60)
        self._reports: LiveReports | None = None
        self._reports_stamp: _Stamp = ()
        self._declarations: dict[str, Competition] = {}
        self._not_begun: dict[str, RunRecord] = {}
        self._known: dict[str, _KnownRun] = {}
        self._lite: dict[str, tuple[RunScore, RunFacts]] = {}
        self._is_scoring = False
        self._was_running: bool | None = None
        self._page: PageFacts | None = None
        self._rows: list[MatrixRow] = []
        self._cells: dict[str, tuple[RunFacts, MatrixCell, dict[str, str]]] = {}
        self._matrix: tuple[int, str] = (-1, "")
        self.results = Results()

    def update(
        self, states: Sequence[RunState], records: Sequence[RunRecord | None], *, is_running: bool, version: int
    ) -> bool:
        """Take in where the runs stand now, as a new version if that changes anything; whether it does."""
        reports = self._read_reports()
        try:
            found, is_new = [], self._is_scoring or self._was_running != is_running
            for state, record in zip(states, records, strict=True):
                known, facts = self._known.get(state.planned.folder), self._facts(state, record, reports, is_running)
                is_new |= known is None or known.facts is not facts
                found.append(facts)
            if is_new:
                self._draw(found, reports, is_running=is_running, version=version)
                self._was_running = is_running
        except MlebenchError as error:  # a report is damaged or a competition unknown: the board goes on
            self._page, self._is_scoring, self._was_running = None, False, None
            self._take(Results("", (str(error),)), version)
            return True
        return is_new

    def matrix(self, version: int) -> str:
        """The whole matrix, for a page that is opened."""
        if self._page is None:
            return ""
        if self._matrix[0] != version:
            self._matrix = (version, str(drawn_matrix(self._page, self._rows)))
        return self._matrix[1]

    def _read_reports(self) -> LiveReports:
        """The reports, read again if a file beside the record of the group has changed."""
        stamp = _stamp_of_files(self._folder)
        if self._reports is None or stamp != self._reports_stamp:
            self._reports_stamp = stamp
            self._reports = LiveReports(
                self._folder,
                self._record.plan,
                by_competition=self._record.is_published,
                graded_here=lambda run: self._grades.final(self._folder.name, run),
            )
        return self._reports

    def _facts(self, state: RunState, record: RunRecord | None, reports: LiveReports, is_running: bool) -> RunFacts:
        """The facts of a run: those of the last time, unless what they follow from has changed."""
        planned = state.planned
        name = planned.folder
        record = record or self._record_of_plan(planned)
        graded = self._grades.final(self._folder.name, name) if record.has_ended else None
        live = None if record.has_ended else self._live(state, is_running=is_running)
        own = _stamp(self._folder / name / RUN_REPORT) if record.has_ended else ()
        known = self._known.get(name)
        if (
            known is not None
            and known.record is record
            and known.reports is reports
            and known.graded_here is graded
            and (known.live, known.own_report) == (live, own)
        ):
            return known.facts
        run = Run(self._folder / name, record, reports)
        percentile, is_valid = None, False
        if record.has_ended and run.report is not None:
            percentile = human_percentile(run.report, self._declaration(record.competition_id))
            is_valid = run.report.report.valid_submission
        facts = RunFacts(
            anchor="",
            label=self._label,
            run=run,
            percentile=percentile if is_valid else None,
            counted_percentile=percentile,
            failure=None,
            lite=None,
            files=(),
            calls=model_calls_of(run) if record.has_ended else (),
            address=f"/g/{quote(self._folder.name, safe='')}/{quote(name, safe='')}",
            live=live,
        )
        self._known[name] = _KnownRun(record, reports, live, own, graded, facts)
        return facts

    def _declaration(self, competition_id: str) -> Competition:
        if competition_id not in self._declarations:
            self._declarations[competition_id] = self._registry.get_competition(competition_id).declaration
        return self._declarations[competition_id]

    def _record_of_plan(self, planned: PlannedRun) -> RunRecord:
        if planned.folder not in self._not_begun:
            folder = self._folder / planned.folder
            is_there = is_folder(folder) and is_folder(folder / SUBMISSION_FOLDER)
            has_submission = is_there and is_regular(folder / SUBMISSION)
            self._not_begun[planned.folder] = self._record.record_of(planned, has_submission=has_submission)
        return self._not_begun[planned.folder]

    def _live(self, state: RunState, *, is_running: bool) -> LiveState | None:
        """Where a run stands that has not ended; nothing is known where nobody runs the group."""
        if not is_running:
            return None
        is_waiting = state.status == "planned" or bool(state.waiting_for)
        about = f"waiting for {plain(state.waiting_for, 60)}" if state.waiting_for else ""
        grade: SnapshotGrade | None = self._grades.snapshot(self._folder.name, state.planned.folder)
        score = grade.report.report.score if grade and grade.report else None
        percentile = None
        if grade and grade.report and score is not None:
            percentile = human_percentile(grade.report, self._declaration(state.planned.competition_id))
        return LiveState("waiting" if is_waiting else "running", about, score, percentile)

    def _draw(self, runs: Sequence[RunFacts], reports: GroupReports, *, is_running: bool, version: int) -> None:
        group = RunGroup(self._folder, self._record, tuple(run.run for run in runs), reports)
        registry = in_one_edition([group], self._registry)
        competitions = competitions_of([group], registry)
        counting = group.counted()
        notices = self._notices(group, is_running=is_running)
        facts = group_facts(self._label, counting, tuple(runs), registry, competitions, notices, headline_only=True)
        facts = self._with_lite(facts, counting, registry)
        by_competition: dict[str, list[RunFacts]] = {}
        for run in runs:
            by_competition.setdefault(run.run.record.competition_id, []).append(run)
        self._page = PageFacts(
            (facts,),
            tuple(
                CompetitionFacts(competition, None, None, tuple(by_competition[name]))
                for name, competition in competitions.items()
            ),
        )
        rows = self._rows = matrix_rows(self._page, self._cell)
        drawn = [cell for row in rows for seeds, _ in row.groups for cells in seeds for cell in cells]
        self._take(
            Results(
                str(summary(self._page, self._folder)),
                facts.notices,
                {str(cell.run.address): self._cells[cell.run.run.folder.name][2] for cell in drawn},
                {row.facts.competition.id: _mean_in_words(row.groups[0][1]) for row in rows},
            ),
            version,
        )

    def _cell(self, run: RunFacts) -> MatrixCell:
        name = run.run.folder.name
        known = self._cells.get(name)
        if known is None or known[0] is not run:
            cell = matrix_cell(run)
            known = self._cells[name] = (run, cell, _plain_cell(cell))
        return known[1]

    def _notices(self, group: RunGroup, *, is_running: bool) -> list[str]:
        found = []
        here = [run for run in group.runs if run.counts and self._grades.final(self._folder.name, run.folder.name)]
        if here:
            found.append(
                f"Provisional: this view graded {part_of(len(here), len(group.runs), 'run')} for you, in memory. "
                "What counts is what mlebench grade writes."
            )
        if group.ungraded and not is_running:
            runs = counted(len(group.ungraded), "run")
            found.append(f"Not graded: {runs} that ended. Run: mlebench grade --run-group {group.folder}")
        problem = self._grades.problem(self._folder.name)
        return [*found, f"Snapshots are not graded: {problem}"] if problem else found

    def _with_lite(self, facts: GroupFacts, counting: CountedRuns, registry: Registry) -> GroupFacts:
        """The facts with the Lite score, once all runs that count have been scored, some at a time."""
        self._is_scoring = self._page is None and len(counting.runs) > _FEW
        if self._is_scoring:  # whoever opens the page does not wait for it
            return facts
        by_id = {run.run.record.run_id: run for run in facts.runs}
        began = time.thread_time()
        for run in counting.runs:
            run_id = run.record.run_id
            scored = self._lite.get(run_id)
            if scored is not None and scored[1] is by_id[run_id]:
                continue
            if time.thread_time() - began > _SCORING:
                self._is_scoring = True
                return facts
            self._lite[run_id] = (score_under_own_budgets(run, registry), by_id[run_id])
        if not counting.runs:
            return facts
        known = {run_id: score for run_id, (score, _) in self._lite.items()}
        return replace(facts, lite=score_group(counting, registry, known=known))

    def _take(self, new: Results, version: int) -> None:
        """Replace what was drawn, and note what of it is new."""
        old = self.results
        new.changed = dict(old.changed)
        for kind, before, after in (
            ("summary", {"": old.summary}, {"": new.summary}),
            ("notices", {"": old.notices}, {"": new.notices}),
            ("cell", old.cells, new.cells),
            ("mean", old.means, new.means),
        ):
            _note_changes(new.changed, kind, before, after, version)
        self.results = new


def _note_changes(
    changed: dict[tuple[str, str], int], kind: str, before: Mapping[str, Any], after: Mapping[str, Any], version: int
) -> None:
    for name, value in after.items():
        if before.get(name) != value or (kind, name) not in changed:
            changed[kind, name] = version


def _plain_cell(cell: MatrixCell) -> dict[str, str]:
    return {
        "classes": cell.css_class,
        "cut": cell.cut,
        "mark": cell.mark,
        "short": cell.short,
        "words": cell.words,
        "values": cell.values,
    }


def _mean_in_words(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _stamp_of_files(folder: Path) -> _Stamp:
    """What tells whether a file of results in the folder of a group has changed: not its record, nor its runs."""
    found: list[tuple[str, int, int]] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith((".json", ".toml")) and entry.name != GROUP_FILE:
                    found += _stamp(Path(entry.path))
    except OSError:
        return ()
    return tuple(sorted(found))


def _stamp(path: Path) -> _Stamp:
    try:
        status = os.lstat(path)
    except OSError:
        return ()
    return ((path.name, status.st_mtime_ns, status.st_size),) if stat.S_ISREG(status.st_mode) else ()
