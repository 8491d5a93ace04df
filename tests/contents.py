"""What is inside files of many formats, so that descriptions can be compared with it."""

from __future__ import annotations

import io
import json
import struct
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow.parquet as pq

TABLES = (".csv", ".csv.zip", ".tsv", ".tsv.zip", ".parquet")
ARCHIVES = (".zip", ".7z", ".tar.gz", ".tar")
RECORDS = (".json", ".jsonl", ".bson", ".tfrec")


def columns(name: str, data: bytes) -> list[str]:
    """The columns of a table."""
    if name.endswith(".parquet"):
        return [str(each) for each in pq.read_schema(io.BytesIO(data)).names]
    compression = "zip" if name.endswith(".zip") else None
    table = pd.read_csv(io.BytesIO(data), nrows=0, sep="\t" if ".tsv" in name else ",", compression=compression)
    return [str(each) for each in table.columns]


def members(name: str, data: bytes) -> dict[str, Callable[[], bytes]]:
    """The files in an archive: name -> a function that reads it."""
    if name.endswith(".zip"):
        archive = zipfile.ZipFile(io.BytesIO(data))
        return {each: partial(archive.read, each) for each in archive.namelist() if not each.endswith("/")}
    if name.endswith(".7z"):
        import tempfile

        import py7zr

        with tempfile.TemporaryDirectory() as folder, py7zr.SevenZipFile(io.BytesIO(data)) as seven:
            seven.extractall(folder)
            found = {
                path.relative_to(folder).as_posix(): path.read_bytes()
                for path in Path(folder).rglob("*")
                if path.is_file()
            }
        return {each: partial(bytes, content) for each, content in found.items()}
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        contents = {each.name: file.read() for each in tar if (file := tar.extractfile(each)) is not None}
    return {each: partial(bytes, content) for each, content in contents.items()}


def records(name: str, data: bytes) -> list[Any]:
    """The records of a file: of a list in JSON each item, of JSON lines each line; keys are what counts."""
    if name.endswith(".jsonl"):
        return [json.loads(line) for line in data.splitlines() if line.strip()]
    if name.endswith(".bson"):
        return list(_bson_documents(data))
    if name.endswith(".tfrec"):
        return [dict.fromkeys(keys) for keys in _tfrecord_features(data)]
    try:
        value = json.loads(data)
    except ValueError:  # JSON lines under the name of JSON
        return [json.loads(line) for line in data.splitlines() if line.strip()]
    return value if isinstance(value, list) else [value]


def keys(values: Iterable[Any]) -> dict[str, list[Any]]:
    """The keys of all objects among the values, lists opened: key -> what is below it."""
    found: dict[str, list[Any]] = {}
    for value in values:
        if isinstance(value, list):
            for key, below in keys(value).items():
                found.setdefault(key, []).extend(below)
        elif isinstance(value, dict):
            for key, below in value.items():
                found.setdefault(key, []).append(below)
    return found


def _bson_documents(data: bytes) -> Iterable[dict[str, Any]]:
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from("<i", data, at)
        yield _document(data[at : at + size])
        at += size


def _document(document: bytes) -> dict[str, Any]:
    """The keys of a BSON document with the documents below them; the values of a list are a list."""
    at, found = 4, dict[str, Any]()
    while document[at]:
        kind, end = document[at], document.index(b"\0", at + 1)
        name, at = document[at + 1 : end].decode(), end + 1
        found[name] = None
        if kind in (3, 4):
            size = struct.unpack_from("<i", document, at)[0]
            below = _document(document[at : at + size])
            found[name] = list(below.values()) if kind == 4 else below
        elif kind in (2, 5):
            size = (4 if kind == 2 else 5) + struct.unpack_from("<i", document, at)[0]
        else:
            size = {1: 8, 8: 1, 9: 8, 10: 0, 16: 4, 18: 8}[kind]
        at += size
    return found


def _tfrecord_features(data: bytes) -> Iterable[list[str]]:
    at = 0
    while at < len(data):
        (size,) = struct.unpack_from("<Q", data, at)
        record = data[at + 12 : at + 12 + size]
        features = next(content for number, content in _fields(record) if number == 1)
        yield [
            next(value for key, value in _fields(entry) if key == 1).decode()
            for number, entry in _fields(features)
            if number == 1
        ]
        at += 16 + size


def _fields(message: bytes) -> Iterable[tuple[int, bytes]]:
    """(number, content) of the length-delimited fields of a protobuf message."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        assert key & 7 == 2, "only fields of bytes occur on the way to the names"
        size, at = _varint(message, at)
        yield key >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if not byte & 128:
            return value, at
