"""Tables in formats of columns and arrays: Parquet, Feather, Arrow, ORC, Stata, NumPy, Matlab."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mlebench.audit.entries import Entry
from mlebench.audit.readers.nested import tables_of_value
from mlebench.audit.readers.pickles import lists_of_objects, side_by_side
from mlebench.audit.readers.text import tables_of_text
from mlebench.audit.table import Table, Texts, texts

_MOST_ROWS = 300_000
_MOST_COLUMNS = 400
_WIDEST, _MOST_CELLS = 128, 19_200_000  # columns of a matrix, and cells that are read of it
_MOST_NESTED = 5000  # rows with values in values


def _parquet(entry: Entry, data: bytes) -> list[Table]:
    import pyarrow as pa
    import pyarrow.feather as feather
    import pyarrow.parquet as pq

    if data[:4] == b"PAR1":
        found = pq.read_table(io.BytesIO(data))
    elif data[:6] == b"ARROW1":
        found = feather.read_table(io.BytesIO(data))
    else:
        found = pa.ipc.open_stream(io.BytesIO(data)).read_all()
    tables = [_arrow(entry.name, found), *_nested(entry.name, found)]
    extra = {
        key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
        for metadata in (found.schema.metadata, *(field.metadata for field in found.schema))
        for key, value in (metadata or {}).items()
        if key not in (b"pandas", b"ARROW:schema")
    }
    if extra:
        for key, value in extra.items():
            tables += tables_of_text(f"{entry.name} ({key})", value)
    return tables


def _arrow(where: str, found: Any) -> Table:
    taken = found.slice(0, _MOST_ROWS)
    columns = {
        str(name): texts(taken.column(place).to_pylist())
        for place, name in enumerate(taken.column_names[:_MOST_COLUMNS])
    }
    return Table(where, columns, sampled=len(found) > _MOST_ROWS)


def _nested(where: str, found: Any) -> list[Table]:
    """Values in values, as those of JSON."""
    import pyarrow.types as kinds

    if len(found) > _MOST_NESTED or not any(kinds.is_nested(field.type) for field in found.schema):
        return []
    rows = json.loads(json.dumps(found.to_pylist(), default=str))
    tables = list(tables_of_value(where, rows))
    for row in rows[:3]:
        tables += tables_of_value(where, row)
    return tables


def _orc(entry: Entry, data: bytes) -> list[Table]:
    from pyarrow import orc

    return [_arrow(entry.name, orc.ORCFile(io.BytesIO(data)).read())]


def _stata(entry: Entry, data: bytes) -> list[Table]:
    import pandas as pd

    frame = pd.read_stata(io.BytesIO(data), convert_categoricals=False)
    return [Table(entry.name, {str(name): texts(frame[name].head(_MOST_ROWS)) for name in frame.columns})]


def array_tables(where: str, name: str, array: Any) -> list[Table]:
    """The tables in an array."""
    if array.dtype.names:
        return [Table(where, {field: texts(array[field].ravel()[:_MOST_ROWS].tolist()) for field in array.dtype.names})]
    if array.dtype.kind not in "iufbUSO" or array.ndim == 0:
        if array.ndim == 0 and array.dtype.kind in "US":
            return tables_of_text(f"{where} ({name})", str(array))
        return []
    if array.ndim > 2:
        array = array.reshape(len(array), -1)
    if array.ndim == 1:
        return [Table(where, {name: texts(array[:_MOST_ROWS].tolist())})]
    if array.shape[0] < array.shape[1] and array.shape[0] <= 8:
        array = array.T
    width = min(array.shape[1], _WIDEST)
    rows = _MOST_CELLS // max(width, 1)
    return [Table(where, {f"{name}[{column}]": texts(array[:rows, column].tolist()) for column in range(width)})]


def _npy(entry: Entry, data: bytes) -> list[Table]:
    try:
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except ValueError:  # it has objects
        return side_by_side(entry.name, lists_of_objects(data))
    return array_tables(entry.name, "array", array)


def _npz(entry: Entry, data: bytes) -> list[Table]:
    found: list[Table] = []
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        flat = {}
        objects: list[tuple[str, list[Any]]] = []
        for name in archive.files[:200]:
            try:
                flat[name] = archive[name]
            except ValueError:  # it has objects
                objects += [(name, values) for _, values in lists_of_objects(archive.zip.read(f"{name}.npy"))]
    if objects:
        objects += [(name, array.tolist()) for name, array in flat.items() if array.ndim == 1]
        found += side_by_side(entry.name, objects)
    return found + _beside_one_another(entry.name, flat)


def _beside_one_another(where: str, arrays: Mapping[str, Any]) -> list[Table]:
    """The tables in several arrays: lists of one length are columns of one, and so are those of a matrix as long."""
    found: list[Table] = []
    lists = {name: array for name, array in arrays.items() if isinstance(array, list) or array.ndim == 1}
    columns: dict[int, dict[str, Texts]] = {}
    for name, listed in lists.items():
        shown = listed[:_MOST_ROWS]
        columns.setdefault(len(listed), {})[name] = texts(shown if isinstance(shown, list) else shown.tolist())
    for name in [name for name in arrays if name not in lists]:
        for table in array_tables(where, name, arrays[name]):
            if arrays[name].ndim == 2 and len(table) in columns:
                columns[len(table)] |= table.columns
            else:
                found.append(table)
    return found + [Table(where, named) for named in columns.values()]


def _netcdf(entry: Entry, data: bytes) -> list[Table]:
    from scipy.io import netcdf_file

    lists: list[tuple[str, list[Any]]] = []
    with netcdf_file(io.BytesIO(data), "r", mmap=False) as file:
        for name, variable in list(file.variables.items())[:200]:
            values = np.asarray(variable.data)
            if values.dtype.kind == "S" and values.ndim == 2:
                values = np.array([b"".join(row).decode("utf-8", "replace").strip(" \0") for row in values.tolist()])
            if values.ndim:
                lists.append((str(name), values.ravel()[:_MOST_ROWS].tolist()))
    return side_by_side(entry.name, lists)


def _matlab(entry: Entry, data: bytes) -> list[Table]:
    from scipy.io import loadmat

    return _beside_one_another(entry.name, dict(flat_matlab(loadmat(io.BytesIO(data), simplify_cells=True), "")))


def flat_matlab(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """(path, values) of what is in a Matlab file."""
    if isinstance(value, dict):
        for name, below in value.items():
            if not str(name).startswith("__"):
                yield from flat_matlab(below, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | np.ndarray) and len(np.shape(value)) > 0:
        listed = list(value) if not isinstance(value, np.ndarray) or value.dtype == object else None
        if listed and all(isinstance(item, dict) for item in listed):
            for name in listed[0]:
                yield from flat_matlab([item.get(name) for item in listed], f"{path}.{name}")
        elif listed is not None:
            # An empty text is an array without elements there.
            one = [None if isinstance(item, np.ndarray) and not item.size else item for item in listed]
            yield path, [item for item in one if item is None or isinstance(item, str | int | float | np.generic)]
        else:
            yield path, value
    elif isinstance(value, str | int | float | np.generic):
        yield path, [value]


def _is_npz(entry: Entry, data: bytes) -> bool:
    if data[:4] != b"PK\x03\x04":
        return False
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return bool(archive.namelist()) and all(name.endswith(".npy") for name in archive.namelist())


READERS = [
    (lambda entry, data: data[:4] in (b"PAR1", b"\xff\xff\xff\xff") or data[:6] == b"ARROW1", _parquet),
    (lambda entry, data: data[:3] == b"ORC", _orc),
    (lambda entry, data: data[:6] == b"\x93NUMPY", _npy),
    (lambda entry, data: entry.suffix == ".dta" or data[:11] == b"<stata_dta>", _stata),
    (_is_npz, _npz),
    (lambda entry, data: data[:6] == b"MATLAB", _matlab),
    (lambda entry, data: data[:4] in (b"CDF\x01", b"CDF\x02"), _netcdf),
]
