"""What analyses are made of: reports from files, from folders, from run groups or from an experiment's list."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.agents.disclosure import checked, read_disclosure
from mlebench.competition.declaration import Competition
from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.results.groups import GradedGroup, declaration_of, is_group, open_runs, refuse_same_ids, require_graded
from mlebench.results.records import GROUP_FILE, RUN_FILE
from mlebench.results.reports import GRADING_REPORTS, SavedReport, newest_grading_report, read_reports

EXPERIMENTS_FILE = "run_group_experiments.csv"


@dataclass(frozen=True)
class Reports:
    """The reports of one agent, in order, and the run groups that they come from, where they come from any."""

    name: str
    reports: tuple[SavedReport, ...]
    groups: tuple[GradedGroup, ...] = ()


def read_source(path: Path, *, partial: bool | None = False) -> Reports:
    """The reports of a file, of a run group or run, of the groups in a folder, or of all files below it, by path."""
    if path.is_file():
        return Reports(path.stem, tuple(read_reports(path)))
    if not path.exists():
        raise MlebenchError(f"There is no file or folder {path}.", hint="Give grading reports or run groups.")
    if (path / RUN_FILE).is_file() or is_group(path):
        group = require_graded(open_runs(path), partial=partial)
        return Reports(group.agent, tuple(run.report for run in group.runs if run.report), (group,))
    name = path.resolve().name  # of `.` too
    if (path / GROUP_FILE).is_file() and (newest := newest_grading_report(path)):
        return Reports(name, tuple(read_reports(newest)))
    groups = sorted(folder for folder in path.iterdir() if is_group(folder))
    if groups:
        return replace(read_sources(groups, partial=partial), name=name)
    below = [file for file in sorted(path.rglob(GRADING_REPORTS)) if not _is_outdated(file)]
    if not below:
        raise MlebenchError(f"There is no grading report below {path}.", hint="Give grading reports or run groups.")
    return Reports(name, tuple(each for file in below for each in read_reports(file)))


def _is_outdated(report: Path) -> bool:
    """Whether the run group that a report is of was graded again since."""
    return (report.parent / GROUP_FILE).is_file() and report != newest_grading_report(report.parent)


def read_sources(paths: Sequence[Path], *, partial: bool | None = False) -> Reports:
    """The reports of several sources as those of one agent, in the order of their paths."""
    read = [read_source(path, partial=partial) for path in sorted(paths)]
    refuse_repeats(read)
    groups = tuple(group for each in read for group in each.groups)
    reports = tuple(report for each in read for report in each.reports)
    names = list(dict.fromkeys(each.name for each in read))
    return Reports(names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more", reports, groups)


def experiment_groups(experiment_id: str, experiments: Path, runs_dir: Path) -> list[Path]:
    """The folders of the run groups that a CSV file with the columns experiment_id,run_group lists."""
    try:
        with experiments.open(newline="", encoding="utf-8-sig") as file:
            lines = csv.DictReader(file, skipinitialspace=True)
            rows = [(row["experiment_id"] or "", row["run_group"] or "") for row in lines]
    except OSError as error:
        raise MlebenchError(
            f"{experiments} cannot be read ({error.strerror}).", hint="Name it: --experiments"
        ) from error
    except (KeyError, csv.Error, UnicodeDecodeError) as error:
        raise MlebenchError(f"{experiments} is not a CSV file with the columns experiment_id,run_group.") from error
    found = [runs_dir / group for each, group in rows if each == experiment_id and group]
    if not found:
        known = ", ".join(dict.fromkeys(each for each, _ in rows)) or "none"
        raise MlebenchError(f"{experiments} has no experiment {experiment_id!r}.", hint=f"It has: {known}.")
    return found


def has_groups(path: Path) -> bool:
    """Whether a path is a run group, or a folder of some."""
    return path.is_dir() and (is_group(path) or any(is_group(folder) for folder in path.iterdir()))


def groups_of(path: Path) -> list[GradedGroup]:
    """The run group in a folder, or those in the folders below it, graded or not."""
    if is_group(path):
        return [open_runs(path)]
    below = sorted(folder for folder in path.iterdir() if is_group(folder))
    if not has_groups(path):
        raise MlebenchError(f"{path} is not a run group.", hint="Give a folder below your runs folder.")
    return [open_runs(each) for each in below]


def disclosed_by(group: GradedGroup) -> dict[str, Any]:
    """What a run group discloses about its agent: what `mlebench run` recorded, and files in its folder."""
    recorded = group.record.settings.get("disclosure") if group.record else None
    return {**checked(recorded or {}, f"the record of {group.folder}"), **read_disclosure(group.folder)}


def declarations(source: Reports, registry: Registry) -> dict[str, Competition]:
    """The competitions that the reports are of, by their ids; an unknown one is an error that names its file."""
    places = {each.competition_id: each.path for each in source.reports}
    return {each: declaration_of(registry, each, path) for each, path in places.items()}


def refuse_repeats(read: Sequence[Reports]) -> None:
    """One run must not count twice: neither by its group, nor by its id, nor because its file is given twice."""
    refuse_same_ids(group for each in read for group in each.groups)
    counts = Counter(each.run_id for source in read for each in source.reports if each.run_id)
    repeated = [run_id for run_id, count in counts.items() if count > 1]
    if repeated:
        raise MlebenchError(f"The run {repeated[0]} is reported twice.", hint="Give each grading report once.")
    files = Counter(path for source in read for path in {each.path.resolve() for each in source.reports})
    twice = [path for path, count in files.items() if count > 1]
    if twice:
        raise MlebenchError(f"{twice[0]} is given twice.")


def refuse_mixtures(reports: Iterable[SavedReport]) -> None:
    """Twins mean nothing on average; editions and leaderboards are different scales."""
    reports = list(reports)
    twins = {each.competition_id: each.report.data for each in reports if each.is_twin}
    if twins:
        first, data = next(iter(twins.items()))
        raise MlebenchError(
            f"{len(twins)} of the competitions were graded on twins, as {first} on {data}; their numbers mean nothing.",
            hint="`mlebench score --synthetic` scores them against the sample.",
        )
    editions = sorted({each.report.edition for each in reports})
    if len(editions) > 1:
        raise MlebenchError(f"The reports are of the editions {' and '.join(editions)}, which must not be averaged.")
    boards: dict[str, tuple[float | None, ...]] = {}
    for each in reports:
        if not each.report.valid_submission and set(each.thresholds) == {None}:
            continue  # others do not tell them where nothing valid was handed in, which earns a medal nowhere
        if boards.setdefault(each.competition_id, each.thresholds) != each.thresholds:
            raise MlebenchError(
                f"The reports of {each.competition_id} were made with different leaderboards.",
                hint="Grade the submissions again with one of them.",
            )
