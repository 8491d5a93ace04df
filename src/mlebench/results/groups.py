"""Run groups on disk: the plan, every run, and which runs count. No data is needed to read them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from mlebench.base import progress
from mlebench.base.showing import Showable, Table
from mlebench.base.wording import agreeing, counted, part_of, plain
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_regular, open_regular
from mlebench.results.kinds import DataKind
from mlebench.results.matching import GroupReports
from mlebench.results.names import GROUP_FILE, LOCK_FILE, RUN_FILE
from mlebench.results.published_record import is_published_record
from mlebench.results.records import (
    GroupRecord,
    PlannedRun,
    RunRecord,
    Status,
    load_run,
    read_group_file,
)
from mlebench.results.runs import LeftOut, Run
from mlebench.results.trust import is_own

WORDS = {
    LeftOut.NOT_ENDED: ("has not ended and does not count.", "have not ended and do not count."),
    LeftOut.NOT_GRADED: ("has no grading report and does not count.", "have no grading report and do not count."),
    LeftOut.CANCELLED: (
        "was cancelled before it was graded and does not count.",
        "were cancelled before they were graded and do not count.",
    ),
    LeftOut.TWIN: ("is on a twin and does not count.", "are on twins and do not count."),
}


@dataclass(frozen=True)
class ArmOf:
    """The arm of an experiment: `experiment_id` is that of its plan, `varied` are the options that differ."""

    experiment_id: str
    experiment: str
    name: str
    varied: tuple[str, ...]


def arm_of(values: Any) -> ArmOf | None:
    """The arm that the record of a group names; None where it names none in a form that is known."""
    if not isinstance(values, Mapping):
        return None
    texts = [values.get(key) for key in ("id", "name", "arm", "varied")]
    if not all(isinstance(text, str) for text in texts) or not all(texts[:3]):
        return None
    plan, experiment, name, varied = (plain(str(text), 500) for text in texts)
    return ArmOf(plan, experiment, name, tuple(option for option in varied.split(", ") if option))


@dataclass(frozen=True, repr=False)
class RunGroup(Showable):
    """A run group, or one run of it; `record` is None for a run that was opened by its own folder."""

    folder: Path
    record: GroupRecord | None
    runs: tuple[Run, ...]
    reports: GroupReports

    @property
    def name(self) -> str:
        """The id of the group."""
        return self.record.run_group if self.record else self.runs[0].record.run_group

    @property
    def agent(self) -> str:
        """The agent of its runs."""
        return self.record.agent if self.record else self.runs[0].record.agent

    @property
    def arm(self) -> ArmOf | None:
        """The arm of an experiment that it was planned as; None of other groups."""
        return None if self.record is None else arm_of(self.record.settings.get("experiment"))

    @property
    def is_published(self) -> bool:
        """Whether the published run_agent.py made it, which records neither conditions nor seeds."""
        return self.record is not None and self.record.is_published

    def to_dict(self) -> dict[str, Any]:
        """The group as plain values: its runs with their records, and their reports where they were graded."""
        return {
            "run_group": self.name,
            "agent": self.agent,
            "folder": str(self.folder),
            "statuses": self.statuses,
            "submissions": self.submissions,
            "runs": [
                {"record": asdict(run.record), "report": run.report.report.to_dict() if run.report else None}
                for run in self.runs
            ],
        }

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
        heading = f"{self.agent}: {counted(len(rows), 'run')} in {self.folder}"
        return Table(heading, columns, rows, right=("seed", "seconds", "score"))

    @cached_property  # whether it is one's own takes a hash over the whole plan, and every run asks
    def data_dir(self) -> Path | None:
        """Where its data was when it was planned here; None of a group from elsewhere, whose paths are not used."""
        if self.record is None or not is_own(self.record):
            return None
        data_dir = self.record.settings.get("data_dir")
        return Path(data_dir) if data_dir else None

    @property
    def statuses(self) -> dict[Status, int]:
        """How many of its runs stand how."""
        return dict(Counter(run.record.status for run in self.runs))

    @property
    def submissions(self) -> int:
        """How many of its runs left a submission."""
        return sum(run.record.submission is not None for run in self.runs)

    @property
    def kinds(self) -> set[DataKind]:
        """The kinds of data of its runs."""
        return {run.kind for run in self.runs}

    def left_out_as(self, *reasons: LeftOut) -> tuple[Run, ...]:
        """The runs that do not count for one of these reasons."""
        return tuple(run for run in self.runs if run.left_out in reasons)

    @property
    def unfinished(self) -> tuple[Run, ...]:
        """The runs that have not ended."""
        return tuple(run for run in self.runs if not run.record.has_ended)

    @property
    def ungraded(self) -> tuple[Run, ...]:
        """The runs that have ended and have no report."""
        return self.left_out_as(LeftOut.NOT_GRADED, LeftOut.CANCELLED)

    @property
    def plan(self) -> tuple[PlannedRun, ...]:
        """Its runs as they were planned."""
        return self.record.plan if self.record else tuple(run.planned for run in self.runs)

    def counted(self) -> CountedRuns:
        """Its runs that count; there may be none."""
        left_out = {reason: runs for reason in LeftOut if (runs := self.left_out_as(reason))}
        return CountedRuns(self, tuple(run for run in self.runs if run.counts), left_out)


@dataclass(frozen=True)
class CountedRuns:
    """The runs of a group that a number is made of: they have ended and were graded."""

    group: RunGroup
    runs: tuple[Run, ...]
    left_out: Mapping[LeftOut, tuple[Run, ...]]  # the other runs of the group

    def without_twins(self) -> CountedRuns:
        """The same without runs on twins, unless all are on twins: beside other data they mean nothing."""
        twins = tuple(run for run in self.runs if run.kind is DataKind.TWIN)
        if not twins or len(twins) == len(self.runs):
            return self
        others = tuple(run for run in self.runs if run.kind is not DataKind.TWIN)
        return CountedRuns(self.group, others, {**self.left_out, LeftOut.TWIN: twins})

    @property
    def notes(self) -> list[str]:
        """For people: how many runs do not count, and why; nothing where all do."""
        return [
            f"{part_of(len(runs), len(self.group.runs), 'run')} in {self.group.folder} "
            f"{agreeing(len(runs), *WORDS[reason])}"
            for reason, runs in self.left_out.items()
        ]


def is_group(folder: Path) -> bool:
    """Whether a folder is a run group: of ours, or of the published run_agent.py."""
    values = read_group_file(folder)
    return "plan" in values or is_published_record(values)


def is_run(folder: Path) -> bool:
    """Whether a folder is that of a run of ours."""
    return is_regular(folder / RUN_FILE)


def open_group(path: Path, *, grading_report: Path | None = None) -> RunGroup:
    """The run group in a folder, or the run in one; `grading_report` is one to read in place of the newest."""
    if is_run(path):
        return _single_run(path, grading_report)
    if not os.path.lexists(path / GROUP_FILE):
        raise MlebenchError(
            f"{path} is neither a run nor a run group: it has no {RUN_FILE} and no {GROUP_FILE}.",
            hint="Give a folder below your runs folder.",
        )
    record = GroupRecord.load(path)
    reports = GroupReports(path, record.plan, grading_report, by_competition=record.is_published)
    runs = []
    for planned in progress.each(record.plan, "read", path.name, unit="runs"):
        folder = path / planned.folder
        if folder.is_symlink():
            raise MlebenchError(f"{folder} is a symbolic link; a run is in the folder of its group.")
        runs.append(Run(folder, load_run(folder, record, planned), reports))
    return RunGroup(path, record, tuple(runs), reports)


def _single_run(path: Path, grading_report: Path | None) -> RunGroup:
    record = RunRecord.load(path)
    folder = path.resolve().parent  # of `.` and of a link too
    reports = GroupReports(folder if is_group(folder) else None, chosen=grading_report)
    return RunGroup(path, None, (Run(path, record, reports),), reports)


def find_groups(runs_dir: Path, on_problem: Callable[[str], object] = lambda _: None) -> list[RunGroup]:
    """All groups below a folder of runs, the oldest first; one with damaged records is reported and left out."""
    groups = []
    for folder in sorted(path.parent for path in runs_dir.glob(f"*/{GROUP_FILE}")):
        if folder.name.startswith("."):
            continue
        try:
            groups.append(open_group(folder))
        except MlebenchError as error:
            on_problem(str(error))
    return groups


def require_counted(group: RunGroup, *, partial: bool | None) -> CountedRuns:
    """The runs of a group that count; an error if it is still running or was not graded.

    With `partial` the runs that have ended are enough; None for it stands for a command that needs whole groups.
    """
    if not group.runs:
        raise MlebenchError(f"{group.folder} has no runs.")
    require_ended(group, partial=partial)
    counted = group.counted()
    ended = len(group.runs) - len(group.unfinished)
    if not ended:
        raise MlebenchError(f"No run of {group.folder} has ended yet.")
    # Who runs the published benchmark may have graded a part; what is there counts, as it always has.
    if group.ungraded and not (group.is_published and counted.runs):
        raise MlebenchError(
            f"{part_of(len(group.ungraded), ended, 'run')} in {group.folder} "
            f"{agreeing(len(group.ungraded), 'has', 'have')} no grading report.",
            hint=f"Run: mlebench grade --run-group {group.folder}",
        )
    return counted


def require_ended(group: RunGroup, *, partial: bool | None) -> None:
    """An error if runs of the group have not ended, unless what has ended is enough."""
    if not group.unfinished or partial:
        return
    left = len(group.unfinished)
    count = f"{part_of(left, len(group.runs), 'run')} {agreeing(left, 'has', 'have')} not ended"
    if is_being_run(group):
        until = agreeing(left, "Wait until it has.", "Wait until they have.")
        hint = until if partial is None else "Wait, or use --partial."
        raise MlebenchError(f"{group.folder} is still running: {count}.", hint=hint)
    or_else = "" if partial is None else ", or use --partial"
    if group.record is not None and group.record.settings.get("executor", "local") != "local":
        raise MlebenchError(
            f"{group.folder} was not collected: {count}.",
            hint=f"Wait for its jobs and collect them: mlebench run --resume {group.folder}{or_else}",
        )
    raise MlebenchError(
        f"{group.folder} was interrupted: {count}.", hint=f"Go on with: mlebench run --resume {group.folder}{or_else}"
    )


def is_being_run(group: RunGroup) -> bool:
    """Whether a process holds the group to run it; where that cannot be known, whether a record says that it runs."""
    folder = group.folder if group.record is not None else group.folder.resolve().parent
    try:
        import fcntl

        with open_regular(folder / LOCK_FILE) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (ImportError, OSError):  # on Windows, or a group that was copied from elsewhere
        return any(run.record.status == "running" for run in group.runs)
    return False


def refuse_same_ids(groups: Iterable[RunGroup]) -> None:
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
