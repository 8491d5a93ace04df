"""Getting a competition's full leaderboard, from Kaggle or from a file that the user downloaded."""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.base import progress
from mlebench.base.wording import quote
from mlebench.competition.leaderboard import write_scores
from mlebench.errors import MlebenchError

if TYPE_CHECKING:
    from mlebench.competition.local import LocalCompetition


def install(file: Path, competition: LocalCompetition, *, force: bool = False) -> int:
    """Make a leaderboard file (CSV, or a zip that holds one) the one that decides; returns the number of teams."""
    target = _target(competition, force)
    scores = _scores(file)
    scores.sort(reverse=competition.declaration.better == "higher")
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_suffix(".partial")
    write_scores(partial, scores)
    partial.replace(target)
    return len(scores)


def _target(competition: LocalCompetition, force: bool) -> Path:
    target = competition.downloaded_leaderboard
    if target.exists() and not force:
        raise MlebenchError(f"{target} is there already.", hint="Add --force to replace it.")
    return target


def _scores(file: Path) -> list[float]:
    """The scores of a leaderboard file; the column is called Score or score."""
    if not file.is_file():
        raise MlebenchError(f"There is no file {file}.")
    try:
        text = _text(file)
        rows = csv.DictReader(io.StringIO(text))
        column = next((name for name in rows.fieldnames or [] if name.strip().lower() == "score"), None)
        scores = [
            _score(row[column], f"{file}:{rows.line_num}: column {column}")
            for row in (rows if column else ())
            if row[column]
        ]
    except (ValueError, RuntimeError, EOFError, zlib.error, zipfile.BadZipFile) as error:  # also: it has a password
        raise MlebenchError(f"{file} is not a leaderboard: {error}.") from error
    if not scores:
        raise MlebenchError(f"{file} is not a leaderboard: it has no column Score with numbers.")
    return scores


def _score(text: str, place: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise MlebenchError(f"{place}: {quote(text)} is not a number, so this is not a leaderboard.") from None


def _text(file: Path) -> str:
    data = file.read_bytes()
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as archive:
            tables = [name for name in archive.namelist() if name.endswith(".csv")]
            if not tables:
                raise MlebenchError(f"{file} holds no CSV file.")
            data = archive.read(tables[0])
    return data.decode("utf-8-sig")


def download(competition: LocalCompetition, *, force: bool = False) -> int:
    """Download the full leaderboard through Kaggle's client; returns the number of teams."""
    from mlebench.data.kaggle import download_leaderboard

    _target(competition, force)
    with progress.task(competition.id), tempfile.TemporaryDirectory() as scratch:
        return install(download_leaderboard(competition.id, Path(scratch)), competition, force=force)
