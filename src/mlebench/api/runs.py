"""Competitions, their data, and runs on them: what makes something, as functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.base.wording import agreeing, part_of
from mlebench.errors import system_errors_in_words

if TYPE_CHECKING:
    from mlebench.api.arguments import Competitions, PathLike, Source
    from mlebench.api.progress import Progress
    from mlebench.api.values import CompetitionList, Preparation
    from mlebench.competition.local import LocalCompetition
    from mlebench.results.groups import RunGroup


@system_errors_in_words()
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


@system_errors_in_words()
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


@system_errors_in_words()
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
    from mlebench.data.prepare import PrepareOptions
    from mlebench.data.prepare_many import prepare_many
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
        are = agreeing(len(failed), "is", "are")
        raise PreparationError(f"{part_of(len(failed), len(outcomes), 'competition')} {are} not prepared. {problems}")
    return Preparation(tuple(chosen), tuple(outcomes))


@system_errors_in_words()
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
    slurm_option: Mapping[str, str] | Sequence[str] = (),
    address: str | None = None,
    service: Sequence[str] = (),
    network: str = "none",
    model_endpoint: str | Sequence[str] = (),
    model: str | Sequence[str] = (),
    model_prices: PathLike | None = None,
    max_tokens: int | None = None,
    max_usd: float | None = None,
    max_requests: int | None = None,
    allow_provider_tools: bool = False,
    record_prompts: bool = False,
    time_limit: float | str = "24h",
    memory_limit: float | str = "440G",
    disk_limit: float | str | None = None,
    output_limit: float | str = "1G",
    cpus: float | None = None,
    gpus: int = 0,
    step_limit: int | None = None,
    variant: str = "published",
    obfuscate: bool = False,
    instructions: PathLike | None = None,
    material: PathLike | None = None,
    rename: bool = False,
    rename_seed: int = 0,
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
    from mlebench.runs.options import RunOptions
    from mlebench.runs.planning import plan_group, prepare_missing

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
        slurm_option=slurm_option,
        address=address,
        service=service,
        network=network,
        model_endpoint=(model_endpoint,) if isinstance(model_endpoint, str) else tuple(model_endpoint),
        model=(model,) if isinstance(model, str) else tuple(model),
        model_prices=None if model_prices is None else Path(model_prices),
        max_tokens=max_tokens,
        max_usd=max_usd,
        max_requests=max_requests,
        allow_provider_tools=allow_provider_tools,
        record_prompts=record_prompts,
        time_limit=time_limit,
        memory_limit=memory_limit,
        disk_limit=disk_limit,
        output_limit=output_limit,
        cpus=cpus,
        gpus=gpus,
        step_limit=step_limit,
        variant=variant,
        obfuscate=obfuscate,
        instructions=None if instructions is None else Path(instructions),
        material=None if material is None else str(material),
        rename=rename,
        rename_seed=rename_seed,
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
    with reporting(progress):
        plan.build_environment()
    group = plan.create(get_runs_dir() if runs_dir is None else Path(runs_dir))
    return resume(group, workers=workers, progress=progress)


@system_errors_in_words()
def resume(
    group: Source, *, workers: int | None = None, runs_dir: PathLike | None = None, progress: Progress = None
) -> RunGroup:
    """Go on with a run group as it was planned, as `mlebench run --resume` does; nothing that has ended is repeated.

    Without `workers` a group that a cluster executes keeps those that it has, and one on this machine has one.
    """
    from mlebench.api.arguments import group_folder
    from mlebench.api.progress import reporting, state_listener
    from mlebench.api.results import open_group
    from mlebench.errors import StoppedByUser
    from mlebench.runs.group import PlannedGroup, load_group
    from mlebench.runs.running import run_group, workers_before

    # One that was planned by this very process is the user's own, also without a state folder.
    opened = group if isinstance(group, PlannedGroup) else load_group(group_folder(group, runs_dir))
    with reporting(progress):
        complete = run_group(opened, workers=workers or workers_before(opened), on_state=state_listener())
    if not complete:
        raise StoppedByUser(f"Interrupted. To go on: mlebench run --resume {opened.folder}")
    return open_group(opened.folder)
