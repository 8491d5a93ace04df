"""Tables that outgrow memory: rows on disk, as the text that pandas writes, to be picked in any order."""

from __future__ import annotations

import io
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from mlebench.data import tables
from mlebench.data.archives import Source, open_table
from mlebench.errors import PreparationError

if TYPE_CHECKING:
    import pandas as pd

_READ = 100_000  # rows parsed and written at a time
_PICKED = 10_000  # rows gathered at a time
_LINE_END = ord("\n")


class StoredRows:
    """The rows of a CSV file, stored in a nameless scratch file; memory holds only where each row ends.

    The file is read in pieces, so `options` (those of pandas.read_csv) should name the `dtype` of every
    column that could look different from piece to piece, such as floats with stretches of whole numbers.
    """

    def __init__(self, source: Source, scratch: Path, **options: Any) -> None:
        self._options = options
        self._file: IO[bytes] = tempfile.TemporaryFile(dir=scratch)  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self.header = b""
        ends: list[NDArray[np.int64]] = []
        size = 0
        with tables.plain_strings(), open_table(source) as stream:
            for piece in tables.read_csv(stream, chunksize=_READ, **options):
                buffer = io.BytesIO()
                tables.write_stream(buffer, piece)
                names, text = buffer.getvalue().split(b"\n", 1)
                self.header = names + b"\n"
                breaks = np.flatnonzero(np.frombuffer(text, np.uint8) == _LINE_END)
                if len(breaks) != len(piece):
                    raise PreparationError(
                        f"{source.name} has line breaks inside cells, so its rows cannot be told apart."
                    )
                self._file.write(text)
                ends.append(breaks + (size + 1))
                size += len(text)
        self._file.flush()
        self._ends = np.concatenate([np.zeros(1, np.int64), *ends])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def text(self, positions: NDArray[np.int64]) -> Iterator[bytes]:
        """The lines of the rows at these positions, in this order, many at a time."""
        stored = np.memmap(self._file, np.uint8, mode="r")
        for first in range(0, len(positions), _PICKED):
            picked = positions[first : first + _PICKED]
            starts, lengths = self._ends[picked], self._ends[picked + 1] - self._ends[picked]
            places = np.cumsum(lengths) - lengths  # where each line begins in the text to come
            yield stored[np.repeat(starts - places, lengths) + np.arange(lengths.sum())].tobytes()

    def table(self, positions: NDArray[np.int64]) -> pd.DataFrame:
        """The rows at these positions as a table."""
        return tables.read_csv(io.BytesIO(b"".join([self.header, *self.text(positions)])), **self._options)
