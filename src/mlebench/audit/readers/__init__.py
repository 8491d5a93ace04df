"""Reading files of many formats as tables: one module per family of formats, each with `READERS`.

A reader takes an entry and its bytes and returns tables. A new format is one function in a module here; the first
reader that fits and finds something is the one that counts, in the order of `FAMILIES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module

from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.table import Table

Reader = Callable[[Entry, bytes], list[Table]]
MOST_BYTES = 256 << 20  # of a file that is read as a table
# What is told by its first bytes comes before what may be anything.
FAMILIES = (
    *(
        "columnar",
        "documents",
        "databases",
        "hdf5",
        "r_data",
        "records",
        "compiled",
        "pickles",
        "pictures",
        "packed_values",
    ),
    *("raw", "nested", "markup", "text"),
)


@cache
def _readers() -> list[tuple[Callable[[Entry, bytes], bool], Reader]]:
    return [pair for name in FAMILIES for pair in import_module(f"{__name__}.{name}").READERS]


def read_tables(entry: Entry) -> Iterator[Table]:
    """The tables in a file, by what its bytes say it is; what cannot be read has none."""
    if not entry.size:
        return
    try:
        data = entry.read(MOST_BYTES)
    except DAMAGED:
        return
    for fits, reader in _readers():
        try:
            if not fits(entry, data):
                continue
            found = reader(entry, data)
        except Exception:  # a stranger's file may break a library in any way; the next reader may do
            continue
        if found:
            yield from found
            return
