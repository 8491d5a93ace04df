"""Names and keywords of the published benchmark's `mlebench.utils`, for projects that use them; others do the work.

Two are for files that such projects read: `get_module_dir()` is the folder of the package, and `get_repo_dir()` one in
the layout of the published repository, written to the cache folder when it is first asked for.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mlebench.base.logs import shown_logger as get_logger
from mlebench.competition.named_functions import import_fn
from mlebench.files import folders, tables
from mlebench.files.folders import compress, is_compressed, is_empty
from mlebench.files.run_folders import create_run_dir, generate_run_id, get_runs_dir
from mlebench.files.writing import get_timestamp

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "authenticate_kaggle_api",
    "compress",
    "create_run_dir",
    "extract",
    "generate_run_id",
    "get_diff",
    "get_logger",
    "get_module_dir",
    "get_path_to_callable",
    "get_repo_dir",
    "get_runs_dir",
    "get_timestamp",
    "import_fn",
    "in_ci",
    "is_compressed",
    "is_empty",
    "load_answers",
    "load_yaml",
    "purple",
    "read_csv",
    "read_jsonl",
]

_PACKAGE = Path(__file__).parents[1]


def purple(text: str) -> str:
    """A text in bold purple on a terminal."""
    return f"\033[1;35m{text}\033[0m"


def read_csv(filepath_or_buffer: str | Path | IO[Any], *arguments: Any, **options: Any) -> pd.DataFrame:
    """Read a CSV file with correctly rounded floats and text as plain objects; an empty file gives an empty table."""
    import pandas as pd

    if arguments:  # pandas takes one more by position: the separator
        options["sep"] = arguments[0]
    try:
        return tables.read_csv(filepath_or_buffer, **options)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


def read_jsonl(file_path: str | Path, skip_commented_out_lines: bool = False) -> list[dict[str, Any]]:
    """The records of a JSON lines file; optionally without lines that begin with # or //."""
    return tables.read_jsonl(file_path, skip_commented_out_lines)


def load_answers(path_to_answers: Path) -> Any:
    """The answers of a competition: a table for CSV, a list of records for JSON lines."""
    return tables.load_answers(Path(path_to_answers))


def extract(
    compressed: Path, dst: Path, recursive: bool = False, already_extracted: Collection[Path] | None = None
) -> None:
    """Unpack an archive into a folder; with `recursive`, archives in it too.

    One that is among those `already_extracted` is left alone.
    """
    if Path(compressed) not in set(already_extracted or ()):
        folders.extract(compressed, dst, recursive)


def get_diff(d: Mapping[str, Any], other_d: Mapping[str, Any], fromfile: str = "d", tofile: str = "other_d") -> str:
    """How two nested mappings differ, as `diff -u` writes it; empty where they are equal."""
    import difflib
    import json

    left, right = (
        json.dumps(values, indent=2, sort_keys=True, default=str).splitlines(True) for values in (d, other_d)
    )
    return "".join(difflib.unified_diff(left, right, fromfile=fromfile, tofile=tofile))


def get_path_to_callable(cal: Callable[..., Any]) -> Path:
    """The file that defines a function; a file of this package from the folder that holds the package."""
    import inspect

    function = inspect.unwrap(getattr(cal, "function", cal))  # what prepares a competition wraps its own function
    path = Path(inspect.getfile(function if inspect.isroutine(function) else type(function))).absolute()
    base = _PACKAGE.parent
    return path.relative_to(base) if path.is_relative_to(base) else path


def load_yaml(fpath: str | Path) -> Any:
    """The content of a YAML file."""
    import yaml

    with Path(fpath).open(encoding="utf-8") as file:
        return yaml.safe_load(file)


def in_ci() -> bool:
    """Whether this runs on a machine for continuous integration, as far as its variables tell."""
    return any(os.environ.get(name, "").lower() in ("1", "true") for name in ("CI", "GITHUB_ACTIONS"))


def authenticate_kaggle_api() -> Any:
    """Kaggle's client, signed in and tried out; a PermissionError without a valid account."""
    from mlebench.data.kaggle import authenticated_client

    try:
        api = authenticated_client()
        api.competitions_list()  # a small request that needs an account
    except Exception as error:
        raise PermissionError(f"Signing in to Kaggle failed: {error}") from error
    return api


def get_repo_dir() -> Path:
    """A folder in the layout of the published repository."""
    from mlebench.compat.environment import add_environment
    from mlebench.compat.layout import cached_layout
    from mlebench.competition.registry import registry

    return add_environment(cached_layout(registry))


def get_module_dir() -> Path:
    """The folder of the package, which has `competitions/<id>/` with the files of a competition as published."""
    return _PACKAGE
