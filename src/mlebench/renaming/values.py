"""Which names of columns and files are values too: labels, and paths that tables hold. Such names stay as they are."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from mlebench.renaming.tables import DELIMITERS, JSON
from mlebench.renaming.words import split_suffixes

_READ = 4 << 20  # bytes of a table that are looked at
_TABLES_IN_FOLDER = 20
_MOST_LABELS = 2000  # a column with more different values holds no labels
_TOKEN = re.compile(r"[\s,;|]+")
_PAIR = re.compile(r'"((?:[^"\\]|\\.)*)"\s*:\s*"((?:[^"\\]|\\.)*)"')


def names_among_values(public: Path, columns: set[str], files: set[str]) -> set[str]:
    """The names of columns that are labels in some column of the data, and the names of files that values give.

    A column holds labels if at least half of its different values, or of the words in them, are names of columns: a
    text that happens to have such a word in it does not count.
    """
    if not columns and not files:
        return set()
    found: set[str] = set()
    for cells in _columns(public):
        values = set(cells)
        found |= values & files
        for value in values:
            if value and not any(character.isspace() for character in value):
                found |= _named_files(value, files)
        for labels in (values, {word for value in values for word in _TOKEN.split(value)}):
            labels.discard("")
            hits = labels & columns
            if hits and len(labels) <= _MOST_LABELS and 2 * len(hits) >= len(labels):
                found |= hits
    return found


def _named_files(value: str, files: set[str]) -> set[str]:
    """The names of files and folders in a value that is a path, or the name of a file with its ending."""
    parts = value.split("/")
    stems = [split_suffixes(part) for part in parts]
    return {stem for stem, suffixes in stems if stem in files and (suffixes or len(parts) > 1)}


def _columns(public: Path) -> Iterator[Iterable[str]]:
    """The values of each column of the tables, and of each key of the JSON files, as far as they are looked at."""
    seen: Counter[Path] = Counter()
    for path in sorted(public.rglob("*")):
        suffix = path.suffix.lower()
        if not path.is_file() or suffix not in (*DELIMITERS, *JSON, ".zip"):
            continue
        seen[path.parent] += 1
        if seen[path.parent] > _TABLES_IN_FOLDER:
            continue
        if suffix != ".zip":
            with path.open("rb") as file:
                yield from _columns_of(file.read(_READ), suffix)
            continue
        if not zipfile.is_zipfile(path):
            continue
        with zipfile.ZipFile(path) as archive:
            tables = [name for name in archive.namelist() if Path(name).suffix.lower() in (*DELIMITERS, *JSON)]
            for name in tables[:_TABLES_IN_FOLDER]:
                with archive.open(name) as member:
                    yield from _columns_of(member.read(_READ), Path(name).suffix.lower())


def _unescaped(value: str) -> str:
    try:
        return str(json.loads(f'"{value}"', strict=False)) if "\\" in value else value
    except ValueError:
        return value


def _columns_of(start: bytes, suffix: str) -> Iterator[Iterable[str]]:
    text = start.decode("utf-8-sig", "replace")
    if suffix in JSON:
        by_key: defaultdict[str, set[str]] = defaultdict(set)
        for key, value in _PAIR.findall(text):
            by_key[key].add(_unescaped(value))
        yield from by_key.values()
        return
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=DELIMITERS[suffix])
    by_place: defaultdict[int, set[str]] = defaultdict(set)
    try:
        next(rows, None)
        for row in rows:
            for place, cell in enumerate(row):
                by_place[place].add(cell)
    except csv.Error:  # an enormous cell: what was read counts
        pass
    yield from by_place.values()
