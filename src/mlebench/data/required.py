"""Data that a run or a replay needs: there, and as preparation left it."""

from __future__ import annotations

from mlebench.competition.local import LocalCompetition
from mlebench.data.fingerprint import fingerprint
from mlebench.data.record import DatasetRecord
from mlebench.errors import NotPreparedError


def require_data(competition: LocalCompetition) -> DatasetRecord | None:
    """The record of prepared data that is there and unchanged; an error says what to do otherwise."""
    from mlebench.data.prepare import is_dataset_prepared

    command = f"mlebench prepare -c {competition.id} --data-dir {competition.data_dir}"
    if not is_dataset_prepared(competition):
        raise NotPreparedError(f"{competition.id} is not prepared in {competition.data_dir}.", hint=f"Run: {command}")
    record = DatasetRecord.load(competition.prepared_dir)
    if record is not None and record.public_fingerprint not in (None, fingerprint(competition.public_dir)):
        raise NotPreparedError(
            f"The public data of {competition.id} has changed since it was prepared.",
            hint=f"Run: {command} --force",
        )
    return record
