"""Tables under other names of columns: CSV, TSV, JSON (the keys) and Parquet. Rows and values stay as they are."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from mlebench.renaming.headers import rename_columns

DELIMITERS = {".csv": ",", ".tsv": "\t"}
JSON = (".json", ".jsonl", ".ndjson")
TABLES = (*DELIMITERS, *JSON, ".parquet")
_STRING = re.compile(rb'"((?:[^"\\]|\\.)*)"(\s*:)?', re.DOTALL)
_BLOCK = 32 << 20
_PANDAS = b"pandas"


def rename_table(source: Path, target: Path, names: Mapping[str, str]) -> bool:
    """Write a table with other names of its columns or keys to a new file; False, and no file, if none changes."""
    suffix = source.suffix.lower()
    if not names or suffix not in TABLES:
        return False
    if suffix == ".parquet":
        return _rename_parquet(source, target, names)
    with source.open("rb") as stream:
        if suffix in DELIMITERS:
            return rename_columns(stream, target, names, DELIMITERS[suffix])
        return _rename_keys(stream, target, names)


def _rename_keys(stream: BinaryIO, target: Path, names: Mapping[str, str]) -> bool:
    """Copy JSON with other keys: a text before a colon is a key, and nothing else in valid JSON is."""
    changed = False
    encoded = {_encoded(old): _encoded(new) for old, new in names.items()}

    def renamed(found: re.Match[bytes]) -> bytes:
        nonlocal changed
        key, colon = found[1], found[2]
        if colon is None or key not in encoded:
            return found[0]
        changed = True
        return b'"' + encoded[key] + b'"' + colon

    with target.open("wb") as file:
        for block in _blocks(stream):
            file.write(_STRING.sub(renamed, block))
    if not changed:
        target.unlink()
    return changed


def _encoded(name: str) -> bytes:
    return json.dumps(name, ensure_ascii=False)[1:-1].encode()


def _blocks(stream: BinaryIO) -> Iterator[bytes]:
    """JSON in pieces that end between two values, so that no text and no key with its colon is cut."""
    rest = b""
    while block := stream.read(_BLOCK):
        text = rest + block
        end = _last_comma(text)
        yield text[:end]
        rest = text[end:]
    yield rest


def _last_comma(text: bytes) -> int:
    """The end of what may be worked on: behind the last comma that is outside of all texts; 0 if there is none.

    A text begins at every second quotation mark that is not escaped, counted from the start of the piece.
    """
    end = position = 0
    while (found := _STRING.search(text, position)) is not None:
        comma = text.rfind(b",", position, found.start())
        end = comma + 1 if comma >= 0 else end
        position = found.end()
    if text.find(b'"', position) < 0:  # else a text is cut off
        comma = text.rfind(b",", position)
        end = comma + 1 if comma >= 0 else end
    return end


def _rename_parquet(source: Path, target: Path, names: Mapping[str, str]) -> bool:
    import pyarrow.parquet as pq

    with pq.ParquetFile(source) as file:
        schema = file.schema_arrow
        if not any(name in names for name in schema.names):
            return False
        new = schema
        for place, name in enumerate(schema.names):
            new = new.set(place, new.field(place).with_name(names.get(name, name)))
        metadata = dict(schema.metadata or {})
        if _PANDAS in metadata:
            metadata[_PANDAS] = _pandas_metadata(metadata[_PANDAS], names)
        new = new.with_metadata(metadata or None)
        with pq.ParquetWriter(target, new) as writer:
            for number in range(file.num_row_groups):
                table = file.read_row_group(number)
                writer.write_table(table.rename_columns(new.names).cast(new))
    return True


def _pandas_metadata(text: bytes, names: Mapping[str, str]) -> bytes:
    """What pandas notes of a table, which says among other things which column is the index."""
    try:
        values = json.loads(text)
        for column in values.get("columns", []):
            for key in ("name", "field_name"):
                if isinstance(column.get(key), str):
                    column[key] = names.get(column[key], column[key])
        indexes = values.get("index_columns", [])
        values["index_columns"] = [names.get(index, index) if isinstance(index, str) else index for index in indexes]
    except (ValueError, AttributeError):
        return text
    return json.dumps(values).encode()
