"""A copy of public data under other names: linked where the bytes are the same, written anew where they are not."""

from __future__ import annotations

import gzip
import os
import shutil
import tempfile
import zipfile
from pathlib import Path

from mlebench.files.damage import optional_library
from mlebench.files.packing import write_7z, write_tar, write_zip
from mlebench.files.source import StoredFile
from mlebench.files.unpacking import tar_names, unpack
from mlebench.renaming.mapping import Renaming
from mlebench.renaming.tables import TABLES, rename_table

_TAR_GZ = (".tar.gz", ".tgz")
_GZIP_LEVEL = 1  # pictures hardly get smaller


def copy_renamed(source: Path, target: Path, renaming: Renaming) -> None:
    """Make a new folder with what is in `source` under other names; nothing in `source` changes."""
    target.mkdir(parents=True)
    for parent, folders, names in os.walk(source):
        folders.sort()
        below = Path(parent).relative_to(source).as_posix()
        place = target if below == "." else target / renaming.path(below)
        place.mkdir(exist_ok=True)
        for name in sorted(names):
            _copy_file(Path(parent, name), place / renaming.path(name), renaming)


def _copy_file(source: Path, target: Path, renaming: Renaming) -> None:
    if source.suffix.lower() in TABLES:
        changed = rename_table(source, target, renaming.columns)
    else:
        changed = _is_archive(source) and _copy_archive(source, target, renaming)
    if not changed:
        link_or_copy(source, target)


def link_or_copy(source: Path | str, target: Path | str) -> None:
    """A hard link to a file, or a copy where there cannot be one."""
    try:
        if not Path(source).is_symlink():  # a link to a link would lead elsewhere from its new place
            os.link(source, target)
            return
    except OSError:  # another file system, or one without links
        pass
    shutil.copy2(source, target)


def _is_archive(path: Path) -> bool:
    name = path.name.lower()
    return name.endswith((".zip", ".7z", ".tar", *_TAR_GZ))


def _copy_archive(source: Path, target: Path, renaming: Renaming) -> bool:
    """Pack an archive anew if a name or a table in it changes; else it stays as it is (False)."""
    names = _member_names(source)
    changes = any(renaming.path(name) != name for name in names)
    if not changes and not any(Path(name).suffix.lower() in TABLES or _is_archive(Path(name)) for name in names):
        return False
    with tempfile.TemporaryDirectory(prefix=".mlebench-", dir=target.parent) as scratch:
        unpacked, renamed = Path(scratch) / "old", Path(scratch) / "new"
        unpack(source, unpacked)
        copy_renamed(unpacked, renamed, renaming)
        members = {renaming.path(name): renamed / renaming.path(name) for name in names}
        members = {name: path for name, path in members.items() if path.is_file()}
        if not changes and all(path.stat().st_nlink > 1 for path in members.values()):
            return False  # every table stayed as it is
        _pack(target, members, Path(scratch))
    return True


def _member_names(path: Path) -> list[str]:
    """The names of the files in an archive, in its order."""
    name = path.name.lower()
    if name.endswith(".zip"):
        with zipfile.ZipFile(path) as archive:
            return [name for name in archive.namelist() if not name.endswith("/")]
    if name.endswith(".7z"):
        with optional_library("py7zr", f"Reading {path.name}").SevenZipFile(path) as archive:
            return [entry.filename for entry in archive.list() if not entry.is_directory]
    return tar_names(StoredFile(path))


def _pack(target: Path, members: dict[str, Path], scratch: Path) -> None:
    name = target.name.lower()
    if name.endswith(".zip"):
        write_zip(target, dict(members))
    elif name.endswith(".7z"):
        write_7z(target, dict(members))
    elif name.endswith(_TAR_GZ):
        plain = scratch / "plain.tar"
        write_tar(plain, dict(members))
        with (
            plain.open("rb") as file,
            target.open("wb") as packed,
            gzip.GzipFile("", "wb", _GZIP_LEVEL, packed, mtime=0) as stream,
        ):
            shutil.copyfileobj(file, stream, 1 << 20)
    else:
        write_tar(target, dict(members))
