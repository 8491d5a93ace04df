"""Filling folders that somebody else has made, and perhaps mounted, instead of putting new ones in their place."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

FOLDERS = ("private", "public")
UNFINISHED = ".mlebench-unfinished"  # a folder that holds a file of this name is not complete


def is_finished(folder: Path) -> bool:
    """Whether a folder is there and nothing is still to be put into it."""
    return folder.is_dir() and not (folder / UNFINISHED).exists()


def must_be_filled_in_place(prepared: Path) -> bool:
    """Whether a folder of prepared data is there that must stay, and be filled.

    Its public/ and private/ are empty, or hold what a killed preparation had put into them, or are mounted.
    """
    if not prepared.is_dir():
        return False
    below = list(prepared.iterdir())
    if any(map(os.path.ismount, [prepared, *below])) or any((path / UNFINISHED).exists() for path in below):
        return True
    return all(path.name in FOLDERS and path.is_dir() and not any(path.iterdir()) for path in below)


def fill(target: Path, built: Path) -> None:
    """Move public/ and private/ of a finished build into a folder, whose own public/ and private/ stay what they are.

    A mark is in both of them from the beginning to the end: killed in between, they do not look finished, and are
    emptied and filled anew the next time.
    """
    folders = [target / name for name in FOLDERS]
    for folder in folders:
        folder.mkdir(exist_ok=True)
        (folder / UNFINISHED).touch()
    for folder in folders:
        _empty(folder)
        for path in (built / folder.name).iterdir():
            shutil.move(path, folder / path.name)  # copied, if a disk of its own is mounted there
    for folder in folders:
        (folder / UNFINISHED).unlink()


def _empty(folder: Path) -> None:
    for path in folder.iterdir():
        if path.name == UNFINISHED:
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
