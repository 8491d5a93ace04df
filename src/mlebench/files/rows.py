"""Tables that outgrow memory: rows on disk, as the text that pandas writes, to be written in any order."""

from __future__ import annotations

import io
import tempfile
import weakref
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlebench.files import csv_writer, tables
from mlebench.files.archives import Source, open_table
from mlebench.files.csv_reader import read_batches, release_memory

if TYPE_CHECKING:
    import pandas as pd

_BLOCK = 16 << 20  # bytes of rows that are in memory at a time


class StoredRows:
    """The rows of a CSV file, stored in a nameless scratch file; memory holds only where each row ends."""

    def __init__(self, source: Source, scratch: Path) -> None:
        self._scratch = scratch
        self._file = self._scratch_file()
        self.header, self._ends = read_batches(lambda: open_table(source), self._store)
        release_memory()

    def _scratch_file(self) -> IO[bytes]:
        file: IO[bytes] = tempfile.TemporaryFile(dir=self._scratch)  # noqa: SIM115
        weakref.finalize(self, file.close)
        return file

    def _store(self, batches: Iterator[pd.DataFrame]) -> tuple[bytes, NDArray[np.int64]]:
        """Write the rows as text; (header, where each row ends)."""
        self._file.seek(0)
        self._file.truncate()
        first = next(batches)
        header, ends, size = csv_writer.header(first), [np.zeros(1, np.int64)], 0
        for lines in csv_writer.in_order(csv_writer.lines, chain([first], batches)):
            self._file.write(lines.text)
            ends.append(lines.ends + size)
            size += len(lines.text)
        return header, np.concatenate(ends)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def table(self, positions: NDArray[np.int64]) -> pd.DataFrame:
        """The rows at these positions as a table."""
        buffer = io.BytesIO()
        self.write(buffer, positions)
        buffer.seek(0)
        return tables.read_csv(buffer)

    def write(self, file: IO[bytes], positions: NDArray[np.int64]) -> None:
        """Write the header and the rows at these positions, in this order.

        The stored rows are read once from front to back and dealt out to piles, one for each stretch of the result;
        then each pile, which fits into memory, is put in order. No row is ever looked for on the disk.
        """
        file.write(self.header)
        lengths = np.diff(self._ends)[positions]
        pile_of = np.cumsum(lengths) // _BLOCK  # for each row of the result, which stretch it is in
        piles = [_Pile(self._scratch_file()) for _ in range(int(pile_of[-1]) + 1 if len(pile_of) else 0)]
        by_place = np.argsort(positions, kind="stable")
        places = positions[by_place]
        for text, first, last in self._blocks():
            low, high = np.searchsorted(places, [first, last])
            slots = by_place[low:high]  # rows of the result that lie in this block
            slots = slots[np.argsort(pile_of[slots], kind="stable")]
            ends = self._ends[first : last + 1] - self._ends[first]
            picked = _picked(text, ends, positions[slots] - first)
            borders = np.concatenate([[0], np.cumsum(lengths[slots])])
            dealt = np.searchsorted(pile_of[slots], np.arange(len(piles) + 1))
            for pile, (low, high) in zip(piles, pairwise(dealt), strict=True):
                pile.add(picked[int(borders[low]) : int(borders[high])], slots[low:high])
        for pile in piles:
            pile.write(file, lengths)

    def _blocks(self) -> Iterator[tuple[bytes, int, int]]:
        """The stored text in stretches of whole rows: (text, number of the first row, number after the last)."""
        self._file.seek(0)
        first = 0
        while first < len(self):
            last = int(np.searchsorted(self._ends, self._ends[first] + _BLOCK, side="right")) - 1
            last = min(max(last, first + 1), len(self))
            yield self._file.read(int(self._ends[last] - self._ends[first])), first, last
            first = last


class _Pile:
    """Rows of one stretch of the result, in no order yet."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._slots: list[NDArray[np.int64]] = []

    def add(self, text: Any, slots: NDArray[np.int64]) -> None:
        self._file.write(text)
        self._slots.append(slots)

    def write(self, file: IO[bytes], lengths: NDArray[np.int64]) -> None:
        self._file.seek(0)
        slots = np.concatenate(self._slots)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[slots])])
        file.write(_picked(self._file.read(), ends, np.argsort(slots)))
        self._file.close()


def _picked(text: bytes, ends: NDArray[np.int64], rows: NDArray[np.int64]) -> Any:
    """The text of some rows one after the other, as a buffer."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(np.ascontiguousarray(ends)), pa.py_buffer(text)]
    lines = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ends) - 1, buffers)
    return lines.take(pa.array(rows)).buffers()[2] or pa.py_buffer(b"")
