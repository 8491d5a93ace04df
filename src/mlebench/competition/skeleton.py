"""The skeleton that `mlebench new` writes: a complete small competition to change step by step."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from mlebench.competition.loading import module_name
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import ID_PATTERN
from mlebench.errors import MlebenchError

_FILES = ("competition.py", "description.md", "twin.py")


def write_skeleton(competition_id: str, into: Path) -> Path:
    """Write the skeleton below a folder of competitions and return the new folder; nothing is ever overwritten."""
    if not re.fullmatch(ID_PATTERN, competition_id):
        raise MlebenchError(f"{competition_id!r} is not a valid id.", hint="Use letters, digits and hyphens.")
    if any(competition.id == competition_id for competition in Registry().all_competitions()):
        raise MlebenchError(f"There is already a competition {competition_id}.", hint="Choose another id.")
    folder = into / module_name(competition_id)
    if folder.exists():
        raise MlebenchError(f"{folder} exists already.", hint="Choose another id, or remove the folder.")
    folder.mkdir(parents=True)
    name = competition_id.replace("-", " ").replace("_", " ").capitalize()
    for file in _FILES:
        text = files("mlebench.templates").joinpath(f"{file}.txt").read_text(encoding="utf-8")
        text = text.replace("MY-COMPETITION-ID", competition_id).replace("MY COMPETITION NAME", name)
        (folder / file).write_text(text, encoding="utf-8")
    return folder
