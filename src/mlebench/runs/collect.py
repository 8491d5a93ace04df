"""Collecting what an agent left: once, into a place the agent cannot reach, following no link.

Everything below an agent's home is hostile: links to the answers, pipes that block a reader, folders without
permissions, a million files. Folders are opened one level at a time and relative to the one above, so that no part of
a path can be exchanged for a link; only regular files are read, and no more of them than the bounds allow.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from mlebench.errors import MlebenchError

SUBMISSION = "submission.csv"
PARTS = ("submission", "code", "logs")  # what is collected, the most important first
_NO_LINK = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NOCTTY
_PATH_ONLY = getattr(os, "O_PATH", 0)  # Linux: a handle on whatever there is, without opening it
_BLOCK = 1 << 20
_MOST_NAMED = 100  # how many things that were left behind are named one by one


@dataclass(frozen=True)
class Bounds:
    """How much is collected at most; what goes beyond is left behind and named."""

    file_bytes: int = 4 << 30
    total_bytes: int = 16 << 30
    entries: int = 100_000
    depth: int = 32


@dataclass(frozen=True)
class LeftBehind:
    """Something that was not collected, and why; the path is printable, whatever the agent called it."""

    path: str
    reason: str


@dataclass
class Collected:
    """What was collected.

    `submission` is the copy to grade, or None; `problem` then says in a sentence why there is none. `left_behind`
    names the first things that were not collected, `left_behind_count` counts all that were looked at.
    """

    folder: Path
    submission: Path | None = None
    submission_sha256: str | None = None
    problem: str | None = None
    files: int = 0
    bytes: int = 0
    left_behind: list[LeftBehind] = field(default_factory=list)
    left_behind_count: int = 0

    def leave(self, path: str, reason: str) -> None:
        """Note that something was not collected."""
        self.left_behind_count += 1
        if len(self.left_behind) < _MOST_NAMED:
            self.left_behind.append(LeftBehind(path, reason))


class NotCollectedError(Exception):
    """One thing that cannot be collected; the message is a phrase such as "a symbolic link"."""


def collect(
    home: Path, into: Path, *, bounds: Bounds | None = None, parts: Sequence[str] = PARTS, has_ended: bool = False
) -> Collected:
    """Copy submission/, code/ and logs/ from an agent's home into a folder of ours, and say what was left behind.

    These folders are replaced there; `parts` names those that are wanted. Whatever the agent did, this neither blocks
    nor raises; an OSError means that our own folder cannot be written. Where the agent `has_ended` and has filled the
    disk, its submission is moved instead of copied.
    """
    collected = Collected(into)
    walk = _Walk(collected, bounds or Bounds(), has_ended)
    into.mkdir(parents=True, exist_ok=True)
    for part in parts:
        discard(into / part)
        (into / part).mkdir()
    target = os.open(into, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with _opened(None, str(home), folder=True) as (source, _):
            for part in parts:
                walk.folder(source, part, target, part, depth=1)
    except NotCollectedError as error:
        collected.leave(".", str(error))
    finally:
        os.close(target)
    if collected.submission is None and collected.problem is None:
        collected.problem = f"There is no {SUBMISSION} in the folder submission."
    return collected


@dataclass
class _Walk:
    """One pass over the agent's folders, within the bounds."""

    collected: Collected
    bounds: Bounds
    has_ended: bool
    entries: int = 0

    def folder(self, parent: int, name: str, target: int, shown: str, depth: int) -> None:
        """Collect a folder below `parent` into the existing folder of the same name below `target`."""
        try:
            if depth > self.bounds.depth:
                raise NotCollectedError(f"more than {self.bounds.depth} folders deep")
            with _opened(parent, name, folder=True) as (source, _):
                names = self._names(source, shown)
                into = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=target)
                try:
                    for each in names:
                        self._entry(source, each, into, f"{shown}/{printable(each)}", depth)
                finally:
                    os.close(into)
        except NotCollectedError as error:
            self.collected.leave(shown, str(error))
            if shown == PARTS[0]:
                self.collected.problem = f"The folder {shown} is {error}."

    def _names(self, folder: int, shown: str) -> list[str]:
        """The names in a folder, as many as the bounds still allow; the submission comes first."""
        found: list[str] = []
        if shown == PARTS[0]:
            with suppress(OSError):
                os.stat(SUBMISSION, dir_fd=folder, follow_symlinks=False)
                found.append(SUBMISSION)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if self.entries + len(found) >= self.bounds.entries:
                        self.collected.leave(shown, f"more than {self.bounds.entries} files and folders in all")
                        break
                    if entry.name not in found[:1]:
                        found.append(entry.name)
        except OSError as error:
            raise NotCollectedError(_refused(error)) from error
        self.entries += len(found)
        return sorted(found, key=lambda each: (each != SUBMISSION, each))

    def _entry(self, source: int, name: str, target: int, shown: str, depth: int) -> None:
        is_submission = shown == f"{PARTS[0]}/{SUBMISSION}"
        try:
            if stat.S_ISDIR(_status(source, name).st_mode) and not is_submission:
                os.mkdir(name, 0o755, dir_fd=target)
                self.folder(source, name, target, shown, depth + 1)
                return
            sha256 = self._file(source, name, target, may_move=is_submission and self.has_ended)
        except NotCollectedError as error:
            self.collected.leave(shown, str(error))
            if is_submission:
                self.collected.problem = f"{SUBMISSION} is {error}."
        else:
            if is_submission:
                self.collected.submission = self.collected.folder / PARTS[0] / SUBMISSION
                self.collected.submission_sha256 = sha256

    def _file(self, source: int, name: str, target: int, *, may_move: bool) -> str:
        """Copy one regular file and return the hash of the copy.

        An agent may have filled the disk. Then a file is left behind, or moved if it is the submission: that takes no
        room.
        """
        allowed = min(self.bounds.file_bytes, self.bounds.total_bytes - self.collected.bytes)
        with _opened(source, name, folder=False) as (file, status):
            if status.st_size > allowed:
                raise NotCollectedError(f"larger than the {allowed:,} bytes that are left for it")
            copy = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_LINK, 0o644, dir_fd=target)
            try:
                size, sha256 = _copied(file, copy, allowed)
                os.utime(copy, ns=(status.st_mtime_ns, status.st_mtime_ns))
            except NotCollectedError:
                os.unlink(name, dir_fd=target)
                raise
            except OSError as error:
                os.unlink(name, dir_fd=target)
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                if not may_move or status.st_nlink > 1:
                    raise NotCollectedError("larger than what is free on the disk") from error
                os.lseek(file, 0, os.SEEK_SET)
                size, sha256 = _copied(file, None, allowed)
                os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
            finally:
                os.close(copy)
        self.collected.files += 1
        self.collected.bytes += size
        return sha256


def _copied(file: int, copy: int | None, allowed: int) -> tuple[int, str]:
    """(size, hash) of what was copied; a file that grows beyond what is allowed while it is read is refused."""
    size, hashed = 0, hashlib.sha256()
    while True:
        try:
            block = os.read(file, _BLOCK)
        except OSError as error:
            raise NotCollectedError(_refused(error)) from error
        if not block:
            return size, hashed.hexdigest()
        size += len(block)
        if size > allowed:
            raise NotCollectedError(f"larger than the {allowed:,} bytes that are left for it")
        hashed.update(block)
        rest = memoryview(block)
        while rest and copy is not None:
            rest = rest[os.write(copy, rest) :]


@contextmanager
def _opened(parent: int | None, name: str, *, folder: bool) -> Iterator[tuple[int, os.stat_result]]:
    """(descriptor, status) of a regular file or a folder, never of anything else, and without ever waiting.

    What an agent made unreadable for its owner is made readable again, if we are that owner.
    """
    is_wanted = stat.S_ISDIR if folder else stat.S_ISREG
    before = _status(parent, name)
    if not is_wanted(before.st_mode):
        raise NotCollectedError(_kind(before.st_mode))
    try:
        if folder and before.st_mode & 0o700 != 0o700:
            _unlock(parent, name, folder=True)
        try:
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _NO_LINK, dir_fd=parent)
        except PermissionError:
            _unlock(parent, name, folder=folder)
            descriptor = os.open(name, os.O_RDONLY | os.O_NONBLOCK | _NO_LINK, dir_fd=parent)
    except OSError as error:
        raise NotCollectedError(_refused(error)) from error
    try:
        status = os.fstat(descriptor)
        if not is_wanted(status.st_mode):  # exchanged in between
            raise NotCollectedError(_kind(status.st_mode))
        yield descriptor, status
    finally:
        os.close(descriptor)


def _status(parent: int | None, name: str) -> os.stat_result:
    try:
        return os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError as error:
        raise NotCollectedError("missing") from error
    except OSError as error:
        raise NotCollectedError(_refused(error)) from error


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


def _refused(error: OSError) -> str:
    return f"not readable ({error.strerror or type(error).__name__})"


def printable(name: str) -> str:
    """A file name that can be printed and written as JSON, whatever bytes an agent put into it."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
    return text if len(text) <= 100 else f"{text[:97]}..."


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
        with _opened(None, str(folder), folder=True) as (top, _):
            while entries := _some_entries(top):
                for name, is_folder in entries:
                    if is_folder:
                        with _opened(top, name, folder=True) as (each, _):
                            _empty(each, top)
                        os.rmdir(name, dir_fd=top)
                    else:
                        os.unlink(name, dir_fd=top)
    except NotCollectedError as error:
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
