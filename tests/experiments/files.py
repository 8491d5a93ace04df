"""Files of experiments for tests, and commands that agents run."""

from __future__ import annotations

from pathlib import Path

from mlebench.competition.registry import Registry
from mlebench.experiments.definition import load_experiment
from mlebench.experiments.planning import open_experiment
from mlebench.experiments.running import run_arms
from mlebench.results.records import RunRecord

WINE, DIABETES = "practice-wine", "practice-diabetes"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
THREE_ARMS = f"""
name = "three"
description = "Do limits matter?"
competitions = ["{WINE}"]
seeds = 3

[defaults]
agent = "command"
command = '{HAND_IN}'
sandbox = "process"
memory_limit = "1G"
time_limit = "2m"

[[arms]]
name = "a"

[[arms]]
name = "b"
time_limit = "3m"

[[arms]]
name = "c"
time_limit = "4m"
"""


def write(folder: Path, text: str = THREE_ARMS, name: str = "three.toml") -> Path:
    """A file of an experiment."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def run_on(executor: str, options: str, folder: Path, data: Path) -> list[RunRecord]:
    """Run two arms, one of which has something to read, on an executor; the records of all their runs."""
    (folder / "notes").mkdir()
    (folder / "notes" / "notes.txt").write_text("read me")
    reads = f"grep -q 'read me' $MATERIAL_DIR/notes.txt && {HAND_IN}"
    text = f"""
competitions = ["{WINE}"]
seeds = 2
[defaults]
agent = "command"
sandbox = "process"
memory_limit = "1G"
time_limit = "5m"
executor = "{executor}"
{options}
[[arms]]
name = "alone"
command = '{HAND_IN}'
[[arms]]
name = "with-notes"
command = """
    text += f'"""{reads}"""\nmaterial = "notes"\n'
    _, arms = open_experiment(load_experiment(write(folder, text)), Registry(data), folder / "runs", workers=2)
    assert run_arms(arms, workers=2)
    return [record for arm in arms for record in arm.group.run_records()]
