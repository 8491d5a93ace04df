"""Tables that outgrow memory: rows on disk, as the text that pandas writes, to be written in any order."""

from __future__ import annotations

import io
import mmap
import os
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mlebench.base import progress
from mlebench.files import csv_writer, tables
from mlebench.files.ahead import mapped_ahead
from mlebench.files.csv_plain import NotPlainError, plain_lines
from mlebench.files.csv_reader import batches_of, release_memory, with_kinds
from mlebench.files.csv_writer import Lines
from mlebench.files.source import Source
from mlebench.files.streams import open_table

if TYPE_CHECKING:
    import pandas as pd

_FITS = 640 << 20  # bytes of rows that are in memory whole
_BLOCK = 16 << 20  # bytes of rows that are in memory at a time where these are more
_STRETCH = 4 << 20  # bytes of rows that are picked at a time
Change: TypeAlias = "Callable[[pd.DataFrame], pd.DataFrame]"


class StoredRows:
    """The rows of a CSV file, stored in a nameless scratch file; memory holds only where each row ends.

    The columns named in `keep` are in the table `kept` as well, text as categories: few values repeated many times.
    The columns `text` are text, whatever they look like, so that 007 is not written as 7.
    """

    def __init__(self, source: Source, scratch: Path, *, keep: Sequence[str] = (), text: Collection[str] = ()) -> None:
        self._source, self._scratch = source, scratch
        self._file = self._scratch_file()
        self._kinds: dict[str, str] = {}
        self.header, self._ends = with_kinds(lambda: open_table(source), self._store, text=text)
        self.kept = self._kept(list(keep))
        release_memory()

    def _scratch_file(self) -> IO[bytes]:
        file: IO[bytes] = tempfile.TemporaryFile(dir=self._scratch)  # noqa: SIM115
        weakref.finalize(self, file.close)
        return file

    def _store(self, kinds: dict[str, str]) -> tuple[bytes, NDArray[np.int64]]:
        """Write the rows as text; (header, where each row ends)."""
        self._kinds = kinds
        try:
            with open_table(self._source) as stream:
                return self._stored(csv_writer.header(list(kinds)), plain_lines(stream, kinds))
        except NotPlainError:
            with open_table(self._source) as stream:
                batches = batches_of(stream, kinds)
                first = next(batches)
                lines = mapped_ahead(csv_writer.lines, chain([first], batches))
                return self._stored(csv_writer.header(list(first)), lines)

    def _stored(self, header: bytes, parts: Iterable[Lines]) -> tuple[bytes, NDArray[np.int64]]:
        self._file.seek(0)
        self._file.truncate()
        self._file.write(header)
        ends, size = [np.array([len(header)])], len(header)
        for lines in parts:
            self._file.write(lines.text)
            ends.append(lines.ends + size)
            size += len(lines.text)
        self._file.flush()
        return header, np.concatenate(ends)

    def _kept(self, columns: list[str]) -> pd.DataFrame:
        """Some columns of the stored rows."""
        if not columns:
            return _joined({})
        parts: dict[str, list[Any]] = {name: [] for name in columns}
        with os.fdopen(os.dup(self._file.fileno()), "rb") as file:
            file.seek(0)
            for batch in batches_of(file, self._kinds, columns=columns):
                for name in columns:
                    parts[name].append(_compact(batch[name]))
        return _joined(parts)

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

        `name` is what displays call the file. Rows that fit into memory are picked where they are. More of them are
        read once from front to back and dealt out to piles, one for each stretch of the result; then each pile, which
        fits into memory, is put in order. No row is ever looked for on the disk.
        """
        no_rows = tables.read_csv(io.BytesIO(self.header))
        file.write(csv_writer.header(list(change(no_rows))) if change else self.header)
        lengths = np.diff(self._ends)[positions]
        fits = self._ends[-1] <= _FITS
        parts = self._picked_out(positions, lengths) if fits else self._put_in_order(positions, lengths, name)
        with progress.stage("write", name, total=len(positions), unit="rows") as stage:
            for text, count in parts:
                if change is None:
                    file.write(text)
                else:
                    for rows in batches_of(io.BytesIO(self.header + text), self._kinds):
                        file.write(csv_writer.lines(change(rows)).text)
                stage.advance(count)

    def _picked_out(self, positions: NDArray[np.int64], lengths: NDArray[np.int64]) -> Iterator[tuple[Any, int]]:
        """The rows at these positions, which have these lengths: the text of some at a time, and how many they are."""
        ends = np.cumsum(lengths)
        borders = np.searchsorted(ends, np.arange(_STRETCH, int(ends[-1]) if len(ends) else 0, _STRETCH))
        text = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)

        def picked(stretch: tuple[int, int]) -> tuple[Any, int]:
            chosen = positions[slice(*stretch)]
            return _picked(text, self._ends, chosen), len(chosen)

        return mapped_ahead(picked, pairwise([0, *borders.tolist(), len(positions)]))

    def _put_in_order(
        self, positions: NDArray[np.int64], lengths: NDArray[np.int64], name: str
    ) -> Iterator[tuple[Any, int]]:
        """The same for more rows than fit into memory."""
        with progress.stage("split", name, total=len(self), unit="rows") as stage:
            piles = self._dealt_out(positions, lengths, stage)
        return mapped_ahead(lambda pile: pile.sorted(lengths), piles)

    def _dealt_out(
        self, positions: NDArray[np.int64], lengths: NDArray[np.int64], stage: progress.Stage
    ) -> list[_Pile]:
        """Piles of the rows at these positions, which have these lengths; each row is in the pile of its stretch."""
        pile_of = np.cumsum(lengths) // _BLOCK  # for each row of the result, which stretch it is in
        piles = [_Pile(self._scratch_file()) for _ in range(int(pile_of[-1]) + 1 if len(pile_of) else 0)]
        by_place = np.argsort(positions)
        places = positions[by_place]

        def dealt(block: tuple[bytes, int, int]) -> tuple[Any, NDArray[np.int64], int]:
            """The rows of a block that are wanted, pile by pile; which rows of the result they are; the last row."""
            text, first, last = block
            slots = by_place[slice(*np.searchsorted(places, [first, last]))]
            slots = slots[np.argsort(pile_of[slots], kind="stable")]
            ends = self._ends[first : last + 1] - self._ends[first]
            return _picked(text, ends, positions[slots] - first), slots, last

        for text, slots, last in mapped_ahead(dealt, self._blocks()):
            borders = np.concatenate([[0], np.cumsum(lengths[slots])])
            share = np.searchsorted(pile_of[slots], np.arange(len(piles) + 1))
            for pile, (low, high) in zip(piles, pairwise(share), strict=True):
                pile.add(text[int(borders[low]) : int(borders[high])], slots[low:high])
            stage.reach(last)
        return piles

    def _blocks(self) -> Iterator[tuple[bytes, int, int]]:
        """The stored text in stretches of whole rows: (text, number of the first row, number after the last)."""
        self._file.seek(len(self.header))
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

    def add(self, text: Any, slots: NDArray[np.int64]) -> None:
        self._file.write(text)
        self._slots.append(slots)

    def sorted(self, lengths: NDArray[np.int64]) -> tuple[Any, int]:
        """The text of the rows in the order of the result, and how many they are; the pile is gone then."""
        self._file.seek(0)
        slots = np.concatenate(self._slots)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[slots])])
        order = np.empty(len(slots), np.int64)
        order[slots - slots.min(initial=len(lengths))] = np.arange(len(slots))  # a stretch of the result has no holes
        text = _picked(self._file.read(), ends, order)
        self._file.close()
        return text, len(slots)


def _picked(text: bytes | mmap.mmap, ends: NDArray[np.int64], rows: NDArray[np.int64]) -> Any:
    """The text of some rows one after the other, as a buffer."""
    import pyarrow as pa

    buffers = [None, pa.py_buffer(np.ascontiguousarray(ends)), pa.py_buffer(text)]
    lines = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(ends) - 1, buffers)
    return lines.take(pa.array(rows)).buffers()[2] or pa.py_buffer(b"")
