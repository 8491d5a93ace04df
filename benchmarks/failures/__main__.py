"""How often does `mlebench failures` find the cause of a failure?

    python -m benchmarks.failures [--list first|second|third|fourth|fifth|sixth] [--workers N] [--folder DIR]

Every agent of `lists.py` is really run, and its cause is compared with the one that was written down for it. The lists
were written one after the other: when a list was first run, the rules knew nothing of it, and they were mended in
general afterwards. docs/commands/failures.md has the figures of that first sight. A folder that has the runs already is
only analysed.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from benchmarks.failures.agents import FailingAgent
from benchmarks.failures.lists import LISTS
from benchmarks.failures.runs import found_in, is_right, make_runs, prepare_data


def explained(agent: FailingAgent, folder: Path) -> tuple[int, int, list[str]]:
    """(runs, those whose cause is right, what is wrong in words) of one agent."""
    place = folder / "agents" / agent.name.replace(" ", "-").replace(",", "")
    made = next(place.glob("runs/*"), None) or make_runs(agent, folder / "data", place)
    found = found_in(made, folder / "data")
    right = sum(each.cause == agent.cause for each in found)
    told = [f"{each.competition_id}: {each.cause}: {each.detail} ({each.evidence[:100]})" for each in found]
    wrong = [] if is_right(agent, found) else [f"{agent.name}: expected {agent.cause}: {agent.detail}; found {told}"]
    return len(agent.competitions), right, wrong


def measure(name: str, folder: Path, workers: int) -> dict[str, object]:
    """The figures of one list of agents."""
    with ProcessPoolExecutor(workers) as pool:
        results = list(pool.map(partial(explained, folder=folder), LISTS[name]))
    runs, right = sum(each[0] for each in results), sum(each[1] for each in results)
    wrong = [text for each in results for text in each[2]]
    return {"list": name, "runs": runs, "right": right, "percent": round(100 * right / runs, 1), "differences": wrong}


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the cause of a failure is found.")
    parser.add_argument("--list", choices=[*LISTS, "all"], default="all")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where the runs are, or shall be; default a temporary folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mlebench-failures-") as scratch:
        folder = (arguments.folder or Path(scratch)).absolute()
        if not (folder / "data").is_dir():
            prepare_data(folder / "data")
        for name in LISTS if arguments.list == "all" else [arguments.list]:
            print(json.dumps(measure(name, folder, arguments.workers), ensure_ascii=False, indent=2))


if __name__ == "__main__":
    main()
