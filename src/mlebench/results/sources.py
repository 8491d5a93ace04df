"""What analyses are made of: reports from files, from folders, from run groups or from an experiment's list."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.agents.disclosure import checked, read_disclosure
from mlebench.base.wording import agreeing
from mlebench.competition.declaration import Competition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_regular, open_regular
from mlebench.results.checks import CHECKS, CheckResult, counts_of
from mlebench.results.groups import (
    CountedRuns,
    RunGroup,
    is_group,
    is_run,
    open_group,
    refuse_same_ids,
    require_counted,
)
from mlebench.results.names import GRADING_REPORTS, GROUP_FILE
from mlebench.results.reports import SavedReport, newest_grading_report, read_reports
from mlebench.results.runs import Run


@dataclass(frozen=True)
class Reports:
    """The reports of one agent, in order, and the runs that they are of, where they come from run groups."""

    name: str
    reports: tuple[SavedReport, ...]
    counted: tuple[CountedRuns, ...] = ()

    @property
    def groups(self) -> tuple[RunGroup, ...]:
        """The run groups that they come from."""
        return tuple(counted.group for counted in self.counted)

    @property
    def runs(self) -> tuple[Run, ...]:
        """The runs of these groups that count."""
        return tuple(run for counted in self.counted for run in counted.runs)

    @property
    def checks(self) -> dict[str, dict[str, int]]:
        """For every check, how many of the runs passed it, failed it or never had it; reports alone never had any."""
        alone = [dict.fromkeys(CHECKS, CheckResult.NEVER)] * (len(self.reports) - len(self.runs))
        return counts_of([*(run.checks for run in self.runs), *alone])

    @property
    def notes(self) -> list[str]:
        """How many runs of these groups do not count, and why."""
        return [note for counted in self.counted for note in counted.notes]


def read_source(path: Path, *, partial: bool | None = False) -> Reports:
    """The reports of a file, of a run group or run, of the groups in a folder, or of all files below it, by path."""
    if path.is_file():
        return Reports(path.stem, tuple(read_reports(path, follow=True)))
    if not path.is_dir():
        raise MlebenchError(f"There is no file or folder {path}.", hint="Give grading reports or run groups.")
    if is_run(path) or is_group(path):
        return reports_of(require_counted(open_group(path), partial=partial))
    name = path.resolve().name  # of `.` too
    if is_regular(path / GROUP_FILE) and (newest := newest_grading_report(path)):  # whatever else is in it
        return Reports(name, tuple(read_reports(newest)))
    groups = sorted(folder for folder in path.iterdir() if is_group(folder))
    if groups:
        return replace(read_sources(groups, partial=partial), name=name)
    below = [file for file in sorted(path.rglob(GRADING_REPORTS)) if not _is_outdated(file)]
    if not below:
        raise MlebenchError(f"There is no grading report below {path}.", hint="Give grading reports or run groups.")
    return Reports(name, tuple(report for file in below for report in read_reports(file)))


def reports_of(counted: CountedRuns) -> Reports:
    """The reports of the runs of a group that count."""
    group = counted.group
    reports = tuple(run.report for run in counted.runs if run.report)
    if group.is_published:  # in the order of the file, as the published scripts pair them, whatever the record lists
        reports = group.reports.all or reports
    return Reports(group.agent, reports, (counted,))


def _is_outdated(report: Path) -> bool:
    """Whether the run group that a report is of was graded again since."""
    return is_regular(report.parent / GROUP_FILE) and report != newest_grading_report(report.parent)


def read_sources(paths: Sequence[Path], *, partial: bool | None = False) -> Reports:
    """The reports of several sources as those of one agent, in the order of their paths."""
    read = [read_source(path, partial=partial) for path in sorted(paths)]
    refuse_repeats(read)
    counted = tuple(counted for source in read for counted in source.counted)
    reports = tuple(report for source in read for report in source.reports)
    names = list(dict.fromkeys(source.name for source in read))
    return Reports(names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more", reports, counted)


def experiment_groups(experiment_id: str, experiments: Path, runs_dir: Path) -> list[Path]:
    """The folders of the run groups that a CSV file with the columns experiment_id,run_group lists."""
    try:
        with (
            open_regular(experiments, follow=True) as binary,
            io.TextIOWrapper(binary, newline="", encoding="utf-8-sig") as file,
        ):
            lines = csv.DictReader(file, skipinitialspace=True)
            rows = [(row["experiment_id"] or "", row["run_group"] or "") for row in lines]
    except OSError as error:
        raise MlebenchError(
            f"{experiments} cannot be read ({error.strerror}).", hint="Name it: --experiments"
        ) from error
    except (KeyError, csv.Error, UnicodeDecodeError) as error:
        raise MlebenchError(f"{experiments} is not a CSV file with the columns experiment_id,run_group.") from error
    found = [runs_dir / group for experiment, group in rows if experiment == experiment_id and group]
    if not found:
        known = ", ".join(dict.fromkeys(experiment for experiment, _ in rows)) or "none"
        raise MlebenchError(f"{experiments} has no experiment {experiment_id!r}.", hint=f"It has: {known}.")
    return found


def has_groups(path: Path) -> bool:
    """Whether a path is a run group, or a folder of some."""
    return path.is_dir() and (is_group(path) or any(is_group(folder) for folder in path.iterdir()))


def groups_of(path: Path) -> list[RunGroup]:
    """The run group in a folder, or those in the folders below it, graded or not."""
    if is_group(path):
        return [open_group(path)]
    below = sorted(folder for folder in path.iterdir() if is_group(folder))
    if not has_groups(path):
        raise MlebenchError(f"{path} is not a run group.", hint="Give a folder below your runs folder.")
    return [open_group(folder) for folder in below]


def disclosed_by(group: RunGroup) -> dict[str, Any]:
    """What a run group discloses about its agent: what `mlebench run` recorded, and files in its folder."""
    recorded = group.record.settings.get("disclosure") if group.record else None
    return {**checked(recorded or {}, f"the record of {group.folder}"), **read_disclosure(group.folder)}


def declarations(source: Reports, registry: Registry) -> dict[str, Competition]:
    """The competitions that the reports are of, by their ids; an unknown one is an error that names its file."""
    files = {report.competition_id: report.path for report in source.reports}
    return {competition_id: declaration_of(registry, competition_id, path) for competition_id, path in files.items()}


def declaration_of(registry: Registry, competition_id: str, place: Path) -> Competition:
    """The competition of a run or report, which is at `place`; one that is unknown is an error that says so."""
    try:
        return registry.get_competition(competition_id).declaration
    except MlebenchError as error:
        raise MlebenchError(
            f"{place} names the unknown competition {competition_id!r}.",
            hint="Name the folder of your own competitions with --competitions-dir.",
        ) from error


def refuse_repeats(read: Sequence[Reports]) -> None:
    """One run must not count twice: neither by its group, nor by its id, nor because its file is given twice."""
    refuse_same_ids(group for source in read for group in source.groups)
    counts = Counter(report.run_id for source in read for report in source.reports if report.run_id)
    repeated = [run_id for run_id, count in counts.items() if count > 1]
    if repeated:
        raise MlebenchError(f"The run {repeated[0]} is reported twice.", hint="Give each grading report once.")
    files = Counter(path for source in read for path in {report.path.resolve() for report in source.reports})
    twice = [path for path, count in files.items() if count > 1]
    if twice:
        raise MlebenchError(f"{twice[0]} is given twice.")


def refuse_mixtures(reports: Iterable[SavedReport]) -> None:
    """Twins mean nothing on average; editions and leaderboards are different scales."""
    reports = list(reports)
    twins = {report.competition_id: report.report.data for report in reports if report.is_twin}
    if twins:
        first, data = next(iter(twins.items()))
        raise MlebenchError(
            f"{len(twins)} of the competitions {agreeing(len(twins), 'was', 'were')} graded on twins, as {first} on "
            f"{data}; {agreeing(len(twins), 'its', 'their')} numbers mean nothing.",
            hint="`mlebench score --synthetic` scores them against the sample.",
        )
    editions = sorted({report.report.edition for report in reports})
    if len(editions) > 1:
        raise MlebenchError(f"The reports are of the editions {' and '.join(editions)}, which must not be averaged.")
    boards: dict[str, tuple[float | None, ...]] = {}
    for report in reports:
        if not report.report.valid_submission and set(report.thresholds) == {None}:
            continue  # others do not tell them where nothing valid was handed in, which earns a medal nowhere
        if boards.setdefault(report.competition_id, report.thresholds) != report.thresholds:
            raise MlebenchError(
                f"The reports of {report.competition_id} were made with different leaderboards.",
                hint="Grade the submissions again with one of them.",
            )
