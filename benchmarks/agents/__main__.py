"""What the ready-made agents cost: each that is installed, against a scripted model, on practice-wine in bubblewrap.

    PYTHONPATH=tests python -m benchmarks.agents [NAME …]

prints a row for each: seconds and processor seconds of the run, peak memory, size of the environment, calls and tokens
as the gateway counted them and as the model's own server did, and attempts to reach anything else.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from model_server import ModelServer
from scripts_for_agents import SCRIPTS

from mlebench.agents import find_agent
from mlebench.agents.environments import environment_folder, is_built

WINE = "practice-wine"
HEADER = "| agent | s | CPU s | peak MB | installed MB | calls | tokens counted | by the server | elsewhere | medal |"


def row(agent: str, folder: Path) -> str:
    """Run one agent, and say what that took."""
    with ModelServer(SCRIPTS[agent], models=["scripted"]) as server:
        options = ["--agent", agent, "-c", WINE, "--prepare", "--sandbox", "bubblewrap", "--grade", "--json"]
        options += ["--model", "scripted", "--model-endpoint", server.url, "--time-limit", "600s"]
        options += ["--memory-limit", "8G", "--data-dir", str(folder / "data"), "--runs-dir", str(folder / agent)]
        options += ["--step-limit", "4"] if agent == "aide" else []
        subprocess.run([sys.executable, "-m", "mlebench", "run", *options], check=True, stdout=subprocess.DEVNULL)
        usage = server.usage
    (path,) = (folder / agent).glob("*/*/run.json")
    record = json.loads(path.read_text(encoding="utf-8"))
    report = json.loads(next((folder / agent).glob("*/*grading_report.json")).read_text(encoding="utf-8"))
    spent, counted = record["usage"], record["model_usage"]
    environment = environment_folder(find_agent(agent))
    size = subprocess.run(["du", "-sm", str(environment)], capture_output=True, text=True, check=True).stdout.split()[0]
    cells = [
        agent,
        f"{spent['seconds']:.0f}",
        f"{spent['cpu_seconds']:.0f}",
        spent["peak_memory_bytes"] >> 20,
        size,
        counted["requests"],
        counted["input_tokens"] + counted["output_tokens"],
        usage["input_tokens"] + usage["output_tokens"],
        len(record["network_attempts"]) + record["network_attempts_not_listed"],
        report["total_medals"],
    ]
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    """One row after the other."""
    print(HEADER)
    with tempfile.TemporaryDirectory() as scratch:
        for agent in sys.argv[1:] or sorted(SCRIPTS):
            if is_built(find_agent(agent)):
                print(row(agent, Path(scratch)), flush=True)
            else:
                print(f"{agent} is not installed: mlebench agents install {agent}", flush=True)


if __name__ == "__main__":
    main()
