"""Functions of the published benchmark's `mlebench.data` that nothing here needs but other projects call."""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Collection
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.data.download import fetch, md5_of
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.competition.local import LocalCompetition

logger = logging.getLogger("mlebench.data")
_TABLES = ("csv", "json", "jsonl", "parquet", "bson")


def create_prepared_dir(competition: LocalCompetition) -> None:
    """Make public/ and private/ of a competition; preparation fills folders that are there and empty."""
    competition.public_dir.mkdir(parents=True, exist_ok=True)
    competition.private_dir.mkdir(parents=True, exist_ok=True)


def download_dataset(competition_id: str, download_dir: Path, quiet: bool = False, force: bool = False) -> Path:
    """Download the raw archive of a competition from Kaggle into a folder and return its path.

    One that is there is left alone unless `force` is given. A download that was cut off is resumed. Nothing is printed,
    so `quiet` has no effect.
    """
    from mlebench.data.kaggle import KaggleFile

    archive = Path(download_dir) / f"{competition_id}.zip"
    if archive.is_file() and not force:
        return archive
    archive.parent.mkdir(parents=True, exist_ok=True)
    fetch(KaggleFile(competition_id), archive)
    return archive


def get_checksum(fpath: Path) -> str:
    """The md5 sum of a file."""
    return md5_of(Path(fpath))


def generate_checksums(
    target_dir: Path, exts: Collection[str] | None = None, exclude: Collection[Path] | None = None
) -> dict[str, str]:
    """The md5 sums of the files right in a folder, by name; only tables and records, unless `exts` says otherwise."""
    endings = {ext.removeprefix(".") for ext in (_TABLES if exts is None else exts)}
    left_out = set(exclude or ())
    files = (path for path in sorted(Path(target_dir).iterdir()) if path.is_file() and path not in left_out)
    return {path.name: md5_of(path) for path in files if path.suffix.removeprefix(".") in endings}


def get_last_modified(fpath: Path) -> datetime:
    """When a file was changed last."""
    return datetime.fromtimestamp(Path(fpath).stat().st_mtime)


def file_cache(fn: Callable[[Path], Any]) -> Callable[[Path], Any]:
    """Decorator: what a function of one path returns is kept, for this process, until the file changes."""
    if len(inspect.signature(fn).parameters) != 1:
        raise NotImplementedError("Only functions with a single path as their argument can be cached.")
    kept: dict[tuple[str, int, int], Any] = {}

    @functools.wraps(fn)
    def cached(fpath: Path) -> Any:
        found = Path(fpath).stat()
        key = (str(fpath), found.st_mtime_ns, found.st_size)
        if key not in kept:
            kept[key] = fn(fpath)
        return kept[key]

    return cached


def is_valid_prepare_fn(preparer_fn: Any) -> bool:
    """Whether a function can prepare a competition: it takes `raw`, `public` and `private`, in this order."""
    try:
        return list(inspect.signature(preparer_fn).parameters) == ["raw", "public", "private"]
    except (TypeError, ValueError):
        return False


def ensure_leaderboard_exists(competition: LocalCompetition, force: bool = False) -> Path:
    """The leaderboard file of a competition; with `force`, or where none ships with mlebench, it is downloaded."""
    from mlebench.data.full_leaderboards import download

    if force or not competition.leaderboard_file.is_file():
        download(competition, force=True)
        return competition.downloaded_leaderboard
    return competition.leaderboard_file


def get_leaderboard(competition: LocalCompetition) -> pd.DataFrame:
    """The leaderboard as a table with a `score` column, best first."""
    from mlebench.files.tables import read_csv

    path = competition.leaderboard_file
    if not path.is_file():
        raise MlebenchError(f"{competition.id} has no leaderboard.")
    return read_csv(path)
