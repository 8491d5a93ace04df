"""Files of experiments for tests, and commands that agents run."""

from __future__ import annotations

from pathlib import Path

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
