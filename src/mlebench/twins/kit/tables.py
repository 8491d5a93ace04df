"""Tables in other formats than CSV."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


def parquet(path: Path, columns: Mapping[str, Any]) -> None:
    """Write a small Parquet file without statistics or pandas metadata."""
    pq.write_table(
        pa.table(dict(columns)),
        path,
        compression="snappy",
        use_dictionary=False,
        write_statistics=False,
        store_schema=False,
    )
