"""Files of items that have nothing in them: a header alone, one colour, silence, or what no program can read."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.matching import Matched
from mlebench.audit.table import Numbers, Table, as_numbers

_CORNERS = ("top left", "top right", "bottom left", "bottom right")
_CHANNELS = 4
_TINY = 0.2  # of the smallest file of train
_FEWEST = 8  # files on either side


def hollow_files(test: list[Matched], train: list[Matched]) -> Iterator[tuple[str, str, int, int, int, int]]:
    """(where, what is wrong, how many of how many files of test, of train) for files that both sides have."""
    known = {(matched.table.notes, matched.table.sampled): matched.table for matched in train if _is_of_files(matched)}
    for matched in test:
        table = matched.table
        other = known.get((table.notes, table.sampled)) if _is_of_files(matched) else None
        if other is None or min(len(table), len(other)) < _FEWEST:
            continue
        # What has no pixels may be far too small and unreadable, too: it is said once.
        what, mine, theirs = max(_judged(table, other), key=lambda judged: int(judged[1].sum()) - int(judged[2].sum()))
        yield table.where, what, int(mine.sum()), len(mine), int(theirs.sum()), len(theirs)


def _is_of_files(matched: Matched) -> bool:
    return matched.table.is_artifact and bool(matched.table.notes)


def _judged(test: Table, train: Table) -> Iterator[tuple[str, NDArray[np.bool_], NDArray[np.bool_]]]:
    sizes = _numbers(test, "size"), _numbers(train, "size")
    smallest = np.nanmin(sizes[1]) if not np.isnan(sizes[1]).all() else 0.0
    with np.errstate(invalid="ignore"):
        # Files of no bytes at all are another matter.
        yield (
            "are far smaller than any of train, as if they were headers alone",
            (sizes[0] > 0) & (sizes[0] < _TINY * smallest),
            np.zeros(len(train), dtype=bool),
        )
    yield "cannot be read", _has(test, "unreadable"), _has(train, "unreadable")
    yield "are of one colour", _is_flat(test), _is_flat(train)
    yield "are silent", _numbers(test, "loudest sample") == 0, _numbers(train, "loudest sample") == 0
    for name, what in (("length of the pixels", "have no pixels"), ("length of the sound", "have no samples")):
        if name in train.columns:
            yield what, _lacks(test, name), _lacks(train, name)


def _numbers(table: Table, name: str) -> Numbers:
    found = as_numbers(table.columns[name]) if name in table.columns else None
    return np.full(len(table), np.nan) if found is None else found


def _lacks(table: Table, name: str) -> NDArray[np.bool_]:
    return np.array([not number > 0 for number in _numbers(table, name)], dtype=bool)


def _has(table: Table, name: str) -> NDArray[np.bool_]:
    return np.array([value is not None for value in table.columns[name]]) if name in table.columns else _none(table)


def _none(table: Table) -> NDArray[np.bool_]:
    return np.zeros(len(table), dtype=bool)


def _is_flat(table: Table) -> NDArray[np.bool_]:
    """Pictures whose corners are alike, and on average of that colour throughout."""
    if f"{_CORNERS[0]} pixel 0" not in table.columns:
        return _none(table)
    corners = np.stack(
        [[_numbers(table, f"{name} pixel {channel}") for channel in range(_CHANNELS)] for name in _CORNERS]
    )
    are_alike = ((corners == corners[0]) | np.isnan(corners)).all(axis=(0, 1)) & ~np.isnan(corners[0, 0])
    counted = np.maximum((~np.isnan(corners[0])).sum(axis=0), 1)
    colour = np.nansum(corners[0], axis=0) / counted
    found: NDArray[np.bool_] = are_alike & (np.abs(colour - _numbers(table, "mean of its pixels")) < 1e-3)
    return found
