"""Checksums of the files of items as further names of these: a list of the originals may have nothing else of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

from mlebench.audit.entries import DAMAGED
from mlebench.audit.item_files import ItemFile
from mlebench.audit.table import Table, Texts

_BY_LENGTH: dict[int, Callable[[bytes], str]] = {
    32: lambda data: hashlib.md5(data, usedforsecurity=False).hexdigest(),
    40: lambda data: hashlib.sha1(data, usedforsecurity=False).hexdigest(),
    64: lambda data: hashlib.sha256(data).hexdigest(),
}
_CHECKSUM = re.compile(r"(?<![0-9a-fA-F])(?:[0-9a-fA-F]{64}|[0-9a-fA-F]{40}|[0-9a-fA-F]{32})(?![0-9a-fA-F])")
_FEWEST, _PROBE, _MOST_COLUMNS = 8, 40, 12  # values of a column with a checksum, of so many; columns of a table
_MOST_FILES, _MOST_BYTES, _LARGEST = 5000, 256 << 20, 8 << 20


def names_by_checksum(
    files: Sequence[ItemFile], tables: Iterable[Table], names: Mapping[str, tuple[int, ...]]
) -> dict[str, tuple[int, ...]]:
    """The rows of items by the checksums of their files, where a table has checksums that are no names already."""
    kinds = {length for table in tables for length in _lengths(table, names)}
    found: dict[str, tuple[int, ...]] = {}
    read = 0
    for file in files[:_MOST_FILES] if kinds else ():
        if not 0 < file.entry.size <= _LARGEST or file.key not in names:
            continue
        if (read := read + file.entry.size) > _MOST_BYTES:
            break
        try:
            data = file.entry.read(_LARGEST)
        except DAMAGED:
            continue
        for length in kinds:
            found.setdefault(_BY_LENGTH[length](data), names[file.key])
    return found


def _lengths(table: Table, names: Mapping[str, tuple[int, ...]]) -> set[int]:
    """The lengths of checksums that a table has."""
    if table.is_artifact or table.keys is not None:
        return set()
    return {length for values in islice(table.columns.values(), _MOST_COLUMNS) for length in _of_column(values, names)}


def _of_column(values: Texts, names: Mapping[str, tuple[int, ...]]) -> set[int]:
    written = [match.group() for value in values[:_PROBE] if value and (match := _CHECKSUM.search(value[:300]))]
    unknown = [checksum for checksum in written if checksum.lower() not in names]
    return set(map(len, unknown)) if len(set(unknown)) >= _FEWEST else set()
