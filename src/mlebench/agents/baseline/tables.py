"""Tables: CSV, TSV and JSON files, also alone in a zip archive; large ones are read piece by piece."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

PIECE = 200_000  # rows that are read at a time
LARGEST_JSON = 1 << 30  # bytes; a JSON table cannot be read in pieces
_TABLE = re.compile(r"\.(csv|tsv|json|jsonl)(\.zip|\.gz)?$", re.IGNORECASE)
_ENDINGS = re.compile(r"(\.(csv|tsv|json|jsonl|zip|gz))+$")


class TaskError(Exception):
    """The task is beyond this agent; the message says in one sentence why."""


def table_files(folder: Path) -> list[str]:
    """Names of all tables in the folder and the folders right below it, those at the top and outside archives first."""
    paths = [path for pattern in ("*", "*/*") for path in sorted(folder.glob(pattern)) if path.is_file()]
    plain = [path for path in paths if _TABLE.search(path.name)]
    packed = [path for path in paths if path not in plain and _packed_table(path)]
    return [path.relative_to(folder).as_posix() for path in plain + packed]


def _packed_table(path: Path) -> str | None:
    """The name of the one table in a zip archive that holds nothing else."""
    if path.suffix.lower() != ".zip" or not zipfile.is_zipfile(path):
        return None
    with zipfile.ZipFile(path) as archive:
        members = [name for name in archive.namelist() if "__MACOSX" not in name]
    return members[0] if len(members) == 1 and _TABLE.search(members[0]) else None


def matching(files: Iterable[str], *patterns: str) -> list[str]:
    """The files whose names without their endings fit a pattern, in the order of the patterns."""
    stems = {name: _ENDINGS.sub("", Path(name).name.lower()) for name in files}
    found = [
        name
        for pattern in patterns
        for name, stem in stems.items()
        if re.search(pattern, stem) and ("sample" in pattern or "sample" not in stem)
    ]
    return list(dict.fromkeys(found))


def sample_file(folder: Path) -> str:
    """The name of the sample submission."""
    names = matching(table_files(folder), r"sample.*submission|submission.*sample", r"sample")
    if not names:
        raise TaskError("There is no sample submission (a CSV file with sample in its name).")
    return names[0]


def read_table(path: Path, *, rows: int | None = None, **options: Any) -> pd.DataFrame:
    """A whole table, or its first rows; `options` are those of pandas for CSV."""
    import pandas as pd

    try:
        if _is_json(path):
            table = _read_json(path)
            return table if rows is None else table.head(rows)
        return pd.read_csv(path, sep=_separator(path), nrows=rows, low_memory=False, **options)
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        reason = str(error).strip().split("\n")[0]
        raise TaskError(f"The table {path.name} cannot be read: {reason.rstrip('.')}.") from error


def read_pieces(path: Path, **options: Any) -> Iterator[pd.DataFrame]:
    """A table piece by piece, so that it need not fit in memory; `options` are those of pandas for CSV."""
    import pandas as pd

    if _is_json(path):
        yield _read_json(path)
        return
    try:
        yield from pd.read_csv(path, sep=_separator(path), chunksize=PIECE, low_memory=False, **options)
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        reason = str(error).strip().split("\n")[0]
        raise TaskError(f"The table {path.name} cannot be read: {reason.rstrip('.')}.") from error


def read_some(path: Path, most: int, seed: int, stop: float) -> tuple[pd.DataFrame, int, bool]:
    """About `most` rows, drawn from all of a large table; with the rows seen, and whether these were all.

    At the time `stop` no further piece is read.
    """
    import time

    import pandas as pd

    rng, parts, seen, share, is_whole = np.random.default_rng(seed), [], 0, 1.0, True
    for piece in read_pieces(path):
        if seen == 0 and len(piece) >= PIECE:
            # What is drawn at random from all pieces is a fair sample even of a sorted table.
            share = min(1.0, 1.2 * most / max(1, _estimated_rows(path, piece)))
        seen += len(piece)
        parts.append(piece if share == 1.0 else piece[rng.random(len(piece)) < share])
        if time.monotonic() > stop:
            is_whole = False
            break
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    if len(table) > most:
        table = table.sample(most, random_state=seed).reset_index(drop=True)
    return table, seen, is_whole


def _estimated_rows(path: Path, piece: pd.DataFrame) -> int:
    size = path.stat().st_size
    if path.suffix.lower() == ".zip":
        with zipfile.ZipFile(path) as archive:
            size = max(member.file_size for member in archive.infolist())
    per_row = len(piece.head(1000).to_csv(index=False)) / min(len(piece), 1000)
    return int(size / max(per_row, 1.0))


def _is_json(path: Path) -> bool:
    name = _packed_table(path) or path.name
    return re.search(r"\.jsonl?(\.zip|\.gz)?$", name, re.IGNORECASE) is not None


def _separator(path: Path) -> str:
    return "\t" if ".tsv" in (_packed_table(path) or path.name).lower() else ","


def _read_json(path: Path) -> pd.DataFrame:
    """A list of objects, an object of columns, or a line per object; lists within become texts."""
    import pandas as pd

    member = _packed_table(path)
    if member is not None:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(member).file_size > LARGEST_JSON:
                raise ValueError("it is too large")
            content = archive.read(member)
    elif path.stat().st_size > LARGEST_JSON:
        raise ValueError("it is too large")
    else:
        content = path.read_bytes()
    try:
        values = json.loads(content)
    except json.JSONDecodeError:
        values = [json.loads(line) for line in content.splitlines() if line.strip()]
    if isinstance(values, dict) and not all(isinstance(value, (list, dict)) for value in values.values()):
        values = [values]  # one row, not columns
    if isinstance(values, list):
        values = [{name: _flat(value) for name, value in row.items()} for row in values if isinstance(row, dict)]
    return pd.DataFrame(values)


def _flat(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return " ".join(str(part) for part in value)
    return json.dumps(value) if isinstance(value, dict) else value
