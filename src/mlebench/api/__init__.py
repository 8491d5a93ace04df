"""The commands as functions: what a notebook or a program imports to prepare, run, grade, score, compare and report.

    from mlebench import api

    group = api.run("practice", agent="baseline", prepare=True)
    api.grade(group)
    api.report(group, open=True)

Each function is the command of that name, with keyword arguments named as its options. Competitions are given as ids,
splits, files of ids or competitions; run groups as what `run` and `open_group` return, as paths, as names in the runs
folder, or as "latest". What goes wrong is a `mlebench.errors.MlebenchError`. Results are typed, have `to_dict()`, and
show themselves as tables, in a terminal and in a notebook.

`progress` is a function that is given every `mlebench.base.progress.Step`, True to print a line for each task that has
ended, or False to be silent; by default lines are printed on a terminal and in a notebook.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    from mlebench.analysis.aggregate import Aggregation
    from mlebench.api.arguments import Competitions, PathLike, Source
    from mlebench.api.progress import Progress
    from mlebench.api.values import Comparisons, CompetitionList, Grading, Page, Preparation
    from mlebench.competition.local import LocalCompetition
    from mlebench.grade.report import CompetitionReport
    from mlebench.results.groups import RunGroup
    from mlebench.score.group import GroupScore

__all__ = [
    "aggregate",
    "compare",
    "competitions",
    "grade",
    "open_group",
    "prepare",
    "report",
    "resume",
    "run",
    "score",
    "twin",
    "validate",
]


def competitions(
    split: str | None = None,
    *,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    edition: str | None = None,
) -> CompetitionList:
    """The competitions of a split, or all, as `mlebench list` shows them."""
    from mlebench.api.arguments import chosen_competitions, made_registry
    from mlebench.api.values import CompetitionList

    registry = made_registry(data_dir, competitions_dir, edition)
    chosen = registry.all_competitions() if split is None else chosen_competitions(split, registry)
    return CompetitionList(tuple(chosen))


def twin(
    competition: str | LocalCompetition,
    folder: PathLike,
    *,
    seed: int = 0,
    scale: int = 1,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    progress: Progress = None,
) -> Path:
    """Write a synthetic raw archive of a competition to a folder and return its path; `prepare(source=folder)` uses it.

    A twin takes the place of a twin in that folder, never of anything else.
    """
    from mlebench.api.arguments import chosen_competitions, made_registry
    from mlebench.api.progress import reporting
    from mlebench.errors import MlebenchError
    from mlebench.twins import write_twin
    from mlebench.twins.placing import refuse_to_overwrite

    if scale < 1 or seed < 0:
        raise MlebenchError("scale must be at least 1, and seed at least 0.")
    chosen = chosen_competitions(competition, made_registry(None, competitions_dir, None, competition))[0]
    refuse_to_overwrite(Path(folder) / f"{chosen.id}.zip")
    with reporting(progress):
        return write_twin(chosen, Path(folder), seed=seed, scale=scale)


def prepare(
    competitions: Competitions,
    *,
    source: PathLike | None = None,
    keep_raw: bool = False,
    skip_verification: bool = False,
    workers: int = 1,
    force: bool = False,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    edition: str | None = None,
    progress: Progress = None,
) -> Preparation:
    """Download, check and prepare data, as `mlebench prepare` does; what is prepared already is left as it is.

    `source` is a mirror: a folder or an address with archives ID.zip. With more than one worker a script must call this
    below `if __name__ == "__main__":`. One competition that fails does not stop the others; the error names all.
    """
    from mlebench.api.arguments import chosen_competitions, made_registry
    from mlebench.api.progress import reporting
    from mlebench.api.values import Preparation
    from mlebench.data.batch import prepare_many
    from mlebench.data.prepare import PrepareOptions
    from mlebench.errors import PreparationError

    registry = made_registry(data_dir, competitions_dir, edition, competitions)
    chosen = chosen_competitions(competitions, registry)
    options = PrepareOptions(
        mirror=None if source is None else str(source), keep_raw=keep_raw, check=not skip_verification, force=force
    )
    with reporting(progress):
        outcomes = prepare_many(registry, [competition.id for competition in chosen], options, workers=workers)
    failed = [outcome for outcome in outcomes if outcome.problem]
    if len(outcomes) == 1 and failed:
        raise PreparationError(str(failed[0].problem))
    if failed:
        problems = " ".join(f"{outcome.competition_id}: {outcome.problem}" for outcome in failed)
        raise PreparationError(f"{len(failed)} of {len(outcomes)} competitions are not prepared. {problems}")
    return Preparation(tuple(chosen), tuple(outcomes))


def run(
    competitions: Competitions | None = None,
    *,
    agent: str,
    agents_dir: PathLike | Sequence[PathLike] = (),
    command: str | None = None,
    code: PathLike | None = None,
    seeds: int | Sequence[int] = 1,
    seed: int | None = None,
    workers: int = 1,
    sandbox: str = "auto",
    executor: str = "local",
    service: Sequence[str] = (),
    network: str = "none",
    time_limit: float | str = "24h",
    memory_limit: float | str = "440G",
    disk_limit: float | str | None = None,
    output_limit: float | str = "1G",
    cpus: float | None = None,
    gpus: int = 0,
    step_limit: int | None = None,
    variant: str = "published",
    obfuscate: bool = False,
    snapshot_every: float | str | None = None,
    retries: int = 0,
    config: PathLike | None = None,
    container_config: PathLike | None = None,
    allow_privileged: bool = False,
    retain: bool = False,
    disclose: Mapping[str, Any] | Sequence[str] = (),
    disclosure: PathLike | None = None,
    prepare: bool = False,
    runs_dir: PathLike | None = None,
    data_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    edition: str | None = None,
    progress: Progress = None,
) -> RunGroup:
    """Run an agent on competitions, as `mlebench run` does, and return the run group when all runs have ended.

    The same is checked before anything runs: the agent and its secrets, what it needs and is granted, the sandbox, the
    data. `seeds` is how many, from 0, or the seeds themselves; `seed` is one. Amounts are numbers (seconds, bytes) or
    texts such as "24h" and "16G". A run that fails is recorded and raises nothing. Ctrl-C lets what runs finish, and a
    second one stops it; then `mlebench.errors.StoppedByUser`, a KeyboardInterrupt, names the group to `resume`.
    """
    from mlebench.api.arguments import chosen_competitions, made_registry, paths
    from mlebench.api.progress import reporting
    from mlebench.files.run_folders import get_runs_dir
    from mlebench.runs.planning import RunOptions, plan_group, prepare_missing

    registry = made_registry(data_dir, competitions_dir, edition, competitions)
    options = RunOptions(
        agent=agent,
        agents_dir=paths(agents_dir),
        command=command,
        code=None if code is None else Path(code),
        seeds=seeds,
        seed=seed,
        workers=workers,
        sandbox=sandbox,
        executor=executor,
        service=service,
        network=network,
        time_limit=time_limit,
        memory_limit=memory_limit,
        disk_limit=disk_limit,
        output_limit=output_limit,
        cpus=cpus,
        gpus=gpus,
        step_limit=step_limit,
        variant=variant,
        obfuscate=obfuscate,
        snapshot_every=snapshot_every,
        retries=retries,
        config=None if config is None else Path(config),
        container_config=None if container_config is None else Path(container_config),
        allow_privileged=allow_privileged,
        retain=retain,
        disclose=disclose,
        disclosure=None if disclosure is None else Path(disclosure),
    )
    chosen = None if competitions is None else chosen_competitions(competitions, registry)
    plan = plan_group(options, registry, chosen)
    if prepare:
        with reporting(progress):
            prepare_missing(plan)
    group = plan.create(get_runs_dir() if runs_dir is None else Path(runs_dir))
    return resume(group, workers=workers, progress=progress)


def resume(group: Source, *, workers: int = 1, runs_dir: PathLike | None = None, progress: Progress = None) -> RunGroup:
    """Go on with a run group as it was planned, as `mlebench run --resume` does; nothing that has ended is repeated."""
    from mlebench.api.arguments import group_folder
    from mlebench.api.progress import reporting, state_listener
    from mlebench.errors import StoppedByUser
    from mlebench.runs.group import load_group
    from mlebench.runs.running import run_group

    opened = load_group(group_folder(group, runs_dir))
    with reporting(progress):
        complete = run_group(opened, workers=workers, on_state=state_listener())
    if not complete:
        raise StoppedByUser(f"Interrupted. To go on: mlebench run --resume {opened.folder}")
    return open_group(opened.folder)


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
        return Grading(grade_group(group, registry=registry, workers=workers))


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


def compare(
    *sources: Source,
    partial: bool = False,
    runs_dir: PathLike | None = None,
    competitions_dir: PathLike | Sequence[PathLike] = (),
    progress: Progress = None,
) -> Comparisons:
    """Which agent is better, and how sure one can be: every two of several sources, one per agent."""
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
        return Comparisons(tuple(compared(read, made_registry(None, competitions_dir))))


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
