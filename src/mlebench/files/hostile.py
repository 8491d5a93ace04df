"""Files that somebody hostile has made, and may still change: opened without following links, and removed all the same.

Folders may lack permissions, be nested beyond all bounds, or become links between two looks. So a file is opened
relative to the folder above it, as what it must be or not at all, and without ever waiting.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

from mlebench.errors import MlebenchError

NO_LINK = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY
_PATH_ONLY = getattr(os, "O_PATH", 0)  # Linux: a handle on whatever there is, without opening it


class NotReadableError(Exception):
    """One thing that cannot be read as what it must be; the message is a phrase such as "a symbolic link"."""


@contextmanager
def opened(parent: int | None, name: str, *, folder: bool) -> Iterator[tuple[int, os.stat_result]]:
    """(descriptor, status) of a regular file or a folder, never of anything else, and without ever waiting.

    What an agent made unreadable for its owner is made readable again, if we are that owner.
    """
    is_wanted = stat.S_ISDIR if folder else stat.S_ISREG
    before = status_of(parent, name)
    if not is_wanted(before.st_mode):
        raise NotReadableError(_kind(before.st_mode))
    try:
        if folder and before.st_mode & 0o700 != 0o700:
            _unlock(parent, name, folder=True)
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | NO_LINK, dir_fd=parent)
        except PermissionError:
            _unlock(parent, name, folder=folder)
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | NO_LINK, dir_fd=parent)
    except OSError as error:
        raise NotReadableError(refused(error)) from error
    try:
        status = os.fstat(descriptor)
        if not is_wanted(status.st_mode):  # exchanged in between
            raise NotReadableError(_kind(status.st_mode))
        yield descriptor, status
    finally:
        os.close(descriptor)


def status_of(parent: int | None, name: str) -> os.stat_result:
    """The status of what has this name in a folder, a link itself included."""
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError as error:
        raise NotReadableError("missing") from error
    except OSError as error:
        raise NotReadableError(refused(error)) from error


def _unlock(parent: int | None, name: str, *, folder: bool) -> None:
    """Give the owner access to a file or folder of an agent; a file with other names elsewhere is left alone."""
    if not _PATH_ONLY:
        if os.chmod in os.supports_follow_symlinks:
            os.chmod(name, 0o700 if folder else 0o600, dir_fd=parent, follow_symlinks=False)
        return
    descriptor = os.open(name, _PATH_ONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISDIR(status.st_mode) if folder else stat.S_ISREG(status.st_mode) and status.st_nlink == 1:
            this_very_file = Path(f"/proc/self/fd/{descriptor}")  # whatever has its name by now
            this_very_file.chmod(0o700 if folder else 0o600)
    finally:
        os.close(descriptor)


def _kind(mode: int) -> str:
    names = {
        stat.S_IFLNK: "a symbolic link",
        stat.S_IFDIR: "a folder",
        stat.S_IFREG: "a file",
        stat.S_IFIFO: "a named pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
    }
    return names.get(stat.S_IFMT(mode), "not a regular file")


def refused(error: OSError) -> str:
    """Why the system did not let us read something, as a phrase."""
    return f"not readable ({error.strerror or type(error).__name__})"


def discard(folder: Path) -> None:
    """Remove a folder with all that an agent left in it: without permissions, nested beyond all bounds, or a link.

    Folders are moved to the top before they are emptied, so that no depth is too deep.
    """
    try:
        mode = folder.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        folder.unlink()
        return
    try:
        with opened(None, str(folder), folder=True) as (top, _):
            while entries := _some_entries(top):
                for name, is_folder in entries:
                    if is_folder:
                        with opened(top, name, folder=True) as (below, _):
                            _empty(below, top)
                        os.rmdir(name, dir_fd=top)
                    else:
                        os.unlink(name, dir_fd=top)
    except NotReadableError as error:
        raise MlebenchError(f"The folder {folder} cannot be removed: something in it is {error}.") from error
    folder.rmdir()


def _empty(folder: int, top: int) -> None:
    """Remove all files in a folder, and move the folders in it to the top under names that nobody can foresee."""
    while entries := _some_entries(folder):
        for name, is_folder in entries:
            if is_folder:
                _unlock(folder, name, folder=True)  # to be moved, a folder must be writable itself
                os.rename(name, f".discarded-{secrets.token_hex(8)}", src_dir_fd=folder, dst_dir_fd=top)
            else:
                os.unlink(name, dir_fd=folder)


def _some_entries(folder: int) -> list[tuple[str, bool]]:
    """(name, whether it is a folder) of some entries; a million of them are never in memory at once."""
    with os.scandir(folder) as entries:
        return [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in islice(entries, 10_000)]
