"""Collecting what an agent left: once, into a place the agent cannot reach, following no link.

Everything below an agent's home is hostile: links to the answers, pipes that block a reader, folders without
permissions, a million files. Folders are opened one level at a time and relative to the one above, so that no part of
a path can be exchanged for a link; only regular files are read, and no more of them than the bounds allow.
"""

from __future__ import annotations

import hashlib
import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from mlebench.errors import is_disk_full
from mlebench.files.hostile import NO_LINK, NotReadableError, discard, opened, refused, status_of
from mlebench.results.names import LEFT_FOLDERS, SUBMISSION_FILE

SUBMISSION = SUBMISSION_FILE
PARTS = LEFT_FOLDERS  # what is collected, the most important first
_BLOCK = 1 << 20
_MOST_NAMED = 100  # how many things that were left behind are named one by one


@dataclass(frozen=True)
class Bounds:
    """How much is collected at most; what goes beyond is left behind and named."""

    file_bytes: int = 4 << 30
    total_bytes: int = 16 << 30
    entries: int = 100_000
    depth: int = 32
    path_bytes: int = 1024  # below the folder of the run: whoever reads a copy later uses its path


@dataclass(frozen=True)
class LeftBehind:
    """Something that was not collected, and why; the path is printable, whatever the agent called it."""

    path: str
    reason: str


@dataclass
class Collected:
    """What was collected.

    `submission` is the copy to grade, or None; `problem` then says in a sentence why there is none, and `found` whether
    there was something in its place. `left_behind` names the first things that were not collected, `left_behind_count`
    counts all that were looked at.
    """

    folder: Path
    submission: Path | None = None
    submission_sha256: str | None = None
    found: bool = False
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


def collect(
    home: Path,
    into: Path,
    *,
    bounds: Bounds | None = None,
    submission_only: bool = False,
    has_ended: bool = False,
) -> Collected:
    """Copy submission/, code/ and logs/ from an agent's home into a folder of ours, and say what was left behind.

    These folders are replaced there; with `submission_only` nothing but the submission itself is looked at. Whatever
    the agent did, this neither blocks nor raises; an OSError means that our own folder cannot be written. Where the
    agent `has_ended` and has filled the disk, its submission is moved instead of copied.
    """
    collected = Collected(into)
    walk = _Walk(collected, bounds or Bounds(), submission_only, has_ended)
    parts = PARTS[:1] if submission_only else PARTS
    into.mkdir(parents=True, exist_ok=True)
    for part in parts:
        discard(into / part)
        (into / part).mkdir()
    target = os.open(into, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with opened(None, str(home), folder=True) as (source, _):
            for part in parts:
                walk.folder(source, part, target, part, depth=1, path_bytes=len(part))
    except NotReadableError as error:
        collected.leave(".", str(error))
    finally:
        os.close(target)
    collected.found = collected.submission is not None or collected.problem is not None
    if not collected.found:
        collected.problem = f"There is no {SUBMISSION} in the folder submission."
    return collected


def has_submission(home: Path) -> bool:
    """Whether an agent that may still run has a submission in its home; no link is followed and nothing is opened."""
    try:
        folder = os.open(home / PARTS[0], os.O_RDONLY | os.O_DIRECTORY | NO_LINK)
    except OSError:
        return False
    try:
        return stat.S_ISREG(status_of(folder, SUBMISSION).st_mode)
    except NotReadableError:
        return False
    finally:
        os.close(folder)


@dataclass
class _Walk:
    """One pass over the agent's folders, within the bounds."""

    collected: Collected
    bounds: Bounds
    submission_only: bool
    has_ended: bool
    entries: int = 0

    def folder(self, parent: int, name: str, target: int, shown: str, depth: int, path_bytes: int) -> None:
        """Collect a folder below `parent` into the existing folder of the same name below `target`."""
        try:
            if depth > self.bounds.depth:
                raise NotReadableError(f"more than {self.bounds.depth} folders deep")
            with opened(parent, name, folder=True) as (source, _):
                names = self._names(source, shown)
                into = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=target)
                try:
                    for entry in names:
                        length = path_bytes + 1 + len(os.fsencode(entry))
                        self._entry(source, entry, into, f"{shown}/{printable(entry)}", depth, length)
                finally:
                    os.close(into)
        except NotReadableError as error:
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
        if self.submission_only:
            return found
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if self.entries + len(found) >= self.bounds.entries:
                        self.collected.leave(shown, f"more than {self.bounds.entries} files and folders in all")
                        break
                    if entry.name not in found[:1]:
                        found.append(entry.name)
        except OSError as error:
            raise NotReadableError(refused(error)) from error
        self.entries += len(found)
        return sorted(found, key=lambda entry: (entry != SUBMISSION, entry))

    def _entry(self, source: int, name: str, target: int, shown: str, depth: int, path_bytes: int) -> None:
        is_submission = shown == f"{PARTS[0]}/{SUBMISSION}"
        try:
            if path_bytes > self.bounds.path_bytes:
                raise NotReadableError(f"at a path of more than {self.bounds.path_bytes:,} bytes")
            if stat.S_ISDIR(status_of(source, name).st_mode) and not is_submission:
                _make_folder(name, target)
                self.folder(source, name, target, shown, depth + 1, path_bytes)
                return
            sha256 = self._file(source, name, target, may_move=is_submission and self.has_ended)
        except NotReadableError as error:
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
        with opened(source, name, folder=False) as (file, status):
            if status.st_size > allowed:
                raise NotReadableError(f"larger than the {allowed:,} bytes that are left for it")
            try:
                size, sha256 = _copied_to(target, name, file, status, allowed)
            except OSError as error:
                if not is_disk_full(error):
                    raise
                if not may_move or status.st_nlink > 1:
                    raise NotReadableError("larger than what is free on the disk") from error
                os.lseek(file, 0, os.SEEK_SET)
                size, sha256 = _copied(file, None, allowed)
                os.rename(name, name, src_dir_fd=source, dst_dir_fd=target)
        self.collected.files += 1
        self.collected.bytes += size
        return sha256


def _make_folder(name: str, target: int) -> None:
    try:
        os.mkdir(name, 0o755, dir_fd=target)
    except OSError as error:
        if not is_disk_full(error):
            raise
        raise NotReadableError("larger than what is free on the disk") from error


def _copied_to(target: int, name: str, file: int, status: os.stat_result, allowed: int) -> tuple[int, str]:
    """(size, hash) of the copy of a file in a folder; nothing is left of one that does not succeed."""
    copy = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK, 0o644, dir_fd=target)
    try:
        size, sha256 = _copied(file, copy, allowed)
        os.utime(copy, ns=(status.st_mtime_ns, status.st_mtime_ns))
    except BaseException:
        os.unlink(name, dir_fd=target)
        raise
    finally:
        os.close(copy)
    return size, sha256


def _copied(file: int, copy: int | None, allowed: int) -> tuple[int, str]:
    """(size, hash) of what was copied; a file that grows beyond what is allowed while it is read is refused."""
    size, hashed = 0, hashlib.sha256()
    while True:
        try:
            block = os.read(file, _BLOCK)
        except OSError as error:
            raise NotReadableError(refused(error)) from error
        if not block:
            if copy is not None:
                os.ftruncate(copy, size)
            return size, hashed.hexdigest()
        size += len(block)
        if size > allowed:
            raise NotReadableError(f"larger than the {allowed:,} bytes that are left for it")
        hashed.update(block)
        if copy is None:
            continue
        if not block.strip(b"\0"):  # a hole stays one: a file may have a size that it never took on the disk
            os.lseek(copy, len(block), os.SEEK_CUR)
            continue
        rest = memoryview(block)
        while rest:
            rest = rest[os.write(copy, rest) :]


def printable(name: str) -> str:
    """A file name that can be printed and written as JSON, whatever bytes an agent put into it."""
    text = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    text = "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)
    return text if len(text) <= 100 else f"{text[:97]}..."
