"""Replaying a run: does its code, with its seed, make its submission again?

The declared command runs in a fresh sandbox that holds the run's code/ and the public data, and nothing else: no
network, no earlier submission, and no file of the code that holds a copy of it.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from mlebench.agents import Agent
from mlebench.base import progress
from mlebench.base.versions import versions
from mlebench.competition.local import LocalCompetition
from mlebench.data.required import require_data
from mlebench.errors import MlebenchError
from mlebench.files.hashing import sha256_of
from mlebench.files.hostile import discard
from mlebench.files.regular import is_folder
from mlebench.files.writing import now
from mlebench.grade.grading import grade_csv
from mlebench.renaming.mapping import Renaming
from mlebench.results.groups import open_group
from mlebench.results.names import CODE_FOLDER, GROUP_FILE, REPLAY_LOG
from mlebench.results.records import GroupRecord
from mlebench.results.replays import TOLERANCE, Outcome, ReplayRecord
from mlebench.results.result_line import Result, result_of_run
from mlebench.results.runs import Run
from mlebench.runs.collect import collect
from mlebench.runs.hardware import hardware
from mlebench.runs.recipe import build_recipe
from mlebench.runs.settings import RunSettings
from mlebench.runs.trust import NO_CONDITIONS_NAMED, NamedConditions, replay_settings
from mlebench.sandbox import Ending, Network, supervise
from mlebench.score.budget import CodeBudget, OverBudgetError
from mlebench.score.copies import Search, copy_code, remove_copies, same_content


def replay(folder: Path, *, named: NamedConditions = NO_CONDITIONS_NAMED) -> ReplayRecord:
    """Replay the run in a folder and write its replay.json; `named` are the folders that the user has named."""
    folder = folder.resolve()  # `.` and links have their group elsewhere
    with progress.task(folder.name), progress.stage("replay"):
        return _replayed(folder, named)


def _replayed(folder: Path, named: NamedConditions) -> ReplayRecord:
    (run,) = open_group(folder).runs
    result, settings = _require(run, named)
    assert result.replay.command is not None
    competition = settings.registry.get_competition(run.record.competition_id)
    require_data(competition)
    original = run.submission
    with tempfile.TemporaryDirectory(prefix="mlebench-replay-") as scratch:
        made, ending, search = _run_again(run, result, settings, Path(scratch))
        outcome, reason, scores = _compared(original, made, competition, ending, run.renaming)
        record = ReplayRecord(
            outcome=outcome,
            reason="; ".join(phrase for phrase in (reason, str(search)) if phrase),
            command=result.replay.command,
            seed=run.record.seed,
            created_at=now().isoformat(timespec="seconds"),
            original_sha256=sha256_of(original),
            sha256=sha256_of(made) if made else None,
            original_score=scores[0],
            score=scores[1],
            exit_code=ending.exit_code,
            seconds=ending.usage.seconds,
            sandbox=settings.sandbox,
            hardware=hardware(),
            versions=versions(),
        )
    record.save(run.folder)
    return record


def _require(run: Run, named: NamedConditions) -> tuple[Result, RunSettings]:
    """What a replay needs, or an error that says what is missing."""
    folder = run.folder
    if not run.record.has_ended:
        raise MlebenchError(f"The run in {folder} has not ended, so it cannot be replayed yet.")
    if not run.has_submission:
        raise MlebenchError(f"{folder} has no submission, so there is nothing to compare a replay with.")
    parsed = result_of_run(folder)
    if parsed.result is None:
        raise MlebenchError(f"The run in {folder} does not say how to replay it: {parsed.problem}.")
    if parsed.result.replay.command is None:
        raise MlebenchError(f"The run in {folder} does not say how to replay it: replay.command is missing.")
    if not (folder.parent / GROUP_FILE).is_file():
        raise MlebenchError(f"{folder} is not in its run group, whose {GROUP_FILE} tells the conditions.")
    settings = replay_settings(folder.parent, GroupRecord.load(folder.parent), named)
    if not settings.make_sandbox().availability().works:
        raise MlebenchError(f"The sandbox {settings.sandbox} of this run does not work on this machine.")
    return parsed.result, settings


def _run_again(
    run: Run,
    result: Result,
    settings: RunSettings,
    scratch: Path,
) -> tuple[Path | None, Ending, Search]:
    """(the new submission, how the command ended, what the search for copies of the submission did)."""
    folder, record = run.folder, run.record
    assert result.replay.command is not None
    recipe = build_recipe(
        settings,
        record,
        folder=scratch,
        log=scratch / REPLAY_LOG,
        runs_dir=folder.parent.parent,
        agent=Agent(id="replay", start=None, shell=result.replay.command),
        network=Network(),
        recorded_image=record.image,
    )
    if recipe.renaming is not None and recipe.renaming.sha256 != record.renaming:
        raise MlebenchError(
            f"The run in {folder} saw other names of files and columns than the data here would get.",
            hint="Replay it on the data that it was made with.",
        )
    home = recipe.make_home()
    code = recipe.home / CODE_FOLDER
    search = _lay_out(run, code)
    command = ("bash", "-c", 'cd "$CODE_DIR" && eval "$1"', "replay", result.replay.command)
    running = recipe.sandbox.start(recipe.job(home, command=command))
    try:
        ending = supervise(running, recipe.limits, grace=settings.grace)
    finally:
        running.close()
    shutil.copyfile(recipe.log, folder / REPLAY_LOG)
    made = collect(recipe.home, scratch / "collected").submission
    discard(recipe.home)
    return made, ending, search


def _lay_out(run: Run, code: Path) -> Search:
    """Copy the code of a run, without copies of its submission, within one budget."""
    budget = CodeBudget()
    try:
        if is_folder(run.code):  # an agent may have left none
            copy_code(run.code, code, budget)
    except OverBudgetError as error:
        raise MlebenchError(f"The code of the run in {run.folder} is not replayed: {error}.") from error
    return remove_copies(code, run.submission, budget)


def _compared(
    original: Path,
    made: Path | None,
    competition: LocalCompetition,
    ending: Ending,
    renaming: Renaming | None = None,
) -> tuple[Outcome, str, tuple[float | None, float | None]]:
    if made is None:
        how = f"exit code {ending.exit_code}" if ending.reason == "exit" else f"it exceeded its {ending.reason} budget"
        return "failed", f"it left no submission ({how})", (None, None)
    if same_content(original, made):
        return "identical", "", (None, None)
    first, second = (grade_csv(path, competition, renaming=renaming) for path in (original, made))
    if first.raw_score is None or second.raw_score is None:
        return "different", "one of the submissions is not valid", (first.raw_score, second.raw_score)
    is_same = first.raw_score == second.raw_score or abs(first.raw_score - second.raw_score) <= TOLERANCE
    scores = f"{first.raw_score:.10g} and {second.raw_score:.10g}"
    return ("same score" if is_same else "different"), scores, (first.raw_score, second.raw_score)
