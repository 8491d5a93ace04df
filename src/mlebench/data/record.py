"""The record of a preparation: what it was made from, when and with which versions.

It is in private/ and so goes with the answers, wherever they are taken: those of a twin are known as such, and earn no
medals, also where nothing else of the prepared data is at hand. Its name has none of the endings of tables and records
that the published benchmark takes the md5 sums of, so that those of private/ are the published ones.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from mlebench.base.versions import versions
from mlebench.competition.vocabulary import DEFAULT_EDITION
from mlebench.errors import DamagedDataError
from mlebench.files.hashing import sha256_of
from mlebench.files.writing import write_json

RECORD_NAME = "private/dataset.record"  # below the folder of prepared data
_FORMER_NAMES = ("private/dataset.json", "dataset.json")  # where older versions put it


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
    mirror: str | None = None
    archive_md5: str | None = None
    created_at: str | None = None
    # True: the files have the known md5 sums; False: some have not; None: no sums are known for this data.
    verified: bool | None = None
    files: int = 0
    bytes: int = 0
    answers_sha256: str | None = None
    public_fingerprint: str | None = None
    # The sha256 of the competition's own files (description, code, twin) by name; None in records of older versions.
    competition_files: dict[str, str] | None = None
    versions: dict[str, str] = field(default_factory=versions)

    @property
    def is_real(self) -> bool:
        """Whether the data is the competition's own, so that medals and known checksums apply."""
        return self.twin is None

    @property
    def kind(self) -> str:
        """In a word: twin, built-in or real."""
        return "twin" if self.twin else "built-in" if self.source == "built-in" else "real"

    @property
    def data(self) -> str:
        """In a word or two: which data this is."""
        return str(self.twin) if self.twin else self.source

    def save(self, folder: Path) -> None:
        """Write the record into a folder of prepared data; one of an older version makes way for it."""
        former = None if (folder / RECORD_NAME).exists() else record_path(folder)
        write_json(folder / RECORD_NAME, asdict(self))
        if former is not None and _is_record(former):  # a competition may have a file of that name
            former.unlink()

    def answers_differ(self, answers: Path) -> bool:
        """Whether an answers file is not the one that was prepared; not known of data from older versions."""
        return self.answers_sha256 is not None and sha256_of(answers) != self.answers_sha256

    @classmethod
    def load(cls, folder: Path) -> DatasetRecord | None:
        """The record of prepared data; None for data that something else prepared."""
        path = record_path(folder)
        if path is None:
            return None
        try:
            return cls(**_fields(path))
        except _DAMAGED as error:
            if record_path(folder) not in (None, path):  # it was moved in between
                return cls.load(folder)
            # Not taken for data without a record, on which medals would count.
            raise DamagedDataError(
                f"{path} is damaged or was written by another version of mlebench.",
                hint="Prepare the competition again, with --force.",
            ) from error


_DAMAGED = (ValueError, TypeError, AttributeError, KeyError, RecursionError, OSError)


def _fields(path: Path) -> dict[str, Any]:
    if not path.is_file():  # a pipe would keep us waiting
        raise ValueError(path)
    return _checked(json.loads(path.read_text(encoding="utf-8")))


def _is_record(path: Path) -> bool:
    try:
        _fields(path)
    except _DAMAGED:
        return False
    return True


def _checked(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record, each of the kind that it should be; ValueError, TypeError or KeyError if not."""
    texts = {name: fields.get(name) for name in ("mirror", "archive_md5", "answers_sha256", "public_fingerprint")}
    texts |= {name: fields[name] for name in ("competition_id", "source", "edition")}
    if fields.get("created_at") is not None and datetime.fromisoformat(fields["created_at"]).tzinfo is None:
        raise ValueError("created_at")
    required = ("competition_id", "source", "edition")
    if any(not isinstance(value, str) for name, value in texts.items() if value is not None or name in required):
        raise TypeError("text")
    if any(type(fields.get(name, 0)) is not int for name in ("files", "bytes")):
        raise TypeError("number")
    if fields.get("verified") not in (True, False, None) or not isinstance(fields.get("versions", {}), dict):
        raise TypeError("verified")
    sums = fields.get("competition_files")
    if sums is not None and not (isinstance(sums, dict) and all(isinstance(value, str) for value in sums.values())):
        raise TypeError("competition_files")
    if (twin := fields.get("twin")) is not None:
        twin = Twin(int(twin["seed"]), int(twin["scale"]))
    return fields | {"twin": twin}


def record_path(folder: Path) -> Path | None:
    """What is in the place of the record, if only a dangling link; None for data that something else prepared."""
    names = (RECORD_NAME, *_FORMER_NAMES)
    return next((folder / name for name in names if os.path.lexists(folder / name)), None)


def move_former_record(folder: Path) -> None:
    """Give the record of an older version its present name, where the folder can be written to."""
    former = record_path(folder)
    if former is not None and former != folder / RECORD_NAME and _is_record(former):
        with suppress(OSError):
            former.rename(folder / RECORD_NAME)
