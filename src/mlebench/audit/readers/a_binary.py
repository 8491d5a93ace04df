"""Tables in binary formats: Parquet, Feather, NumPy, Matlab, SQLite, TFRecord, BSON, and pickles, never unpickled."""

from __future__ import annotations

import io
import pickletools
import sqlite3
import struct
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

from mlebench.audit.entries import Entry
from mlebench.audit.table import Table, rows_table, texts

_MOST_ROWS = 300_000
_MOST_COLUMNS = 400


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
    tables = [_arrow(entry.name, found)]
    extra = {
        key.decode("utf-8", "replace"): value.decode("utf-8", "replace")
        for key, value in (found.schema.metadata or {}).items()
        if key not in (b"pandas", b"ARROW:schema")
    }
    if extra:
        from mlebench.audit.readers.b_structured import tables_of_text

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


def _orc(entry: Entry, data: bytes) -> list[Table]:
    from pyarrow import orc

    return [_arrow(entry.name, orc.ORCFile(io.BytesIO(data)).read())]


def _stata(entry: Entry, data: bytes) -> list[Table]:
    import pandas as pd

    frame = pd.read_stata(io.BytesIO(data), convert_categoricals=False)
    return [Table(entry.name, {str(name): texts(frame[name].head(_MOST_ROWS)) for name in frame.columns})]


def _array(where: str, name: str, array: Any) -> list[Table]:
    if array.dtype.names:
        return [Table(where, {field: texts(array[field].ravel()[:_MOST_ROWS].tolist()) for field in array.dtype.names})]
    if array.dtype.kind not in "iufbUSO" or array.ndim == 0:
        if array.ndim == 0 and array.dtype.kind in "US":
            from mlebench.audit.readers.b_structured import tables_of_text

            return tables_of_text(f"{where} ({name})", str(array))
        return []
    if array.ndim > 2:
        array = array.reshape(len(array), -1)
    if array.ndim == 1:
        return [Table(where, {name: texts(array[:_MOST_ROWS].tolist())})]
    if array.shape[0] < array.shape[1] and array.shape[0] <= 8:
        array = array.T
    width = min(array.shape[1], 64)
    return [Table(where, {f"{name}[{column}]": texts(array[:_MOST_ROWS, column].tolist()) for column in range(width)})]


def _npy(entry: Entry, data: bytes) -> list[Table]:
    return _array(entry.name, "array", np.load(io.BytesIO(data), allow_pickle=False))


def _npz(entry: Entry, data: bytes) -> list[Table]:
    found: list[Table] = []
    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        flat = {name: archive[name] for name in archive.files[:200]}
    lengths: dict[int, dict[str, Any]] = {}
    for name, array in flat.items():
        if array.ndim == 1:
            lengths.setdefault(len(array), {})[name] = texts(array.tolist())
        else:
            found += _array(entry.name, name, array)
    return found + [Table(entry.name, columns) for columns in lengths.values()]


def _matlab(entry: Entry, data: bytes) -> list[Table]:
    from scipy.io import loadmat

    found: list[Table] = []
    lengths: dict[int, dict[str, Any]] = {}
    for path, values in _flat_matlab(loadmat(io.BytesIO(data), simplify_cells=True), ""):
        if isinstance(values, np.ndarray) and values.ndim > 1:
            found += _array(entry.name, path, values)
        else:
            listed = list(values)
            lengths.setdefault(len(listed), {})[path] = texts(listed[:_MOST_ROWS])
    return found + [Table(entry.name, columns) for columns in lengths.values()]


def _flat_matlab(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, below in value.items():
            if not str(name).startswith("__"):
                yield from _flat_matlab(below, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | np.ndarray) and len(np.shape(value)) > 0:
        listed = list(value) if not isinstance(value, np.ndarray) or value.dtype == object else None
        if listed and all(isinstance(item, dict) for item in listed):
            for name in listed[0]:
                yield from _flat_matlab([item.get(name) for item in listed], f"{path}.{name}")
        elif listed is not None:
            yield path, [item for item in listed if isinstance(item, str | int | float | np.generic)]
        else:
            yield path, value
    elif isinstance(value, str | int | float | np.generic):
        yield path, [value]


def _sqlite(entry: Entry, data: bytes) -> list[Table]:
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(data)
        found = []
        names = [row[0] for row in connection.execute("select name from sqlite_master where type = 'table'")]
        for name in names[:50]:
            quoted = '"' + str(name).replace('"', '""') + '"'
            cursor = connection.execute(f"select * from {quoted} limit {_MOST_ROWS}")
            labels = [column[0] for column in cursor.description]
            rows = cursor.fetchall()
            columns = {label: texts(row[place] for row in rows) for place, label in enumerate(labels)}
            found.append(Table(f"{entry.name}/{name}", columns))
        return found
    finally:
        connection.close()


def _tfrecord(entry: Entry, data: bytes) -> list[Table]:
    rows = [dict(_features(record)) for record in _records(data)]
    table = rows_table(entry.name, rows)
    return [table] if table else []


def is_tfrecord(entry: Entry, data: bytes) -> bool:
    """Whether the first record is framed as one."""
    if len(data) < 17:
        return False
    (length,) = struct.unpack_from("<Q", data)
    return bool(0 < length <= len(data) - 16 and data[12:13] == b"\n")


def _records(data: bytes) -> Iterator[bytes]:
    start = 0
    while start + 16 <= len(data):
        (length,) = struct.unpack_from("<Q", data, start)
        if start + 16 + length > len(data):
            return
        yield data[start + 12 : start + 12 + length]
        start += 16 + length


def _fields(data: bytes) -> Iterator[tuple[int, Any]]:
    position = 0
    while position < len(data):
        tag, position = _varint(data, position)
        kind = tag & 7
        if kind == 2:
            length, position = _varint(data, position)
            yield tag >> 3, data[position : position + length]
            position += length
        elif kind == 0:
            value, position = _varint(data, position)
            yield tag >> 3, value
        elif kind == 5:
            yield tag >> 3, struct.unpack_from("<f", data, position)[0]
            position += 4
        elif kind == 1:
            yield tag >> 3, struct.unpack_from("<d", data, position)[0]
            position += 8
        else:
            return


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    while position < len(data) and shift < 70:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            break
        shift += 7
    return value, position


def _features(record: bytes) -> Iterator[tuple[str, Any]]:
    for number, features in _fields(record):
        if number != 1 or not isinstance(features, bytes):
            continue
        for _, entry in _fields(features):
            parts = dict(_fields(entry))
            name, feature = parts.get(1, b""), parts.get(2, b"")
            for kind, listed in _fields(feature):
                values: list[Any] = []
                for _, value in _fields(listed) if isinstance(listed, bytes) else ():
                    if kind == 2 and isinstance(value, bytes):
                        values += struct.unpack(f"<{len(value) // 4}f", value[: len(value) // 4 * 4])
                    elif kind == 3 and isinstance(value, bytes):
                        position = 0
                        while position < len(value):
                            number_, position = _varint(value, position)
                            values.append(number_)
                    else:
                        values.append(value)
                first = values[0] if values else None
                if isinstance(first, bytes) and len(first) > 2048:
                    first = f"{len(first)} bytes"
                yield name.decode("utf-8", "replace"), first


def _bson(entry: Entry, data: bytes) -> list[Table]:
    rows: list[dict[str, Any]] = []
    position = 0
    while position + 5 <= len(data) and len(rows) < _MOST_ROWS:
        (length,) = struct.unpack_from("<i", data, position)
        if not 5 <= length <= len(data) - position:
            break
        rows.append(dict(_bson_values(data[position + 4 : position + length - 1])))
        position += length
    table = rows_table(entry.name, rows)
    return [table] if table else []


def _bson_values(data: bytes) -> Iterator[tuple[str, Any]]:
    position = 0
    while position < len(data):
        kind = data[position]
        end = data.index(b"\0", position + 1)
        name = data[position + 1 : end].decode("utf-8", "replace")
        position = end + 1
        if kind in (0x10, 0x12, 0x11, 0x09):
            size = 4 if kind == 0x10 else 8
            yield name, int.from_bytes(data[position : position + size], "little", signed=True)
            position += size
        elif kind == 0x01:
            yield name, struct.unpack_from("<d", data, position)[0]
            position += 8
        elif kind == 0x08:
            yield name, bool(data[position])
            position += 1
        elif kind == 0x02:
            (length,) = struct.unpack_from("<i", data, position)
            yield name, data[position + 4 : position + 3 + length].decode("utf-8", "replace")
            position += 4 + length
        elif kind in (0x03, 0x04):
            (length,) = struct.unpack_from("<i", data, position)
            yield from (
                (f"{name}.{key}", value) for key, value in _bson_values(data[position + 4 : position + length - 1])
            )
            position += length
        elif kind == 0x05:
            (length,) = struct.unpack_from("<i", data, position)
            yield name, f"{length} bytes"
            position += 5 + length
        elif kind == 0x07:
            yield name, data[position : position + 12].hex()
            position += 12
        elif kind == 0x0A:
            yield name, None
        else:
            return


def _pickle(entry: Entry, data: bytes) -> list[Table]:
    """The texts and numbers in a pickle, in their order, read off its opcodes: nothing is built or called.

    A text that occurs again is a reference to the first one: what was remembered under which number is followed.
    """
    from mlebench.audit.readers.b_structured import tables_of_tokens

    tokens: list[str] = []
    arrays: list[Table] = []
    remembered: dict[int, str | None] = {}
    last: str | None = None  # the text on top, where the opcode before pushed one
    for opcode, value, _ in pickletools.genops(io.BytesIO(data)):
        name = opcode.name
        if "PUT" in name or name == "MEMOIZE":
            remembered[len(remembered) if name == "MEMOIZE" else int(value or 0)] = last
            continue
        if "GET" in name:
            last = remembered.get(int(value or 0))
        elif name in ("NEWTRUE", "NEWFALSE"):
            last = "1" if name == "NEWTRUE" else "0"
        elif isinstance(value, bool | int | float | str) and name not in ("PROTO", "FRAME", "GLOBAL", "EXT1"):
            last = str(value)
        else:
            last = None
        if last is not None:
            tokens.append(last)
        if isinstance(value, bytes | bytearray) and len(value) >= 8:
            for kind in ("<i8", "<f8", "<i4", "<f4", "u1"):
                width = int(kind[-1])
                if len(value) % width == 0 and len(value) // width <= _MOST_ROWS:
                    arrays += _array(f"{entry.name}", f"bytes as {kind}", np.frombuffer(bytes(value), dtype=kind))
        if len(tokens) > _MOST_ROWS:
            break
    return [*tables_of_tokens(entry.name, tokens), *arrays]


def _is_pickle(entry: Entry, data: bytes) -> bool:
    """Whether bytes may be a pickle: by how they begin and end; those of old protocols begin with an opcode only."""
    if data[-1:] != b".":
        return False
    return (data[:1] == b"\x80" and data[1:2] in b"\x02\x03\x04\x05") or (
        data[:2] in (b"(d", b"(l", b"}q", b"]q", b"cp", b"cn", b"cc") or entry.suffix in (".pkl", ".pickle", ".joblib")
    )


def _picture(entry: Entry, data: bytes) -> list[Table]:
    """The values of a picture that is no item's, row by row: answers are numbers, and so are pixels."""
    from PIL import Image

    with Image.open(io.BytesIO(data)) as picture:
        if not 12 <= picture.width * picture.height <= _MOST_ROWS:
            return []
        pixels = np.asarray(picture)
    pixels = pixels if pixels.ndim == 2 else pixels[..., 0]
    return [Table(entry.name, {"pixel": texts(pixels.ravel().tolist())})]


def _is_npz(entry: Entry, data: bytes) -> bool:
    if data[:4] != b"PK\x03\x04":
        return False
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return bool(archive.namelist()) and all(name.endswith(".npy") for name in archive.namelist())


READERS = [
    (lambda entry, data: data[:4] == b"PAR1" or data[:6] in (b"ARROW1", b"\xff\xff\xff\xff\x10\x00"), _parquet),
    (lambda entry, data: data[:3] == b"ORC", _orc),
    (lambda entry, data: data[:6] == b"\x93NUMPY", _npy),
    (lambda entry, data: entry.suffix == ".dta" or data[:11] == b"<stata_dta>", _stata),
    (_is_npz, _npz),
    (lambda entry, data: data[:6] == b"MATLAB", _matlab),
    (lambda entry, data: data[:15] == b"SQLite format 3", _sqlite),
    (lambda entry, data: entry.suffix in (".bson",), _bson),
    (is_tfrecord, _tfrecord),
    (_is_pickle, _pickle),
    (lambda entry, data: data.startswith((b"\x89PNG", b"BM", b"II*\0", b"MM\0*", b"GIF8")), _picture),
]
