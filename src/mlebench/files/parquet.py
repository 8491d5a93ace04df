"""Parquet tables that outgrow memory: read and written some rows at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.base import progress
from mlebench.files.tables import with_plain_strings

if TYPE_CHECKING:
    import pandas as pd

_ROWS = 1 << 20


def read_batches(path: Path, columns: Sequence[str] | None = None) -> Iterator[pd.DataFrame]:
    """The rows of a table in their order, about a million at a time, text as plain objects."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(path) as file:
        stage = progress.passing("read", path.name, total=file.metadata.num_rows, unit="rows")
        for batch in file.iter_batches(_ROWS, columns=None if columns is None else list(columns)):
            yield with_plain_strings(batch.to_pandas())
            stage.advance(batch.num_rows)


def write_batches(path: Path, tables: Iterable[pd.DataFrame]) -> None:
    """Write tables with the same columns as one, without their indexes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer: Any = None
    with progress.stage("write", path.name, unit="rows") as stage, ExitStack() as stack:
        for frame in tables:
            table = pa.Table.from_pandas(frame, schema=writer and writer.schema, preserve_index=False)
            if writer is None:
                writer = stack.enter_context(pq.ParquetWriter(path, table.schema))
            writer.write_table(table)
            stage.advance(len(table))
