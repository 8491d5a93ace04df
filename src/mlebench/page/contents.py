"""What a run left, as far as the page shows it: its log, its code, the head of its submission; hostile and bounded.

What does not fit is linked: the bytes that all runs of a page may take are shared out among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mlebench.base.wording import plain
from mlebench.files.regular import is_folder, is_regular, open_regular
from mlebench.results.names import AGENT_LOG, CODE_FOLDER
from mlebench.results.runs import Run

LOGS, CODE = 400_000, 350_000  # bytes that the logs, and the code, of all runs may take of a page
_LONGEST_LINE, _LONGEST_NAME = 400, 120
_MOST_FILES = 12  # of the code of one run
_MOST_ENTRIES = 2_000  # of a folder that are looked at
_HEAD_LINES, _HEAD_WIDTH, _HEAD_BYTES = 6, 160, 4_000
_SOURCE = frozenset(".bash .c .cfg .cpp .ini .ipynb .jl .json .md .py .r .rs .sh .sql .toml .txt .yaml .yml".split())


@dataclass(frozen=True)
class Excerpt:
    """The text of a file, or its end or its beginning where `is_whole` is false."""

    name: str
    lines: tuple[str, ...]
    is_whole: bool = True


@dataclass(frozen=True)
class Contents:
    """What the page shows of the files of a run."""

    log: Excerpt | None = None
    code: tuple[Excerpt, ...] = ()
    submission: Excerpt | None = None


def contents_of(runs: Sequence[Run], *, logs: int = LOGS, code: int = CODE) -> list[Contents]:
    """The contents of all runs; small files leave their room to larger ones."""
    sources = [_code_files(run) for run in runs]
    log_rooms = shared_out([_size(run.folder / AGENT_LOG) for run in runs], logs)
    code_rooms = shared_out([sum(_size(path) for _, path in files) for files in sources], code)
    return [
        Contents(end_of(run.folder / AGENT_LOG, log_room), _code(files, code_room), _head(run))
        for run, files, log_room, code_room in zip(runs, sources, log_rooms, code_rooms, strict=True)
    ]


def shared_out(sizes: Sequence[int], room: int) -> list[int]:
    """How much of a room each one gets: what it needs, or else the same as the others that need more.

    >>> shared_out([10, 500, 900], 600)
    [10, 295, 295]
    """
    shares = [0] * len(sizes)
    left = room
    for rank, place in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[place] = min(sizes[place], left // (len(sizes) - rank))
        left -= shares[place]
    return shares


def end_of(path: Path, longest: int) -> Excerpt | None:
    """The last lines of a log, at most `longest` bytes of them; None where there is no such file."""
    if not is_regular(path):
        return None
    try:
        with open_regular(path) as file:
            size = file.seek(0, 2)
            start = max(0, size - longest)
            file.seek(start)
            data = file.read(longest)
    except OSError:
        return None
    lines = data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if start:
        lines = lines[1:] or lines  # the first one is cut
    while lines and not lines[-1]:
        lines.pop()
    shown: list[str] = []
    left = longest
    for line in reversed(lines):
        text = plain(line.expandtabs(4), _LONGEST_LINE)
        left -= len(text.encode()) + 1
        if left < 0:
            return Excerpt(path.name, tuple(reversed(shown)), False)
        shown.append(text)
    return Excerpt(path.name, tuple(reversed(shown)), not start)


def _code_files(run: Run) -> list[tuple[str, Path]]:
    """The source files that a run left, by their names within its code."""
    folder = run.folder / CODE_FOLDER
    if not is_folder(folder):
        return []
    found: list[tuple[str, Path]] = []
    folders, seen = [folder], 0
    while folders and seen < _MOST_ENTRIES and len(found) < _MOST_FILES:
        current = folders.pop(0)
        try:
            entries = sorted(current.iterdir(), key=lambda path: path.name)
        except OSError:
            continue
        for path in entries[: _MOST_ENTRIES - seen]:
            seen += 1
            if is_folder(path):
                folders.append(path)
            elif path.suffix.lower() in _SOURCE and is_regular(path) and len(found) < _MOST_FILES:
                found.append((path.relative_to(folder).as_posix(), path))
    return found


def _code(files: Sequence[tuple[str, Path]], room: int) -> tuple[Excerpt, ...]:
    rooms = shared_out([_size(path) for _, path in files], room)
    found = [_beginning(path, name, share) for (name, path), share in zip(files, rooms, strict=True) if share]
    return tuple(excerpt for excerpt in found if excerpt is not None)


def _beginning(path: Path, name: str, longest: int, most: int | None = None, width: int = 1_000) -> Excerpt | None:
    try:
        with open_regular(path) as file:
            data = file.read(longest + 1)
    except OSError:
        return None
    if b"\0" in data:
        return None
    is_whole = len(data) <= longest
    lines = data[:longest].decode("utf-8", "replace").splitlines()
    if most is not None and len(lines) > most:
        lines, is_whole = lines[:most], False
    shown = tuple(plain(line.expandtabs(4), width) for line in lines)
    return Excerpt(plain(name, _LONGEST_NAME), shown, is_whole)


def _head(run: Run) -> Excerpt | None:
    """The first lines of the submission."""
    if not run.has_submission:
        return None
    return _beginning(run.submission, run.submission.name, _HEAD_BYTES, _HEAD_LINES, _HEAD_WIDTH)


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size if is_regular(path) else 0
    except OSError:
        return 0
