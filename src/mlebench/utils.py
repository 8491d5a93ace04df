"""Drop-in names of the published benchmark; see `mlebench.grade` and `mlebench.data`."""

from mlebench.data.tables import read_csv
from mlebench.grade.grading import get_timestamp
from mlebench.grade.reading import load_answers, read_jsonl
from mlebench.logs import get_logger

__all__ = ["get_logger", "get_timestamp", "load_answers", "read_csv", "read_jsonl"]
