"""Names of files that come from archives and tables of raw data: none leads outside of its folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path, PureWindowsPath

from mlebench.base.wording import quote
from mlebench.errors import PreparationError

_BACKSLASHES = os.sep == "\\"  # on Windows names have more ways to lead elsewhere


def safe_path(folder: Path, name: str, archive: str) -> Path:
    """Where a member of an archive goes below a folder; a name that would lead outside of it is refused."""
    root = folder.resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise PreparationError(f"{archive} holds {name!r}, which would be written outside the target folder.")
    return path


def check_inside(names: Iterable[str]) -> None:
    """No name leads outside of its folder: names come from tables of the raw data, which anybody may have written."""
    for name in names:  # there may be a million of them
        if name[:1] == "/" or (".." in name and ".." in name.split("/")) or (_BACKSLASHES and _leads_outside(name)):
            raise PreparationError(
                f"The raw data names a file {quote(name)}, which would be outside the target folder."
            )


def _leads_outside(name: str) -> bool:
    path = PureWindowsPath(name)
    return bool(path.drive or path.root) or ".." in path.parts
