"""Reading files that others made: regular files only, never more than a bound, and without ever waiting.

A run group or a report may come from anywhere. A named pipe in the place of a file would keep a reader waiting for
ever, a device may have no end, and a link may lead to any file of this machine.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_KINDS = {
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


class NotRegularError(OSError):
    """Something other than a file in the place of one; `strerror` says what it is."""


def is_regular(path: Path) -> bool:
    """Whether there is a regular file: not a link, a pipe, a device or a folder."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except (OSError, ValueError):  # not there, or a name that no file can have
        return False


def is_folder(path: Path) -> bool:
    """Whether there is a folder that is not a link to one elsewhere."""
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except (OSError, ValueError):
        return False


def open_regular(path: Path, *, follow: bool = False) -> BinaryIO:
    """A regular file, opened for reading; anything else is a NotRegularError, at once.

    With `follow` a link may lead to the file: for paths that the user has typed.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
    if not follow:
        flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        _require_regular(path, path.stat() if follow else path.lstat())  # opening a device may have effects already
        descriptor = os.open(path, flags)
    except ValueError as error:  # a null character
        raise FileNotFoundError(errno.ENOENT, "No such file or directory", str(path)) from error
    try:
        _require_regular(path, os.fstat(descriptor))  # it may have been exchanged in between
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def _require_regular(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        what = _KINDS.get(stat.S_IFMT(status.st_mode), "something else")
        raise NotRegularError(errno.EINVAL, f"it is {what}, not a file", str(path))


def read_regular(path: Path, most: int, *, follow: bool = False) -> bytes:
    """The bytes of a regular file; an OSError says what is wrong with one that is larger than `most` bytes."""
    with open_regular(path, follow=follow) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most >> 20} MB", str(path))
    return data
