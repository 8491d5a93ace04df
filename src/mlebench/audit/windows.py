"""Pieces of recordings that overlap: where a piece of one side goes on in one of the other."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.item_files import ItemFile
from mlebench.audit.sounds import samples_of
from mlebench.audit.table import Numbers, Table, as_numbers
from mlebench.audit.targets import Items, plain_key

_RUN, _DISTINCT = 8, 5  # moments that are looked up, and how many values of these must differ
_SHORTEST, _LONGEST = 16, 4000  # moments of a piece
_MOST_PIECES, _MOST_RUNS, _MOST_BYTES = 600, 1_500_000, 4 << 20
_PROBES = 8
_EQUAL = 0.97  # of the moments that both have
_OFTEN = 12  # pieces that a run may be in; more often it is no moment of its own
_MOST_CHANNELS = 3
_NUMBERED = re.compile(r"(.*?)(\d+)\D*")
Pieces = Mapping[int, Numbers]  # by item


@dataclass(frozen=True)
class Overlap:
    """A piece that begins `shift` moments later than another one."""

    other: int
    shift: int


def of_files(files: Sequence[ItemFile], items: Items) -> dict[str, dict[int, Numbers]]:
    """By kind of file and channel: the piece of each item."""
    found: dict[str, dict[int, Numbers]] = {}
    counts: dict[str, int] = {}
    for file in files:
        if counts.get(file.slot, 0) >= _MOST_PIECES or file.entry.size > _MOST_BYTES:
            continue
        channels = _channels(file.entry)
        if channels is None:
            continue
        counts[file.slot] = counts.get(file.slot, 0) + 1
        for number, values in enumerate(channels[:_MOST_CHANNELS]):
            for row in items.names.get(file.key, ())[:1]:
                found.setdefault(f"{file.slot} {number}", {}).setdefault(row, values)
    return found


def _channels(entry: Entry) -> NDArray[np.float64] | None:
    """The numbers of a file, a row for each channel."""
    try:
        data = entry.read(_MOST_BYTES)
        if entry.suffix == ".npy":
            array: Any = np.load(io.BytesIO(data), allow_pickle=False).squeeze()
        elif entry.suffix == ".wav":
            array = samples_of(data)
        elif entry.suffix in (".csv", ".tsv", ".txt"):
            array = _cells(data)
        else:
            return None
    except (*DAMAGED, TypeError):
        return None
    if array is None or array.ndim not in (1, 2) or array.dtype.kind not in "iuf":
        return None
    rows = array[None] if array.ndim == 1 else array if array.shape[0] < array.shape[1] else array.T
    return rows[:, :_LONGEST].astype(float) if rows.shape[1] >= _SHORTEST else None


def _cells(data: bytes) -> NDArray[np.float64] | None:
    lines = data.replace(b"\t", b",").replace(b";", b",").splitlines()[: _LONGEST + 1]
    cells = [line.split(b",") for line in lines[1:]]
    if len(cells) < _SHORTEST or len({len(row) for row in cells}) > 1:
        return None
    columns = []
    for column in zip(*cells, strict=True):
        try:
            values = np.array(column, dtype="S32").astype(float)
        except ValueError:
            continue
        steps = np.diff(values)
        if np.isfinite(values).all() and len(set(steps.tolist())) != 1:  # numbers of moments are no measurement
            columns.append(values)
    return np.array(columns) if columns else None


def of_table(table: Table, items: Items, key: str) -> dict[str, dict[int, Numbers]]:
    """The pieces in a table: a row with a column per moment, or several rows for each item."""
    keys = table.columns.get(key)
    if keys is None:
        return {}
    owners: dict[int, list[int]] = {}
    for place, value in enumerate(keys):
        for row in items.names.get(plain_key(value), ())[:1] if value else ():
            if len(owners) < _MOST_PIECES or row in owners:
                owners.setdefault(row, []).append(place)
    numbers = {
        name: found
        for name, values in table.columns.items()
        if name != key and (found := as_numbers(values)) is not None
    }
    if owners and np.median([len(places) for places in owners.values()]) >= _SHORTEST:
        return {
            name: {row: values[places[:_LONGEST]] for row, places in owners.items()} for name, values in numbers.items()
        }
    wide: dict[str, dict[int, Numbers]] = {}
    for stem, names in _moments(list(numbers)).items():
        matrix = np.column_stack([numbers[name] for name in names])
        wide[f"{stem}*"] = {row: matrix[places[0]] for row, places in owners.items()}
    return wide


def _moments(names: Sequence[str]) -> dict[str, list[str]]:
    """Columns with one name and a number each, in the order of these."""
    stems: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        if found := _NUMBERED.fullmatch(name):
            stems.setdefault(found.group(1), []).append((int(found.group(2)), name))
    return {stem: [name for _, name in sorted(found)] for stem, found in stems.items() if len(found) >= _SHORTEST}


def overlaps(pieces: Pieces, others: Pieces) -> dict[int, list[Overlap]]:
    """For each piece those of the others that have some of its moments, earlier or later in them."""
    index: dict[bytes, list[tuple[int, int]]] = {}
    count = 0
    for item, values in others.items():
        if (count := count + len(values)) > _MOST_RUNS:
            break
        for place, run in _runs(values):
            index.setdefault(run, []).append((item, place))
    found: dict[int, list[Overlap]] = {}
    for item, values in pieces.items():
        runs = list(_runs(values))
        places = sorted(set(np.linspace(0, len(runs) - 1, _PROBES).astype(int).tolist())) if runs else []
        seen = {
            Overlap(other, there - runs[number][0])
            for number in places
            if len(hits := index.get(runs[number][1], [])) <= _OFTEN
            for other, there in hits
        }
        kept = [one for one in seen if one.shift and _agree(values, others[one.other], one.shift)]
        if kept:
            found[item] = sorted(kept, key=lambda one: (abs(one.shift), one.other))
    return found


def _runs(values: Numbers) -> Iterator[tuple[int, bytes]]:
    """(where it begins, a run of moments) of those that vary and so are of their own."""
    rounded = values.astype(np.float32)
    for place in range(len(rounded) - _RUN + 1):
        run = rounded[place : place + _RUN]
        if len(set(run.tolist())) >= _DISTINCT:
            yield place, run.tobytes()


def _agree(values: Numbers, other: Numbers, shift: int) -> bool:
    """Whether two pieces are equal in all moments that both have."""
    start, stop = max(0, -shift), min(len(values), len(other) - shift)
    if stop - start < _RUN:
        return False
    one, two = values[start:stop].astype(np.float32), other[start + shift : stop + shift].astype(np.float32)
    return float(np.mean(one == two)) >= _EQUAL


def continued(values: Numbers, found: Sequence[Overlap], others: Pieces) -> Numbers:
    """The moments behind a piece that the others have."""
    rest = [others[one.other][one.shift + len(values) :] for one in found]
    return max(rest, key=len, default=np.zeros(0))
