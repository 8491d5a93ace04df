"""Run the baseline agent: read the environment, solve the task, leave three files."""

from __future__ import annotations

import os
import runpy
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if not __package__:
    # Run as a plain script, perhaps from a copy of the folder: run the folder as the package that it is.
    _folder = Path(__file__).resolve().parent
    sys.path[0] = str(_folder.parent)
    runpy.run_module(_folder.name, run_name="__main__", alter_sys=True)
    sys.exit()  # run_module has ended with the exit code already

from .resources import Budget, cores_of, use_one_thread_per_process

if TYPE_CHECKING:
    import pandas as pd

    from .report import Run


class SettingsError(Exception):
    """The environment is not what the agent needs; the message says what to set."""


@dataclass(frozen=True)
class Settings:
    """What the environment says."""

    data: Path
    output: Path
    seed: int
    time_limit: float
    code: Path | None
    competition_id: str


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Read and check the environment variables."""
    places = {}
    for name, purpose in (("DATA_DIR", "with the public data"), ("SUBMISSION_DIR", "to write to")):
        if not environment.get(name):
            raise SettingsError(f"The environment variable {name} is not set; it names the folder {purpose}.")
        places[name] = Path(environment[name])
    data, output = places.values()
    if not data.is_dir():
        raise SettingsError(f"DATA_DIR names {data}, which is not a folder.")
    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"SUBMISSION_DIR names {output}, which cannot be made: {error.strerror}.") from error
    seed, limit = environment.get("SEED") or "0", environment.get("TIME_LIMIT_SECS") or "3600"
    if not seed.isdecimal() or int(seed) >= 2**32:
        raise SettingsError(f"SEED is {seed!r}, but must be a whole number from 0 to {2**32 - 1}.")
    try:
        seconds = float(limit)
    except ValueError:
        seconds = -1.0
    if not seconds > 0:
        raise SettingsError(f"TIME_LIMIT_SECS is {limit!r}, but must be a positive number of seconds.")
    code = environment.get("CODE_DIR")
    competition_id = environment.get("COMPETITION_ID", "")
    return Settings(data, output, int(seed), seconds, Path(code) if code else None, competition_id)


def main() -> int:
    """Run the agent and return the exit code."""
    started = time.monotonic()
    try:
        settings = read_settings(os.environ)
    except SettingsError as error:
        print(error, file=sys.stderr)
        return 2

    cores = cores_of(os.environ)
    use_one_thread_per_process()
    from .report import CODE_FOLDER, Run, result_line, write_metrics, write_report
    from .tables import TaskError

    budget = Budget(started, settings.time_limit, cores)
    run = Run(settings.seed, settings.time_limit, cores)
    try:
        solve_task(settings, run, budget)
    except Exception as error:  # whatever happens, a run leaves an account of it and, if possible, a submission
        run.failure = str(error) if isinstance(error, TaskError) else f"{type(error).__name__}: {error}"
        print(f"The task could not be solved: {run.failure}", file=sys.stderr)
        if run.task is not None:
            hand_in_constants(settings.output / "submission.csv", run)
        if run.stand_in:
            print(f"Fell back: {run.stand_in}.", file=sys.stderr)
    leave_code(settings.code / CODE_FOLDER if settings.code else None)
    run.seconds = time.monotonic() - started
    write_metrics(settings.output / "metrics.json", run)
    write_report(settings.output / "report.md", run)
    print(result_line(run, settings.competition_id, settings.output))
    return 0 if run.stand_in else 1


def leave_code(folder: Path | None) -> None:
    """Leave a copy of this program, as agents are asked to."""
    if folder is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in sorted(Path(__file__).resolve().parent.glob("*.py")):
            shutil.copyfile(path, folder / path.name)
    except OSError as error:
        print(f"The code could not be copied to CODE_DIR: {error.strerror}.", file=sys.stderr)


def solve_task(settings: Settings, run: Run, budget: Budget) -> None:
    """Go from the folder to the submission, noting each step in the run."""
    from .pixels import find_pairs, solve_pixels
    from .rewriting import find_rewriting, solve_rewriting
    from .tables import read_table, sample_file
    from .task import read_given, read_task

    submission = settings.output / "submission.csv"
    sample = settings.data / sample_file(settings.data)
    # In place from the beginning, so that a run that fails or is cut short still has something to hand in.
    if sample.suffix == ".csv":
        shutil.copyfile(sample, submission)
    else:
        read_table(sample, dtype=str, keep_default_na=False).to_csv(submission, index=False)
    run.stand_in = "the submission is a copy of the sample submission"
    given = read_given(settings.data, settings.seed, budget)
    run.metric = given.metric
    run.rows_test = len(given.sample)
    if (rewriting := find_rewriting(given)) is not None:
        print("Read the task: texts to rewrite one by one.", flush=True)
        run.outcome = solve_rewriting(given, rewriting, submission)
    elif (pairs := find_pairs(given)) is not None:
        print(f"Read the task: pictures to turn into others, with {len(pairs.training)} pairs.", flush=True)
        run.outcome = solve_pixels(given, pairs, submission)
    else:
        run.task = read_task(given)
        run.metric = run.task.metric
        print(f"Read the task: {len(run.task.train)} rows of {run.task.train_file} to learn from.", flush=True)
        solve_rows(submission, run, budget)
    print(f"Chose the {run.outcome.chosen.model if run.outcome else 'sample'}.", flush=True)


def solve_rows(submission: Path, run: Run, budget: Budget) -> None:
    """Learn from rows with features, whatever these are made of."""
    from .features import build_features
    from .modelling import solve

    assert run.task is not None
    run.features = build_features(run.task, run.seed, budget)
    print(f"Built features: {', '.join(run.features.notes)}.", flush=True)
    run.outcome = solve(run.task, run.features, run.seed, budget)
    assert run.outcome.submission is not None
    write_whole(submission, run.outcome.submission)


def hand_in_constants(submission: Path, run: Run) -> None:
    """Where rows could not be told apart, the same answer for all; it is better than none for most metrics."""
    from .constants import constant_submission

    assert run.task is not None
    try:
        write_whole(submission, constant_submission(run.task))
        run.stand_in = "the submission has the same answer for every row, taken from the training rows"
    except Exception as error:  # then the sample stays
        print(f"Not even one answer for all rows could be found: {error}", file=sys.stderr)


def write_whole(path: Path, table: pd.DataFrame) -> None:
    """Replace the submission at once, so that there is never half of one."""
    partial = path.with_name(f"{path.name}.partial")
    table.to_csv(partial, index=False)
    partial.replace(path)


if __name__ == "__main__":
    sys.exit(main())
