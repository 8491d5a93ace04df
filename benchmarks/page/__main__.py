"""How long the page of a run group takes, and how large it is, for as many runs as the whole benchmark has.

    PYTHONPATH=tests python -m benchmarks.page [--seeds N] [--groups N]

The page is timed as a user sees it, from start to file (`page_seconds`), against `mlebench score` and
`mlebench failures` on the same groups in the same way (`baseline_seconds`), which read what the page reads and draw
nothing. Several groups are compared on one page.
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


def measure(seeds: int, count: int, folder: Path) -> dict[str, Any]:
    """Seconds, memory and size of the page of so many groups."""
    groups = [
        str(benchmark_group(folder / f"group-{place}", seeds, agent=f"agent-{place}", skill=0.35 + place / 10))
        for place in range(count)
    ]
    page = folder / "page.html"
    baseline = sum(command("score", group, "--json")[0] for group in groups)
    baseline += command("failures", *groups, "--json")[0]
    seconds, memory = command("report", *groups, "--output", str(page))
    return {
        "groups": count,
        "runs": count * seeds * len(BENCHMARK),
        "page_seconds": round(seconds, 2),
        "baseline_seconds": round(baseline, 2),
        "ratio": round(seconds / baseline, 2),
        "page_mb": memory >> 20,
        "bytes": page.stat().st_size,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--groups", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mlebench-benchmark-") as folder:
        print(json.dumps(measure(options.seeds, options.groups, Path(folder))), flush=True)


if __name__ == "__main__":
    main()
