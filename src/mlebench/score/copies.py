"""Copies of a submission in the code of a run: found in plain files, compressed files and archives, and taken away.

A file is a copy if it holds nearly all rows of the submission. That is estimated from a few rows that are chosen at
random, so that neither a large submission nor a large file has to be in memory, and each block is searched in few
passes, whatever is in it.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, Any

from mlebench.files.hostile import NotReadableError, opened
from mlebench.files.regular import open_regular
from mlebench.files.zip_reader import bounded
from mlebench.score.budget import CodeBudget, OverBudgetError

_BLOCK = 8 << 20  # bytes that are in memory at a time
_COPY = 0.9  # the share of the submission's rows that makes a file a copy of it
_FIRST, _SAMPLE = 6, 32  # rows that every file is searched for; rows that one with some of these is searched for
_LONGEST = 4096  # bytes of a row that are compared
_DEEPEST = 64  # folders within folders; far fewer are collected
_WHOLE = 64 << 10  # bytes of a submission that is also searched for as one text
_LARGEST_LIST = 32 << 20  # bytes of an archive's list of members
_LINE_ENDS = bytes.maketrans(b"\r", b"\n")
_BLANKS = b" \t"
_UNPACK: dict[bytes, Callable[..., Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ": lzma.open,
}
# What reading a compressed file may raise where it is damaged, encrypted or made to do harm.
_DAMAGED = (
    OSError,
    EOFError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True)
class Search:
    """What a search for copies did: files that were taken away, and how many plain files it did not get to."""

    removed: tuple[str, ...] = ()
    not_searched: int = 0

    def __str__(self) -> str:
        phrases = []
        if self.removed:
            names = ", ".join(self.removed[:3])
            phrases.append(f"the code held a copy of the submission, which was taken away ({names})")
        if self.not_searched:
            phrases.append(f"{self.not_searched} files of the code were not searched for copies of the submission")
        return "; ".join(phrases)


@dataclass(frozen=True)
class _Needles:
    """What copies are searched for: rows, and the whole text of a small submission."""

    rows: tuple[bytes, ...]
    text: bytes = b""


def copy_code(source: Path, target: Path, budget: CodeBudget) -> None:
    """Copy the regular files of a run's code, following no link; an OverBudgetError where there is too much of it."""
    target.mkdir(parents=True, exist_ok=True)
    with suppress(NotReadableError), opened(None, str(source), folder=True) as (folder, _):
        _copy_folder(folder, target, budget, depth=1)


def _copy_folder(source: int, target: Path, budget: CodeBudget, depth: int) -> None:
    if depth > _DEEPEST:
        raise OverBudgetError("its folders are nested too deep")
    with os.scandir(source) as entries:
        for entry in entries:
            budget.take(members=1)
            mode = entry.stat(follow_symlinks=False).st_mode
            if stat.S_ISDIR(mode):
                with suppress(NotReadableError), opened(source, entry.name, folder=True) as (folder, _):
                    (target / entry.name).mkdir()
                    _copy_folder(folder, target / entry.name, budget, depth + 1)
            elif stat.S_ISREG(mode):
                with suppress(NotReadableError), opened(source, entry.name, folder=False) as (file, status):
                    _copy_file(file, target / entry.name, status, budget)


def _copy_file(source: int, target: Path, status: os.stat_result, budget: CodeBudget) -> None:
    budget.take(status.st_size)
    with target.open("xb") as copy:
        left = status.st_size
        while left > 0 and (block := os.read(source, min(_BLOCK, left))):
            budget.take()
            left -= len(block)
            if block.strip(b"\0"):
                copy.write(block)
            else:  # a hole stays one: a file may have a size that it never took on the disk
                copy.seek(len(block), os.SEEK_CUR)
        copy.truncate()
    target.chmod(stat.S_IMODE(status.st_mode) & 0o777 | 0o600)


def remove_copies(code: Path, submission: Path, budget: CodeBudget | None = None) -> Search:
    """Remove files of the code that hold the submission, plain or compressed, whole or nearly so.

    The smallest are searched first. Where the budget ends, compressed files that it did not get to are removed too, for
    they cost little to make; plain ones are counted.
    """
    budget = budget or CodeBudget()
    needles = _needles(submission)
    if not needles.rows:
        return Search()
    removed: list[str] = []
    not_searched = 0
    for path in _by_size(code):
        try:
            is_copy = _holds(partial(open_regular, path), needles, budget)
        except OverBudgetError:
            not_searched += 1
            is_copy = False
        is_copy = is_copy or _packs_copy(path, needles, budget)
        if is_copy:
            path.unlink()
            removed.append(path.relative_to(code).as_posix())
    return Search(tuple(sorted(removed)), not_searched)


def same_content(one: Path, other: Path) -> bool:
    """Whether two files have the same bytes, which are compared in blocks."""
    with open_regular(one) as first, open_regular(other) as second:
        if os.fstat(first.fileno()).st_size != os.fstat(second.fileno()).st_size:
            return False
        while block := first.read(_BLOCK):
            if block != second.read(len(block)):
                return False
        return not second.read(1)


def _by_size(code: Path) -> list[Path]:
    """The regular files below a folder, the smallest first."""
    found = []
    for parent, _, names in os.walk(code):
        for name in names:
            path = Path(parent, name)
            status = path.lstat()
            if stat.S_ISREG(status.st_mode):
                found.append((status.st_size, path))
    return [path for _, path in sorted(found)]


def _needles(submission: Path) -> _Needles:
    """Rows of a submission, chosen at random, in the form that blocks are searched in."""
    choice = random.SystemRandom()  # nobody can foresee which rows matter
    text = b""
    with open_regular(submission) as file:
        size = os.fstat(file.fileno()).st_size
        if size <= 2 * _BLOCK:
            content = _normal(file.read(2 * _BLOCK))
            rows = sorted(set(filter(None, content.split(b"\n")[1:])))
            sampled = choice.sample(rows, min(_SAMPLE, len(rows)))
            text = content if len(content) <= _WHOLE else b""
        else:
            sampled = [row for _ in range(_SAMPLE) if (row := _row_at(file, choice.randrange(size)))]
    cut = (b"\n" + row + b"\n" if len(row) < _LONGEST else b"\n" + row[:_LONGEST] for row in sampled)
    return _Needles(tuple(dict.fromkeys(cut)), text.strip())


def _row_at(file: IO[bytes], offset: int) -> bytes:
    """The first whole row behind a place in a file, or what there is of it."""
    file.seek(offset)
    rows = [row for row in _normal(file.read(4 * _LONGEST)).split(b"\n")[1:] if row]
    return rows[0] if rows else b""


def _normal(block: bytes) -> bytes:
    """Bytes with one kind of line end and without blanks, so that indented rows are found as well."""
    return block.translate(_LINE_ENDS, _BLANKS)


def _holds(
    open_content: Callable[[], IO[bytes]], needles: _Needles, budget: CodeBudget, *, packed: bool = False
) -> bool:
    """Whether nearly all of the needles are in a content, which is read in blocks; it may be a bomb."""
    few = replace(needles, rows=needles.rows[:_FIRST])
    if _share(open_content, few, budget, packed) < _COPY / 2:
        return False  # of a copy, so few are found once in a thousand times
    return _share(open_content, needles, budget, packed) >= _COPY


def _share(open_content: Callable[[], IO[bytes]], needles: _Needles, budget: CodeBudget, packed: bool) -> float:
    """Which share of the needles is in a content."""
    found: set[bytes] = set()
    tail = b"\n"
    kept = max(_LONGEST + 2, len(needles.text))
    with suppress(*_DAMAGED), open_content() as content:
        while len(found) < len(needles.rows):
            block = content.read(_BLOCK)
            budget.take(0 if packed else len(block), unpacked=len(block) if packed else 0)
            text = tail + _normal(block) + (b"" if block else b"\n")
            if needles.text and needles.text in text:
                return 1.0
            found |= {row for row in needles.rows if row not in found and row in text}
            if not block:
                break
            tail = text[-kept:]
    return len(found) / len(needles.rows)


def _packs_copy(path: Path, needles: _Needles, budget: CodeBudget) -> bool:
    """Whether a compressed file or an archive holds a copy, or more than can be searched."""
    try:
        return any(_holds(content, needles, budget, packed=True) for content in _packed(path, budget))
    except OverBudgetError:
        return True


def _packed(path: Path, budget: CodeBudget) -> Iterator[Callable[[], IO[bytes]]]:
    """What a file holds compressed; nothing for one that is not."""
    with suppress(OSError), open_regular(path) as file:
        first = file.read(6)
        unpack = next((unpack for begin, unpack in _UNPACK.items() if first.startswith(begin)), None)
        listed = _list_size(file)
    if unpack is not None:
        yield partial(unpack, path)
    if listed is None:
        return
    if listed > _LARGEST_LIST:
        raise OverBudgetError("its list of members is too long")
    with suppress(*_DAMAGED), zipfile.ZipFile(path) as archive:
        members = [member for member in archive.infolist() if member.compress_type != zipfile.ZIP_STORED]
        budget.take(members=len(archive.infolist()))
        for member in members:  # those that are only stored were found in the file itself
            yield partial(bounded, archive, member)


def _list_size(file: IO[bytes]) -> int | None:
    """The bytes of the list of members of a zip archive; None for a file that is none."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - (1 << 16) - 42))
    end = file.read()
    place = len(end) - 22 if end[-22:-18] == b"PK\x05\x06" and end[-2:] == b"\0\0" else end.rfind(b"PK\x05\x06")
    if place < 0 or place + 22 > len(end):
        return None
    if place >= 20 and end[place - 20 : place - 16] == b"PK\x06\x07":  # its numbers are elsewhere: beyond 4 GB
        return min(size, (1 << 32) - 1)
    return min(size, int.from_bytes(end[place + 12 : place + 16], "little"))
