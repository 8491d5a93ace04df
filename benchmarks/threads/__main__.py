"""Reading and grading in the threads of one process, as a service does: one result, and pandas' options untouched.

    python -m benchmarks.threads [--times N] [--threads N] [ID …]

For each competition, half of the times the answers are read and half of the times the sample submission is graded; the
baseline is the same in one thread. Exits with 1 if any result differs or an option of pandas has changed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.files.tables import read_csv
from mlebench.grade import grade_csv
from mlebench.twins import write_twin

IDS = ("spaceship-titanic", "detecting-insults-in-social-commentary", "spooky-author-identification")


def pandas_options() -> dict[str, Any]:
    """The value of every option of pandas."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: pd.get_option(name) for name in pd._config.config._registered_options}


def once(competition: LocalCompetition, number: int) -> str:
    """What one reading, or one grading, gives."""
    if number % 2:
        table = read_csv(competition.answers)
        return f"{[str(kind) for kind in table.dtypes]} {table.columns.dtype} {table.shape}"
    report = grade_csv(competition.sample_submission, competition)
    return f"{report.raw_score} {report.refusal}"


def measure(competition: LocalCompetition, times: int, threads: int) -> dict[str, Any]:
    """How many different results there are, and the seconds in one thread and in many."""
    before = pandas_options()
    start = time.monotonic()
    alone = {once(competition, number) for number in range(times // 10)}
    one_thread = 10 * (time.monotonic() - start)
    start = time.monotonic()
    with ThreadPoolExecutor(threads) as pool:
        found = set(pool.map(lambda number: once(competition, number), range(times)))
    return {
        "competition": competition.id,
        "times": times,
        "threads": threads,
        "different_results": len(found - alone),
        "options_changed": [name for name, value in pandas_options().items() if before[name] != value],
        "seconds_in_one_thread": round(one_thread, 1),
        "seconds": round(time.monotonic() - start, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("ids", nargs="*", default=IDS)
    options = parser.parse_args()
    failed = False
    with tempfile.TemporaryDirectory(prefix="mlebench-benchmark-") as folder:
        registry = Registry(Path(folder))
        for competition_id in options.ids:
            competition = registry.get_competition(competition_id)
            write_twin(competition, competition.home)
            prepare(competition, PrepareOptions())
            result = measure(competition, options.times, options.threads)
            failed = failed or bool(result["different_results"] or result["options_changed"])
            print(json.dumps(result), flush=True)
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
