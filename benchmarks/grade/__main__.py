"""How long preparing and grading take on twins 200 times as large as the usual one.

    python -m benchmarks.grade [--scale N] [--split NAME] [ID …]

Grading is timed as a user sees it, from start to report (`grade_seconds`); without its start-up, in a process
that has graded before (`warm_seconds`); and against the start-up alone of the one library that nothing can be read
without (`pandas_seconds`). The submission is a shuffled one where the twin has one, else the sample.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.processes import measured
from mlebench.competition.registry import Registry
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.grade.grading import grade_csv
from mlebench.twins import twin_program, write_twin


def measure(competition_id: str, scale: int, folder: Path) -> dict[str, Any]:
    """Seconds of preparing and grading one competition's twin, and the peak memory of grading."""
    competition = Registry(folder / "data").get_competition(competition_id)
    write_twin(competition, folder / "twins", scale=scale)
    start = time.monotonic()
    prepare(competition, PrepareOptions(mirror=str(folder / "twins")))
    preparing = time.monotonic() - start
    submission = folder / "submission.csv"
    for example in twin_program(competition).submissions(competition.prepared_dir, 0):
        if example.name == "shuffled":
            example.write(submission)
            break
    else:
        shutil.copyfile(competition.sample_submission, submission)
    options = ["grade-sample", str(submission), competition_id, "--data-dir", str(folder / "data")]
    grading, memory = measured(f"from mlebench.cli import cli; cli.main({options!r}, standalone_mode=False)")
    pandas, _ = measured("import pandas")
    grade_csv(submission, competition)
    start = time.monotonic()
    grade_csv(submission, competition)
    warm = time.monotonic() - start
    rows = sum(1 for _ in submission.open("rb")) - 1
    shutil.rmtree(folder)
    return {
        "competition": competition_id,
        "rows": rows,
        "prepare_seconds": round(preparing, 2),
        "grade_seconds": round(grading, 2),
        "warm_seconds": round(warm, 3),
        "pandas_seconds": round(pandas, 2),
        "grade_mb": memory >> 20,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=200)
    parser.add_argument("--split", default="lite")
    parser.add_argument("ids", nargs="*")
    options = parser.parse_args()
    for competition_id in options.ids or Registry().split(options.split):
        folder = Path(tempfile.mkdtemp(prefix="mlebench-benchmark-"))
        print(json.dumps(measure(competition_id, options.scale, folder)), flush=True)


if __name__ == "__main__":
    main()
