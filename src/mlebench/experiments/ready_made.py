"""Experiments that ship with the package: one TOML file each in `ready/`, to be copied and changed."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.experiments.definition import Experiment, load_experiment

_FOLDER = "ready"


def ready_made() -> dict[str, Experiment]:
    """The experiments that are ready to use, by name."""
    paths = sorted(Path(str(files("mlebench.experiments").joinpath(_FOLDER))).glob("*.toml"))
    return {path.stem: load_experiment(path) for path in paths}


def write_ready_made(name: str, target: Path) -> Path:
    """Copy the file of an experiment; one that is there is not overwritten."""
    known = ready_made()
    if name not in known:
        raise MlebenchError(f"There is no ready experiment {name}.", hint=f"There are {', '.join(known)}.")
    if target.exists():
        raise MlebenchError(f"{target} exists.", hint="Give another file with --output.")
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(known[name].path.read_text(encoding="utf-8"), encoding="utf-8")
    return target
