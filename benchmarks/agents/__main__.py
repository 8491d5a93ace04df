"""What the ready-made agents cost: each that is installed, against a scripted model, on practice-wine.

    PYTHONPATH=tests python -m benchmarks.agents [--sandbox docker] [NAME …]

prints a row for each: seconds and processor seconds of the run, peak memory, size of the environment (in docker: the
seconds that its image took to build, if it was not there, and what it adds to mlebench-env), calls and tokens as the
gateway counted them and as the model's own server did, and attempts to reach anything else.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from model_server import ModelServer
from scripts_for_agents import MODELS, SCRIPTS

from mlebench.agents import find_agent
from mlebench.agents.environments import environment_folder, is_built
from mlebench.runs.images import image_of
from mlebench.sandbox.docker import IMAGE
from mlebench.sandbox.engine import docker

WINE = "practice-wine"
HEADER = "| agent | s | CPU s | peak MB | installed MB | calls | tokens counted | by the server | elsewhere | medal |"


def row(agent: str, sandbox: str, folder: Path) -> str:
    """Run one agent, and say what that took."""
    model = MODELS.get(agent, "scripted")
    size = image_size(agent) if sandbox == "docker" else environment_size(agent)
    with ModelServer(SCRIPTS[agent], models=[model]) as server:
        options = ["--agent", agent, "-c", WINE, "--prepare", "--sandbox", sandbox, "--grade", "--json"]
        options += ["--model", model, "--model-endpoint", server.url, "--time-limit", "600s"]
        options += ["--memory-limit", "8G", "--data-dir", str(folder / "data"), "--runs-dir", str(folder / agent)]
        options += ["--step-limit", "4"] if agent == "aide" else []
        subprocess.run([sys.executable, "-m", "mlebench", "run", *options], check=True, stdout=subprocess.DEVNULL)
        usage = server.usage
    (path,) = (folder / agent).glob("*/*/run.json")
    record = json.loads(path.read_text(encoding="utf-8"))
    report = json.loads(next((folder / agent).glob("*/*grading_report.json")).read_text(encoding="utf-8"))
    spent, counted = record["usage"], record["model_usage"]
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


def environment_size(agent: str) -> str:
    """Megabytes of the environment of an agent."""
    environment = environment_folder(find_agent(agent))
    return subprocess.run(["du", "-sm", str(environment)], capture_output=True, text=True, check=True).stdout.split()[0]


def image_size(agent: str) -> str:
    """Megabytes that the image of an agent adds to the environment image, and the seconds that building it took."""
    began = time.monotonic()
    image = image_of(find_agent(agent)) or IMAGE
    seconds = time.monotonic() - began
    own, base = (int(docker("image", "inspect", "--format", "{{.Size}}", name)) for name in (image, IMAGE))
    return f"{(own - base) / 1e6:.0f} ({seconds:.0f} s)"


def main() -> None:
    """One row after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sandbox", default="bubblewrap")
    parser.add_argument("agents", nargs="*", default=sorted(SCRIPTS))
    given = parser.parse_args()
    print(HEADER)
    with tempfile.TemporaryDirectory() as scratch:
        for agent in given.agents:
            if given.sandbox == "docker" or is_built(find_agent(agent)):
                print(row(agent, given.sandbox, Path(scratch)), flush=True)
            else:
                print(f"{agent} is not installed: mlebench agents install {agent}", flush=True)


if __name__ == "__main__":
    main()
