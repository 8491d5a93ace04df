"""Data that is prepared already: is it what a preparation would make now?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.data.prepare import is_dataset_prepared
from mlebench.data.record import DatasetRecord, Twin
from mlebench.data.sources import mirror_address, mirror_file, planned_source, twin_of

if TYPE_CHECKING:
    from mlebench.local import LocalCompetition


def kept_instead(competition: LocalCompetition, mirror: str | None) -> str | None:
    """A sentence if other data is prepared than a preparation from this mirror would make, and so is kept.

    Archives in folders say what they are. What a server has is known only where the data was prepared from there; twins
    are told from anything else, and real data is the same everywhere.
    """
    if competition.declaration.raw_fn is not None or not is_dataset_prepared(competition):
        return None
    record = DatasetRecord.load(competition.prepared_dir)
    there = record.twin if record is not None else None
    where = planned_source(competition, mirror)
    if where == "in place":
        asked, place = twin_of(competition.archive), f"in {competition.archive}"
    elif where == "mirror" and mirror is not None:
        file = mirror_file(mirror, competition.id)
        place = f"in {mirror}"
        if isinstance(file, Path):
            asked = twin_of(file)
        elif there is None or (record is not None and record.mirror == mirror_address(mirror)):
            return None
        else:
            return _sentence(there, f"what is {place}")
    else:
        asked, place = None, "from Kaggle"
    return None if asked == there else _sentence(there, f"{asked or 'the real data'} {place}")


def _sentence(there: Twin | None, asked: str) -> str:
    return (
        f"What is prepared already is kept: {there or 'real data'}. Asked for is {asked}. "
        "Add --force to replace it, or choose another folder with --data-dir."
    )
