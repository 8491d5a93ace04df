"""How long the page of a run group takes, and how large it is, for as many runs as the whole benchmark has.

    PYTHONPATH=tests python -m benchmarks.page [--seeds N]

The page is timed as a user sees it, from start to file (`page_seconds`), against `mlebench score` and
`mlebench failures` on the same group in the same way (`baseline_seconds`), which read what the page reads and draw
nothing.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path
from typing import Any

from page.groups import BENCHMARK, benchmark_group

from benchmarks.processes import measured


def command(*arguments: str) -> tuple[float, int]:
    """Seconds and peak memory of a command of mlebench."""
    return measured(f"from mlebench.cli import cli; cli.main({list(arguments)!r}, standalone_mode=False)")


def measure(seeds: int, folder: Path) -> dict[str, Any]:
    """Seconds, memory and size of the page of a group."""
    group = str(benchmark_group(folder / "group", seeds))
    page = folder / "page.html"
    score, _ = command("score", group, "--json")
    failures, _ = command("failures", group, "--json")
    seconds, memory = command("report", group, "--output", str(page))
    return {
        "runs": seeds * len(BENCHMARK),
        "page_seconds": round(seconds, 2),
        "baseline_seconds": round(score + failures, 2),
        "ratio": round(seconds / (score + failures), 2),
        "page_mb": memory >> 20,
        "bytes": page.stat().st_size,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    with tempfile.TemporaryDirectory(prefix="mlebench-benchmark-") as folder:
        print(json.dumps(measure(parser.parse_args().seeds, Path(folder))), flush=True)


if __name__ == "__main__":
    main()
