"""What a twin may take the place of: another twin, never real data."""

from __future__ import annotations

from pathlib import Path

from mlebench.competition.local import LocalCompetition
from mlebench.data.raw_archives import twin_of
from mlebench.data.record import DatasetRecord
from mlebench.errors import MlebenchError


def refuse_to_overwrite(archive: Path) -> None:
    """A twin takes the place of a twin, never of anything else."""
    if archive.exists() and (not archive.is_file() or twin_of(archive) is None):
        raise MlebenchError(f"{archive} is there already, and is no twin.", hint="Choose another folder for the twin.")


def refuse_to_replace(competition: LocalCompetition, folder: Path) -> str | None:
    """Preparing a twin must not take the place of real data, nor be done from another archive than the new one.

    Returns which twin it takes the place of, if of any.
    """
    record = DatasetRecord.load(competition.prepared_dir)
    real = competition.prepared_dir.exists() and (record is None or record.is_real)
    other = competition.archive.is_file() and folder.resolve() != competition.home.resolve()
    if real or other:
        raise MlebenchError(
            f"{competition.home} holds {'real data' if real else 'another archive'} of {competition.id}.",
            hint="Choose another data folder with --data-dir.",
        )
    return record.data if record is not None else None
