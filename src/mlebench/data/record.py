"""The record of a preparation: what it was made from, when and with which versions.

It is in private/ and so goes with the answers, wherever they are taken: those of a twin are known as such, and earn no
medals, also where nothing else of the prepared data is at hand.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from mlebench.errors import MlebenchError
from mlebench.files.writing import write_json
from mlebench.versions import versions
from mlebench.vocabulary import DEFAULT_EDITION

RECORD_NAME = "private/dataset.json"  # below the folder of prepared data
_FORMER_NAME = "dataset.json"  # where it was before


@dataclass(frozen=True)
class Twin:
    """The parameters that a synthetic archive was made with."""

    seed: int
    scale: int

    def __str__(self) -> str:
        return f"twin (seed {self.seed}, scale {self.scale})"


@dataclass(frozen=True)
class DatasetRecord:
    """How prepared data came about."""

    competition_id: str
    source: str
    edition: str = DEFAULT_EDITION
    twin: Twin | None = None
    archive_md5: str | None = None
    created_at: str | None = None
    # True: the files have the known md5 sums; False: some have not; None: no sums are known for this data.
    verified: bool | None = None
    files: int = 0
    bytes: int = 0
    public_fingerprint: str | None = None
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def is_real(self) -> bool:
        """Whether the data is the competition's own, so that medals and known checksums apply."""
        return self.twin is None

    @property
    def data(self) -> str:
        """In a word or two: which data this is."""
        return str(self.twin) if self.twin else self.source

    def save(self, folder: Path) -> None:
        """Write the record into a folder of prepared data."""
        write_json(folder / RECORD_NAME, asdict(self))
        (folder / _FORMER_NAME).unlink(missing_ok=True)

    @classmethod
    def load(cls, folder: Path) -> DatasetRecord | None:
        """The record of prepared data; None for data that something else prepared."""
        path = record_path(folder)
        if path is None:
            return None
        try:
            fields = json.loads(path.read_text(encoding="utf-8"))
            twin = fields.pop("twin", None)
            return cls(**fields, twin=Twin(**twin) if twin else None)
        except (ValueError, TypeError, AttributeError) as error:
            # Not taken for data without a record, on which medals would count.
            raise MlebenchError(
                f"{path} is damaged or was written by another version of mlebench.",
                hint="Prepare the competition again, with --force.",
            ) from error


def record_path(folder: Path) -> Path | None:
    """The file with the record of a folder of prepared data; None for data that something else prepared."""
    return next((folder / name for name in (RECORD_NAME, _FORMER_NAME) if (folder / name).is_file()), None)
