"""Files of the published repository's folder `environment`: the instructions that an agent reads, in our own words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from mlebench.files.writing import write_atomically
from mlebench.runs.instructions import AgentPaths, Conditions, instructions

_FOLDER = Path("environment")


def environment_files() -> Iterator[tuple[Path, str]]:
    """(path below the repository, text) of each file; no competition is named, since the files serve all of them."""
    yield _FOLDER / "instructions.txt", instructions(AgentPaths(), Conditions(), competition=None)
    hidden = Conditions(obfuscate=True)
    yield _FOLDER / "instructions_obfuscated.txt", instructions(AgentPaths(), hidden, competition=None)


def add_environment(folder: Path) -> Path:
    """Write the files below a folder that has the layout of the published repository; returns the folder."""
    for name, text in environment_files():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    return folder
