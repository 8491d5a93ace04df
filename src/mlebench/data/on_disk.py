"""What is on disk, competition by competition."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from mlebench.data.changes import changes_since
from mlebench.data.prepare import is_dataset_prepared
from mlebench.data.record import DatasetRecord
from mlebench.errors import DamagedDataError
from mlebench.files.space import size_of

if TYPE_CHECKING:
    from mlebench.competition.local import LocalCompetition


@dataclass(frozen=True)
class Status:
    """What is on disk of one competition.

    `changed` names files of the competition that are not as they were when the data was prepared.
    """

    competition_id: str
    downloaded: bool
    prepared: bool
    verified: bool | None
    data: str | None
    edition: str | None
    bytes: int
    age_days: float | None
    problem: str | None = None
    kind: str | None = None
    mirror: str | None = None
    changed: tuple[str, ...] = ()
    note: str | None = None

    @property
    def data_and_origin(self) -> str | None:
        """For people: which twin, or that it is real data and where it came from."""
        if self.kind != "real":
            return self.data if self.data or not self.prepared else "made elsewhere"
        return f"real, from {self.mirror or self.data}"

    def to_dict(self) -> dict[str, Any]:
        """The status as plain values."""
        return asdict(self)


def status_of(competition: LocalCompetition) -> Status:
    """The status of one competition."""
    prepared = is_dataset_prepared(competition)
    record, problem = None, None
    try:
        record = DatasetRecord.load(competition.prepared_dir) if prepared else None
    except DamagedDataError as error:  # of this competition only: the others are still listed
        problem = str(error)
    changes = changes_since(competition, record)
    _, size = size_of(competition.home)
    age = None
    if record is not None and record.created_at:
        age = round((datetime.now(UTC) - datetime.fromisoformat(record.created_at)).total_seconds() / 86400, 2)
    return Status(
        competition.id,
        downloaded=competition.archive.is_file(),
        prepared=prepared,
        verified=record.verified if record else None,
        data=record.data if record else None,
        edition=record.edition if record else None,
        bytes=size,
        age_days=age,
        problem=problem,
        kind=record.kind if record else None,
        mirror=record.mirror if record else None,
        changed=changes.files,
        note=f"{changes.sentence} {changes.action(competition)}" if changes else None,
    )
