"""Run groups and what is made of them: reports, scores, comparisons and pages, as functions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

from mlebench.errors import system_errors_in_words

if TYPE_CHECKING:
    from mlebench.analysis.aggregate import Aggregation
    from mlebench.api.arguments import PathLike, Source
    from mlebench.api.progress import Progress
    from mlebench.api.values import Comparisons, Grading, Page
    from mlebench.competition.local import LocalCompetition
    from mlebench.grade.report import CompetitionReport
    from mlebench.results.groups import RunGroup
    from mlebench.score.group import GroupScore


@system_errors_in_words()
def open_group(group: Source = "latest", *, runs_dir: PathLike | None = None) -> RunGroup:
    """A run group, or one run, with records and reports: by its path, by its name in the runs folder, or the latest."""
    from mlebench.api.arguments import group_folder
    from mlebench.results import groups

    return groups.open_group(group_folder(group, runs_dir))


@overload
def grade(
    submission: Source,
    competition: None = None,
    *,
    output_dir: PathLike | None = None,
    workers: int | None = None,
    runs_dir: PathLike | None = None,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    edition: str | None = None,
    progress: Progress = None,
) -> Grading: ...


@overload
def grade(
    submission: PathLike,
    competition: str | LocalCompetition,
    *,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    edition: str | None = None,
    progress: Progress = None,
) -> CompetitionReport: ...


@system_errors_in_words()
def grade(
    submission: Source,
    competition: str | LocalCompetition | None = None,
    *,
    output_dir: PathLike | None = None,
    workers: int | None = None,
    runs_dir: PathLike | None = None,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    edition: str | None = None,
    progress: Progress = None,
) -> Grading | CompetitionReport:
    """Grade one submission for a competition, a run group, or what a JSONL file lists.

    With a competition the result is the report of that file, which says why a submission was refused. A run group is
    graded into its own folder, a JSONL file into `output_dir`. Work is done in this process unless `workers` says how
    many to start; then a script must call this below `if __name__ == "__main__":`.
    """
    from mlebench.api.arguments import HasFolder, chosen_competitions, made_registry
    from mlebench.api.progress import reporting
    from mlebench.api.values import Grading
    from mlebench.errors import MlebenchError
    from mlebench.grade.batch import grade_jsonl
    from mlebench.grade.grading import grade_csv
    from mlebench.results.trust import Named
    from mlebench.runs.grading import grade_group

    registry = made_registry(data_dir, competitions_dir, edition, competition)
    with reporting(progress):
        if competition is not None:
            if isinstance(submission, HasFolder):
                raise MlebenchError("A run group is graded as a whole.", hint="Leave the competition out.")
            own = None if isinstance(competition, str) else competition
            return grade_csv(Path(submission), own or chosen_competitions(competition, registry)[0])
        if output_dir is not None and not isinstance(submission, HasFolder):
            return Grading(grade_jsonl(Path(submission), Path(output_dir), registry, workers=workers))
        if not isinstance(submission, HasFolder) and Path(submission).is_file():
            raise MlebenchError(
                f"{submission} is a file.",
                hint="Name the competition that it is for or, for a JSONL list, the output_dir of the report.",
            )
        group = open_group(submission, runs_dir=runs_dir)
        # What is not named here is decided by the group, if it is the user's own.
        named = Named(
            None if data_dir is None else registry.data_dir,
            registry.competitions_dirs,
            edition=None if edition is None else registry.edition,
        )
        return Grading(grade_group(group, named=named, workers=workers))


@system_errors_in_words()
def validate(
    submission: PathLike,
    competition: str | LocalCompetition,
    *,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    edition: str | None = None,
) -> tuple[bool, str]:
    """Whether a submission keeps the rules of its competition, and what is wrong with it; it reveals no score."""
    from mlebench.api.arguments import chosen_competitions, made_registry
    from mlebench.grade.grading import validate_submission

    own = None if isinstance(competition, str) else competition
    registry = made_registry(data_dir, competitions_dir, edition, competition)
    return validate_submission(Path(submission), own or chosen_competitions(competition, registry)[0])


@system_errors_in_words()
def score(
    group: Source,
    *,
    config: PathLike | None = None,
    strict: bool = False,
    synthetic: bool = False,
    partial: bool = False,
    runs_dir: PathLike | None = None,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    progress: Progress = None,
) -> GroupScore:
    """The Lite score of a graded run or run group, with the reasons of every component, as of `mlebench score`."""
    from mlebench.api.arguments import made_registry
    from mlebench.api.progress import reporting
    from mlebench.results.groups import require_counted
    from mlebench.score.config import load_config
    from mlebench.score.group import score_group

    registry = made_registry(data_dir, competitions_dir)
    loaded = None if config is None else load_config(Path(config))
    with reporting(progress):
        counted = require_counted(open_group(group, runs_dir=runs_dir), partial=partial)
        return score_group(counted, registry, loaded, strict=strict, synthetic=synthetic)


@system_errors_in_words()
def aggregate(
    *sources: Source,
    split: str | Sequence[str] = (),
    competition_id: str | Sequence[str] = (),
    num_seeds: int | None = None,
    pad_missing: bool = False,
    partial: bool = False,
    experiment_id: str | None = None,
    experiments: PathLike | None = None,
    runs_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    progress: Progress = None,
) -> Aggregation:
    """The benchmark's headline of one agent: medals as mean and standard error over seeds, as `mlebench aggregate`.

    Sources are grading reports, run groups, or folders with reports.
    """
    from mlebench.analysis.aggregate import aggregate as averaged
    from mlebench.api.arguments import group_folder, made_registry
    from mlebench.api.progress import reporting
    from mlebench.errors import MlebenchError
    from mlebench.files.run_folders import get_runs_dir
    from mlebench.results.names import EXPERIMENTS_FILE
    from mlebench.results.sources import experiment_groups, read_sources

    found = [group_folder(source, runs_dir) for source in sources]
    if experiment_id is not None:
        below = get_runs_dir() if runs_dir is None else Path(runs_dir)
        found += experiment_groups(experiment_id, Path(experiments or below / EXPERIMENTS_FILE), below)
    if not found:
        raise MlebenchError("Say which reports: files, run groups or folders, or an experiment_id.")
    with reporting(progress):
        return averaged(
            read_sources(found, partial=partial),
            made_registry(None, competitions_dir),
            splits=(split,) if isinstance(split, str) else tuple(split),
            competition_ids=(competition_id,) if isinstance(competition_id, str) else tuple(competition_id),
            num_seeds=num_seeds,
            pad_missing=pad_missing,
        )


@system_errors_in_words()
def compare(
    *sources: Source,
    split: str | Sequence[str] = (),
    competition_id: str | Sequence[str] = (),
    pad_missing: bool = False,
    partial: bool = False,
    runs_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    progress: Progress = None,
) -> Comparisons:
    """Which agent is better, and how sure one can be: every two of several sources, one per agent.

    `split` and `competition_id` choose the competitions. With `pad_missing` a run that one agent has and the other has
    not counts as a failure of the other.
    """
    from mlebench.analysis.compare import compare as compared
    from mlebench.api.arguments import group_folder, made_registry
    from mlebench.api.progress import reporting
    from mlebench.api.values import Comparisons
    from mlebench.errors import MlebenchError
    from mlebench.results.sources import read_source

    if len(sources) < 2:
        raise MlebenchError("Give two sources or more, one per agent.")
    with reporting(progress):
        read = [read_source(group_folder(source, runs_dir), partial=partial) for source in sources]
        registry = made_registry(None, competitions_dir)
        splits = (split,) if isinstance(split, str) else split
        ids = (competition_id,) if isinstance(competition_id, str) else competition_id
        chosen = [
            *(registry.get_competition(name).id for name in ids),
            *(member for name in splits for member in registry.split(name)),
        ]
        return Comparisons(tuple(compared(read, registry, competition_ids=chosen, pad_missing=pad_missing)))


@system_errors_in_words()
def report(
    *groups: Source,
    output: PathLike | None = None,
    partial: bool = False,
    open: bool = False,
    runs_dir: PathLike | None = None,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    progress: Progress = None,
) -> Page:
    """Write one HTML page about run groups or runs, as `mlebench report` does; several are compared.

    The page is written to `output`, by default report.html in the folder of the group, or for several in the current
    one. With `open` a browser shows it.
    """
    from mlebench.api.arguments import group_folder, made_registry
    from mlebench.api.progress import reporting
    from mlebench.api.values import Page
    from mlebench.errors import MlebenchError
    from mlebench.page.document import write_page
    from mlebench.results.names import PAGE_FILE

    if not groups:
        raise MlebenchError("Say which run groups the page is about.")
    folders = [group_folder(group, runs_dir) for group in groups]
    target = Path(output) if output is not None else (folders[0] if len(folders) == 1 else Path()) / PAGE_FILE
    with reporting(progress):
        page = Page(write_page(target, folders, made_registry(data_dir, competitions_dir), partial=partial))
    if open:
        page.open()
    return page
