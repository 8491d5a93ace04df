"""What is inside files of many formats, so that descriptions can be compared with it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

TABLES = (".csv", ".csv.zip", ".tsv", ".tsv.zip", ".parquet")
ARCHIVES = (".zip", ".7z", ".tar.gz", ".tar")
RECORDS = (".json", ".jsonl", ".bson", ".tfrec")


def columns(path: Path) -> list[str]:
    """The columns of a table."""
    if path.suffix == ".parquet":
        import pyarrow.parquet as pq

        return [str(name) for name in pq.read_schema(path).names]
    from mlebench.files.tables import read_csv

    separator = "\t" if ".tsv" in path.name else ","
    return [str(name) for name in read_csv(path, nrows=0, sep=separator).columns]


def records(path: Path) -> list[Any]:
    """The records of a file: of a list in JSON each item, of JSON lines each line; keys are what counts."""
    if path.suffix == ".bson":
        from mlebench.files.bson import BsonFile, keys_of

        return [keys_of(document) for document in BsonFile(path, path.name)]
    if path.suffix == ".tfrec":
        from mlebench.files.tfrecord_reader import feature_names

        return [dict.fromkeys(names) for names in feature_names(path)]
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        try:
            value = json.loads(text)
        except ValueError:  # JSON lines under the name of JSON
            pass
        else:
            return value if isinstance(value, list) else [value]
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def keys(values: Iterable[Any]) -> dict[str, list[Any]]:
    """The keys of all objects among the values, lists opened: key -> what is below it."""
    found: dict[str, list[Any]] = {}
    for value in values:
        if isinstance(value, list):
            for key, below in keys(value).items():
                found.setdefault(key, []).extend(below)
        elif isinstance(value, dict):
            for key, below in value.items():
                found.setdefault(key, []).append(below)
    return found
