"""Equal and nearly equal files on both sides, pictures and sounds above all, and whether they share labels."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from mlebench.audit.entries import DAMAGED
from mlebench.audit.finding import Found
from mlebench.audit.item_files import ItemFile
from mlebench.audit.likeness import Views, of_array, of_dicom, of_picture, of_sound, of_table, seen_again
from mlebench.audit.pairs import FEWEST, Pairs, equal, judged
from mlebench.audit.sounds import heard
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers
from mlebench.audit.targets import Items
from mlebench.base import progress

_MOST_FILES, _MOST_LOOKED_AT = 3000, 1500
_MOST_BYTES = 8 << 20
_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".gif", ".webp")
_TEXTS = (".json", ".txt")
_VIEWS: dict[str, tuple[Views, str]] = {
    "picture": (of_picture, "pictures that look alike"),
    ".wav": (of_sound, "sounds that are alike"),
    ".dcm": (of_dicom, "pictures that look alike"),
    ".dicom": (of_dicom, "pictures that look alike"),
    ".npy": (of_array, "arrays with nearly equal numbers"),
    ".csv": (of_table, "files with nearly equal numbers"),
    ".tsv": (of_table, "files with nearly equal numbers"),
}
_Members = list[tuple[ItemFile, int]]


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for files of items."""
    if survey.train is None:
        return
    test = _by_family(survey.test_files, survey.test)
    train = _by_family(survey.train_files, survey.train)
    for family, members in test.items():
        others = train.get(family, [])
        if len(members) < FEWEST or len(others) < 8:
            continue
        mine, theirs = (np.array([item for _, item in files], dtype=np.int64) for files in (members, others))
        same = equal(_digests(members), _digests(others), mine, theirs)
        found = judged(survey, same, _place(members, others, same), "equal files")
        # Texts may be equal where little is to be said; that is no news unless they give answers away.
        if found is not None and (family not in _TEXTS or found.severity == "leak"):
            yield found
        if family in _VIEWS and (found is None or found.severity != "leak"):
            views, what = _VIEWS[family]
            left, right = members[:_MOST_LOOKED_AT], others[:_MOST_LOOKED_AT]
            pairs = seen_again(
                _Contents(left), _Contents(right), mine[: len(left)], theirs[: len(right)], _readable(views)
            )
            if pairs is not None and (found := judged(survey, pairs, _place(left, right, pairs), what)) is not None:
                yield found


def _place(members: _Members, others: _Members, pairs: Pairs) -> str:
    """The files of the first pair: copies of what is to be predicted may lie far from the other files of train."""
    one, item = next(((file, item) for file, item in members if item in pairs.test), members[0])
    twins = set(pairs.test.get(item, ()))
    other = next((file for file, known in others if known in twins), others[0][0])
    return f"files like {one.entry.name} and {other.entry.name}"


class _Contents:
    """The contents of files, each read when it is asked for; None where one cannot be read."""

    def __init__(self, members: _Members) -> None:
        self._members = members

    def __len__(self) -> int:
        return len(self._members)

    def __getitem__(self, place: int) -> bytes | None:
        try:
            return self._members[place][0].entry.read(_MOST_BYTES)
        except DAMAGED:
            return None


def _readable(views: Views) -> Views:
    """The same, with nothing for what cannot be read."""

    def tried(data: bytes) -> list[Numbers]:
        try:
            return views(data)
        except (*DAMAGED, SyntaxError):
            return []

    return tried


def _by_family(files: list[ItemFile], items: Items | None) -> dict[str, _Members]:
    """The files with their items by what they are: pictures, whatever their format, and otherwise the ending."""
    assert items is not None
    families: dict[str, _Members] = {}
    for file in files:
        if file.entry.size:
            family = "picture" if file.entry.suffix in _PICTURES else file.entry.suffix
            families.setdefault(family, []).append((file, items.names[file.key][0]))
    return {family: members[:_MOST_FILES] for family, members in families.items()}


def _digests(members: _Members) -> list[Any]:
    found: list[Any] = []
    with progress.stage("read", "files, for equal ones", total=len(members), unit="files") as stage:
        for number, (file, _) in enumerate(members):
            stage.advance()
            try:
                data = heard(file.entry.read(_MOST_BYTES))
                found.append((len(data), zlib.crc32(data)) if data else ("empty", number, file.entry.name))
            except DAMAGED:
                found.append(("unreadable", number, file.entry.name))
    return found
