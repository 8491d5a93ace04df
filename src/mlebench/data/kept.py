"""Data that is prepared already: is it what a preparation would make now?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.data.changes import is_own
from mlebench.data.prepare import is_dataset_prepared
from mlebench.data.raw_archives import mirror_address, mirror_file, planned_source, twin_of
from mlebench.data.record import DatasetRecord, Twin

if TYPE_CHECKING:
    from mlebench.competition.local import LocalCompetition


@dataclass(frozen=True)
class Kept:
    """Which data is there, and which other data was asked for."""

    there: str
    asked: str

    def __str__(self) -> str:
        return (
            f"What is prepared already is kept: {self.there}. Asked for is {self.asked}. "
            "Add --force to replace it, or choose another folder with --data-dir."
        )


def other_data_kept(competition: LocalCompetition, mirror: str | None) -> Kept | None:
    """What is kept, if other data is prepared than a preparation from this mirror would make.

    Archives in folders say what they are. What a server has is known only where the data was prepared from there; twins
    are distinguished from anything else, and real data is the same everywhere.
    """
    if competition.declaration.raw_fn is not None or not is_dataset_prepared(competition):
        return None
    record = DatasetRecord.load(competition.prepared_dir)
    there = record.twin if record is not None else None
    where = planned_source(competition, mirror)
    if where == "in place":
        return _unless_same(there, twin_of(competition.archive), f"in {competition.archive}")
    if where == "kaggle" and mirror is None and is_own(competition):
        return None  # a competition of one's own: no other archive of it is known
    if where == "kaggle" or mirror is None:
        return _unless_same(there, None, "from Kaggle")
    file = mirror_file(mirror, competition.id)
    if isinstance(file, Path):
        return _unless_same(there, twin_of(file), f"in {mirror}")
    if there is None or (record is not None and record.mirror == mirror_address(mirror)):
        return None
    return Kept(str(there), f"what is in {mirror_address(mirror)}")


def _unless_same(there: Twin | None, asked: Twin | None, place: str) -> Kept | None:
    return None if there == asked else Kept(str(there or "real data"), f"{asked or 'the real data'} {place}")
