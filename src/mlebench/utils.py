"""Drop-in names of the published benchmark; see `mlebench.grade` and `mlebench.data`."""

from mlebench.files.tables import load_answers, read_csv, read_jsonl
from mlebench.files.writing import get_timestamp
from mlebench.logs import get_logger

__all__ = ["get_logger", "get_timestamp", "load_answers", "read_csv", "read_jsonl"]
