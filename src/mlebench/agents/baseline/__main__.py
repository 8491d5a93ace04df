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

if TYPE_CHECKING:
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

    # Before the libraries load: one thread makes sums the same everywhere, and on small tables is the fastest.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    from .report import CODE_FOLDER, Run, result_line, write_metrics, write_report
    from .task import TaskError

    run = Run(settings.seed, settings.time_limit)
    try:
        solve_task(settings, run, started)
    except Exception as error:  # whatever happens, a run leaves an account of it and, if possible, a submission
        run.failure = str(error) if isinstance(error, TaskError) else f"{type(error).__name__}: {error}"
        print(f"The task could not be solved: {run.failure}", file=sys.stderr)
    leave_code(settings.code / CODE_FOLDER if settings.code else None)
    run.seconds = time.monotonic() - started
    write_metrics(settings.output / "metrics.json", run)
    write_report(settings.output / "report.md", run)
    print(result_line(run, settings.competition_id, settings.output))
    return 0 if run.has_submission else 1


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


def solve_task(settings: Settings, run: Run, started: float) -> None:
    """Go from the folder to the submission, noting each step in the run."""
    from .features import build_features
    from .modelling import solve
    from .task import read_table, read_task, sample_file

    submission = settings.output / "submission.csv"
    sample = settings.data / sample_file(settings.data)
    # In place from the beginning, so that a run that fails or is cut short still has something to hand in.
    if sample.suffix == ".csv":
        shutil.copyfile(sample, submission)
    else:
        read_table(sample).to_csv(submission, index=False)
    run.has_submission = True
    run.task = read_task(settings.data, settings.seed)
    deadline = started + settings.time_limit / 2
    run.features = build_features(run.task, settings.seed, deadline)
    run.outcome = solve(run.task, run.features, settings.seed, started, settings.time_limit)
    run.outcome.submission.to_csv(submission, index=False)


if __name__ == "__main__":
    sys.exit(main())
