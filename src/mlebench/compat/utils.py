"""Names of the published benchmark's `mlebench.compat.utils`, for projects that import them; what they do is elsewhere.

Two are for files that such projects read beside the package: `get_module_dir()` and `get_repo_dir()` lead to the
published layout, written to the cache folder when it is first asked for.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from mlebench.base.logs import shown_logger as get_logger
from mlebench.competition.named_functions import import_fn
from mlebench.files.folders import compress, extract, is_compressed, is_empty
from mlebench.files.run_folders import create_run_dir, generate_run_id, get_runs_dir
from mlebench.files.tables import load_answers, read_jsonl
from mlebench.files.writing import get_timestamp

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "authenticate_kaggle_api",
    "compress",
    "create_run_dir",
    "extract",
    "generate_run_id",
    "get_logger",
    "get_module_dir",
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


def purple(text: str) -> str:
    """A text in bold purple on a terminal."""
    return f"\033[1;35m{text}\033[0m"


def read_csv(source: str | Path | IO[bytes], **options: Any) -> pd.DataFrame:
    """Read a CSV file with correctly rounded floats and text as plain objects; an empty file gives an empty table."""
    import pandas as pd

    from mlebench.files import tables

    try:
        return tables.read_csv(source, **options)
    except pd.errors.EmptyDataError:
        return pd.DataFrame()


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
    from mlebench.compat.layout import cached_layout
    from mlebench.competition.registry import registry

    return cached_layout(registry)


def get_module_dir() -> Path:
    """A folder in the layout of the published package."""
    return get_repo_dir() / "mlebench"
