"""HDF5: what the library says where it is installed, else the numbers and texts of its packed parts."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from mlebench.audit.carving import deflated
from mlebench.audit.entries import Entry
from mlebench.audit.readers.pickles import side_by_side
from mlebench.audit.readers.text import words_of
from mlebench.audit.table import Table, rows_table

_MOST_VALUES = 300_000
_MOST_SETS = 5000
_MOST_PARTS = 400
_NUMBERS = ("<i8", "<f8", "<i4", "<f4", "<i2", "u1")


def _hdf5(entry: Entry, data: bytes) -> list[Table]:
    try:
        import h5py  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        return [*_parts(entry, data), *words_of(entry, data)]
    lists: list[tuple[str, list[Any]]] = []
    rows: list[dict[str, Any]] = []
    with h5py.File(io.BytesIO(data), "r") as file:

        def visit(name: str, found: Any) -> None:
            if len(rows) >= _MOST_SETS:
                return
            row = {"name": name, **{str(key): _plain(value) for key, value in list(found.attrs.items())[:50]}}
            if hasattr(found, "shape") and found.shape is not None:
                values: Any = found[()] if found.size <= 4 * _MOST_VALUES else np.empty(0)
                if getattr(values, "dtype", None) is not None and values.dtype.names:
                    lists.extend((f"{name}.{field}", _listed(values[field])) for field in values.dtype.names)
                elif np.ndim(values):
                    lists.append((name, _listed(values)))
                row["first value"] = _plain(np.ravel(values)[0]) if np.size(values) else None
            rows.append(row)

        file.visititems(visit)
    table = rows_table(entry.name, rows)
    return [*side_by_side(entry.name, lists), *([table] if table else []), *words_of(entry, data)]


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if np.ndim(value) == 0 else " ".join(str(item) for item in np.ravel(value)[:50].tolist())


def _listed(values: Any) -> list[Any]:
    return [_plain(value) for value in np.ravel(values)[: 4 * _MOST_VALUES].tolist()]


def _parts(entry: Entry, data: bytes) -> list[Table]:
    """The packed parts as texts or numbers, those of one size one behind the other."""
    parts: dict[int, list[bytes]] = {}
    for part in deflated(data)[:_MOST_PARTS]:
        parts.setdefault(len(part), []).append(part)
    lists: list[tuple[str, list[Any]]] = []
    for size, found in parts.items():
        for label, content in (("", b"".join(found)), *((f" {width}", _in_turn(found, width)) for width in (2, 4, 8))):
            words = [word.decode("latin-1") for word in content.split(b"\0") if word.isascii() and len(word) > 2]
            if len(words) > 3 and not label:
                lists.append((f"texts of {size}", words[:_MOST_VALUES]))
            for kind in _NUMBERS:
                width = np.dtype(kind).itemsize
                if len(content) % width == 0 and (not label or label == f" {width}"):
                    numbers = np.frombuffer(content, kind)[:_MOST_VALUES]
                    if np.isfinite(numbers.astype(np.float64)).all():
                        lists.append((f"{kind} of {size}{label}", numbers.tolist()))
    lengths = sorted({len(values) for _, values in lists if len(values) > 3})
    # The last part is filled up: a list of names says how long the others are.
    named = [len(values) for name, values in lists if name.startswith("texts")]
    lists += [
        (name, values[:length])
        for length in named[:5]
        for name, values in lists
        if length < len(values) <= 4 * length and not name.startswith("texts")
    ]
    return side_by_side(entry.name, lists) if lengths else []


def _in_turn(parts: list[bytes], width: int) -> bytes:
    """Numbers whose first bytes come first, then their second ones, in the usual order again."""
    found = []
    for part in parts:
        if len(part) % width:
            return b""
        found.append(np.frombuffer(part, np.uint8).reshape(width, -1).T.tobytes())
    return b"".join(found)


READERS = [(lambda entry, data: data[:8] == b"\x89HDF\r\n\x1a\n", _hdf5)]
