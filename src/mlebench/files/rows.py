"""Tables that outgrow memory: rows on disk, as the text that pandas writes, to be written in any order."""

from __future__ import annotations

import io
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlebench.base import progress
from mlebench.files import csv_writer, tables
from mlebench.files.csv_reader import batches_of, kinds_of, read_batches, release_memory
from mlebench.files.source import Source
from mlebench.files.streams import open_table

if TYPE_CHECKING:
    import pandas as pd

_BLOCK = 16 << 20  # bytes of rows that are in memory at a time
Change: TypeAlias = "Callable[[pd.DataFrame], pd.DataFrame]"


class StoredRows:
    """The rows of a CSV file, stored in a nameless scratch file; memory holds only where each row ends.

    The columns named in `keep` are in the table `kept` as well, text as categories: few values repeated many times.
    The columns `text` are text, whatever they look like, so that 007 is not written as 7.
    """

    def __init__(self, source: Source, scratch: Path, *, keep: Sequence[str] = (), text: Collection[str] = ()) -> None:
        self._scratch = scratch
        self._keep = list(keep)
        self.kept: pd.DataFrame
        self._file = self._scratch_file()
        self._kinds: dict[str, str] = {}
        self.header, self._ends = read_batches(lambda: open_table(source), self._store, text=text)
        release_memory()

    def _scratch_file(self) -> IO[bytes]:
        file: IO[bytes] = tempfile.TemporaryFile(dir=self._scratch)  # noqa: SIM115
        weakref.finalize(self, file.close)
        return file

    def _store(self, batches: Iterator[pd.DataFrame]) -> tuple[bytes, NDArray[np.int64]]:
        """Write the rows as text; (header, where each row ends)."""
        self._file.seek(0)
        self._file.truncate()
        kept: dict[str, list[Any]] = {name: [] for name in self._keep}
        batches = self._noting(batches, kept)
        first = next(batches)
        self._kinds = kinds_of(first)
        header, ends, size = csv_writer.header(first), [np.zeros(1, np.int64)], 0
        for lines in csv_writer.mapped_ahead(csv_writer.lines, chain([first], batches)):
            self._file.write(lines.text)
            ends.append(lines.ends + size)
            size += len(lines.text)
        self.kept = _joined(kept)
        return header, np.concatenate(ends)

    def _noting(self, batches: Iterator[pd.DataFrame], kept: dict[str, list[Any]]) -> Iterator[pd.DataFrame]:
        """The same batches, while the columns to keep are put aside."""
        for batch in batches:
            for name, parts in kept.items():
                parts.append(_compact(batch[name]))
            yield batch

    def __len__(self) -> int:
        return len(self._ends) - 1

    def digests(self, columns: Sequence[str]) -> NDArray[np.uint64]:
        """For each row a digest of its cells in these columns, by which equal ones are found."""
        import pandas as pd

        parts = [
            pd.util.hash_pandas_object(self.table(np.arange(first, last))[list(columns)].astype(str), index=False)
            for _, first, last in list(self._blocks())
        ]
        joined: NDArray[np.uint64] = np.concatenate(parts) if parts else np.zeros(0, np.uint64)
        return joined

    def table(self, positions: NDArray[np.int64]) -> pd.DataFrame:
        """The rows at these positions as a table."""
        buffer = io.BytesIO()
        self.write(buffer, positions)
        buffer.seek(0)
        return tables.read_csv(buffer)

    def write(
        self, file: IO[bytes], positions: NDArray[np.int64], change: Change | None = None, *, name: str = ""
    ) -> None:
        """Write the header and the rows at these positions, in this order; `change` alters some rows at a time.

        `name` is what displays call the file. The stored rows are read once from front to back and dealt out to piles,
        one for each stretch of the result; then each pile, which fits into memory, is put in order. No row is ever
        looked for on the disk.
        """
        no_rows = tables.read_csv(io.BytesIO(self.header))
        file.write(csv_writer.header(change(no_rows)) if change else self.header)
        lengths = np.diff(self._ends)[positions]
        with progress.stage("split", name, total=len(self), unit="rows") as stage:
            piles = self._dealt_out(positions, lengths, stage)
        with progress.stage("write", name, total=len(positions), unit="rows") as stage:
            for pile in piles:
                count, text = len(pile), pile.sorted_text(lengths)
                if change is None:
                    file.write(text)
                else:
                    for rows in batches_of(io.BytesIO(self.header + text), self._kinds):
                        file.write(csv_writer.lines(change(rows)).text)
                stage.advance(count)

    def _dealt_out(
        self, positions: NDArray[np.int64], lengths: NDArray[np.int64], stage: progress.Stage
    ) -> list[_Pile]:
        """Piles of the rows at these positions, which have these lengths; each row is in the pile of its stretch."""
        pile_of = np.cumsum(lengths) // _BLOCK  # for each row of the result, which stretch it is in
        piles = [_Pile(self._scratch_file()) for _ in range(int(pile_of[-1]) + 1 if len(pile_of) else 0)]
        by_place = np.argsort(positions, kind="stable")
        places = positions[by_place]
        for text, first, last in self._blocks():
            low, high = np.searchsorted(places, [first, last])
            slots = by_place[low:high]  # rows of the result that are in this block
            slots = slots[np.argsort(pile_of[slots], kind="stable")]
            ends = self._ends[first : last + 1] - self._ends[first]
            picked = _picked(text, ends, positions[slots] - first)
            borders = np.concatenate([[0], np.cumsum(lengths[slots])])
            dealt = np.searchsorted(pile_of[slots], np.arange(len(piles) + 1))
            for pile, (low, high) in zip(piles, pairwise(dealt), strict=True):
                pile.add(picked[int(borders[low]) : int(borders[high])], slots[low:high])
            stage.reach(last)
        return piles

    def _blocks(self) -> Iterator[tuple[bytes, int, int]]:
        """The stored text in stretches of whole rows: (text, number of the first row, number after the last)."""
        self._file.seek(0)
        first = 0
        while first < len(self):
            last = int(np.searchsorted(self._ends, self._ends[first] + _BLOCK, side="right")) - 1
            last = min(max(last, first + 1), len(self))
            yield self._file.read(int(self._ends[last] - self._ends[first])), first, last
            first = last


def _compact(column: pd.Series[Any]) -> Any:
    """A column of numbers as it is, one of text as categories."""
    import pandas as pd

    if not isinstance(column.dtype, pd.ArrowDtype):
        return column.to_numpy()
    texts = pd.Categorical(column)
    return texts.rename_categories(texts.categories.astype(object))


def _joined(parts: dict[str, list[Any]]) -> pd.DataFrame:
    import pandas as pd

    columns = {
        name: np.concatenate(pieces) if isinstance(pieces[0], np.ndarray) else pd.api.types.union_categoricals(pieces)
        for name, pieces in parts.items()
    }
    return pd.DataFrame(columns)


class _Pile:
    """Rows of one stretch of the result, in no order yet."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._slots: list[NDArray[np.int64]] = []

    def __len__(self) -> int:
        return sum(map(len, self._slots))

    def add(self, text: Any, slots: NDArray[np.int64]) -> None:
        self._file.write(text)
        self._slots.append(slots)

    def sorted_text(self, lengths: NDArray[np.int64]) -> Any:
        """The text of the rows in the order of the result, as a buffer; the pile is gone then."""
        self._file.seek(0)
        slots = np.concatenate(self._slots)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[slots])])
        text = _picked(self._file.read(), ends, np.argsort(slots))
        self._file.close()
        return text


def _picked(text: bytes, ends: NDArray[np.int64], rows: NDArray[np.int64]) -> Any:
    """The text of some rows one after the other, as a buffer."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(np.ascontiguousarray(ends)), pa.py_buffer(text)]
    lines = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ends) - 1, buffers)
    return lines.take(pa.array(rows)).buffers()[2] or pa.py_buffer(b"")
