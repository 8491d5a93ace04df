"""Graded run groups on disk: every run with its record, its report and what it left. No data is needed for that."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from mlebench.base import progress
from mlebench.base.showing import Showable, Table
from mlebench.competition.declaration import Competition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.results.records import GROUP_FILE, RUN_FILE, GroupRecord, RunRecord
from mlebench.results.reports import SavedReport, newest_grading_report, read_reports, read_snapshots

SNAPSHOTS_REPORT = "snapshots.json"
RUN_REPORT = "report.json"  # the report of one run, where there is one in its folder
_SLASH = re.compile(r"[/\\]")


@dataclass(frozen=True)
class GradedRun:
    """One run; `report` is None where it was not graded."""

    folder: Path
    record: RunRecord
    report: SavedReport | None

    @property
    def submission(self) -> Path:
        """Where the collected submission is, if there is one."""
        return self.folder / "submission" / "submission.csv"


@dataclass(frozen=True, repr=False)
class GradedGroup(Showable):
    """A run group, or one run of it; `record` is None for a run whose folder is alone."""

    folder: Path
    record: GroupRecord | None
    runs: tuple[GradedRun, ...]

    @property
    def name(self) -> str:
        """The id of the group."""
        return self.record.run_group if self.record else self.runs[0].record.run_group

    @property
    def agent(self) -> str:
        """The agent that worked."""
        return self.record.agent if self.record else self.runs[0].record.agent

    @property
    def left_out(self) -> int:
        """How many runs of the plan are not among the runs: those that had not ended."""
        return len(self.record.plan) - len(self.runs) if self.record else 0

    def table(self) -> Table:
        """One row per run: how it ended, and its score where it was graded."""
        rows = []
        for run in self.runs:
            record, report = run.record, run.report.report if run.report else None
            graded = (report.score, report.medal) if report else (None, None)
            problem = (report.refusal if report else None) or record.error
            rows.append(
                [record.competition_id, record.seed, record.status, record.usage.get("seconds"), *graded, problem]
            )
        columns = ("competition", "seed", "status", "seconds", "score", "medal", "problem")
        heading = f"{self.agent}: {len(rows)} run{'s' * (len(rows) != 1)} in {self.folder}"
        return Table(heading, columns, rows, right=("seed", "seconds", "score"))

    @property
    def unfinished(self) -> tuple[GradedRun, ...]:
        """The runs that have not ended."""
        return tuple(run for run in self.runs if not run.record.has_ended)

    @property
    def ungraded(self) -> tuple[GradedRun, ...]:
        """The runs that have ended and have no report."""
        return tuple(run for run in self.runs if run.record.has_ended and run.report is None)


def is_group(folder: Path) -> bool:
    """Whether a folder is a run group of ours; the published benchmark's groups have a metadata.json without a plan."""
    try:
        return "plan" in json.loads((folder / GROUP_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, RecursionError):
        return False


def open_runs(path: Path) -> GradedGroup:
    """The run or run group in a folder."""
    if (path / RUN_FILE).is_file():
        record = RunRecord.load(path)
        group_folder = path.resolve().parent  # of `.` and of a link too
        found = _reports(group_folder) if is_group(group_folder) else []
        return GradedGroup(path, None, (GradedRun(path, record, _report_of(record, path, found)),))
    if not (path / GROUP_FILE).is_file():
        raise MlebenchError(
            f"{path} is neither a run nor a run group: it has no {RUN_FILE} and no {GROUP_FILE}.",
            hint="Give a folder below your runs folder.",
        )
    group = GroupRecord.load(path)
    found = _reports(path)
    runs = []
    for planned in progress.each(group.plan, "read", path.name, unit="runs"):
        folder = path / planned.folder
        if (folder / RUN_FILE).is_file():
            record = RunRecord.load(folder)
        else:
            record = RunRecord(planned.run_id, group.run_group, planned.competition_id, group.agent, planned.seed)
        runs.append(GradedRun(folder, record, _report_of(record, folder, found)))
    return GradedGroup(path, group, tuple(runs))


def require_graded(group: GradedGroup, *, partial: bool | None) -> GradedGroup:
    """The group, or with `partial` what of it has ended; an error if it is still running or was not graded.

    None for `partial` stands for a command that needs whole groups.
    """
    if not group.runs:
        raise MlebenchError(f"{group.folder} has no runs.")
    if group.unfinished and not partial:
        count = f"{len(group.unfinished)} of {len(group.runs)} runs have not ended"
        hint = "Wait until they have." if partial is None else "Wait, or use --partial."
        raise MlebenchError(f"{group.folder} is still running: {count}.", hint=hint)
    ended = tuple(run for run in group.runs if run.record.has_ended)
    if not ended:
        raise MlebenchError(f"No run of {group.folder} has ended yet.")
    if group.ungraded:
        raise MlebenchError(
            f"{len(group.ungraded)} of {len(ended)} runs in {group.folder} have no grading report.",
            hint=f"Run: mlebench grade --run-group {group.folder}",
        )
    return GradedGroup(group.folder, group.record, ended)


def refuse_same_ids(groups: Iterable[GradedGroup]) -> None:
    """Two groups with one id are copies of each other, or one of them was renamed."""
    seen: dict[str, Path] = {}
    for group in groups:
        if group.record is None:  # one run; its id tells whether it is given twice
            continue
        other = seen.get(group.name)
        if other is not None:
            same = f"{other} is given twice." if other == group.folder else ""
            raise MlebenchError(
                same or f"{other} and {group.folder} have the same id {group.name}.", hint="Give each run group once."
            )
        seen[group.name] = group.folder


def unfinished_notes(groups: Iterable[GradedGroup]) -> list[str]:
    """For each group of which a part was taken, how much was left out."""
    cut = [(group, group.left_out, len(group.runs) + group.left_out) for group in groups if group.left_out]
    return [
        f"{left} of {planned} runs in {group.folder} have not ended and do not count." for group, left, planned in cut
    ]


def declaration_of(registry: Registry, competition_id: str, place: Path) -> Competition:
    """The competition of a run or report, which is at `place`; one that is unknown is an error that says so."""
    try:
        return registry.get_competition(competition_id).declaration
    except MlebenchError as error:
        raise MlebenchError(
            f"{place} names the unknown competition {competition_id!r}.",
            hint="Name the folder of your own competitions with --competitions-dir.",
        ) from error


def _reports(folder: Path) -> list[SavedReport]:
    newest = newest_grading_report(folder)
    if newest is None:
        return []
    snapshots = read_snapshots(folder / SNAPSHOTS_REPORT)
    return [replace(each, snapshots=snapshots.get(each.run_id or "", ())) for each in read_reports(newest)]


def _report_of(record: RunRecord, folder: Path, found: list[SavedReport]) -> SavedReport | None:
    """The report of a run: by its id, by its folder's name in the path of the submission, or the one in its folder."""
    name = folder.resolve().name
    for each in found:
        if each.run_id == record.run_id or (each.run_id is None and name in _SLASH.split(each.report.submission_path)):
            return each
    own = folder / RUN_REPORT
    return next(iter(read_reports(own)), None) if own.is_file() else None
