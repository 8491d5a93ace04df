"""The prepare pipeline: from a raw archive to public/ and private/, whole or not at all.

Everything is built beside its target and moved into place by one rename, so that a preparation that is killed
leaves nothing that looks finished; what it left is swept away by the next one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.data.archives import ZipReader, unpack
from mlebench.data.folders import OutputFolder, RawFolder
from mlebench.data.locks import exclusive
from mlebench.data.record import DatasetRecord, Twin
from mlebench.data.tables import plain_strings
from mlebench.errors import NotPreparedError, PreparationError

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.registry import LocalCompetition

_BUILDING = ".building"


def prepare(
    competition: LocalCompetition,
    *,
    source: Path | None = None,
    keep_raw: bool = False,
    force: bool = False,
    progress: Callable[[int], None] | None = None,
) -> DatasetRecord:
    """Prepare a competition's data and give the record of it; data that is already prepared is left alone.

    The raw data comes from the competition itself (practice), from an archive already in place, or from the folder
    `source`, which holds archives named `<id>.zip`.
    """
    competition.require_implementation()
    with exclusive(competition.home):
        existing = DatasetRecord.load(competition.prepared_dir)
        if existing is not None and is_dataset_prepared(competition) and not force:
            return existing
        _sweep(competition.home)
        building = competition.home / f"{_BUILDING}-{os.getpid()}"
        building.mkdir()
        try:
            raw, record = _raw_data(competition, building, source)
            _build(competition, raw, building / "prepared", link=not keep_raw, progress=progress)
            record.save(building / "prepared")
            _replace(competition.prepared_dir, building / "prepared")
            if keep_raw:
                _replace(competition.raw_dir, raw)
        finally:
            shutil.rmtree(building, ignore_errors=True)
        return record


def _raw_data(competition: LocalCompetition, building: Path, source: Path | None) -> tuple[Path, DatasetRecord]:
    """The raw data unpacked in a folder, and the beginning of the record."""
    now = datetime.now(UTC).isoformat(timespec="seconds")
    raw = building / "raw"
    if competition.declaration.raw_fn is not None:
        raw.mkdir()
        competition.declaration.raw_fn(raw)
        return raw, DatasetRecord(competition.id, "built-in", created_at=now)
    archive = _archive(competition, source)
    unpack(archive, raw)
    twin = twin_of(archive)
    return raw, DatasetRecord(competition.id, "twin" if twin else "archive", twin=twin, created_at=now)


def _archive(competition: LocalCompetition, source: Path | None) -> Path:
    candidates = [source / f"{competition.id}.zip"] if source else []
    candidates.append(competition.archive)
    for path in candidates:
        if path.is_file():
            return path
    places = " or ".join(str(path) for path in candidates)
    raise NotPreparedError(
        f"There is no raw archive of {competition.id} at {places}.",
        hint=f"Put it there, or try the synthetic one: mlebench twin {competition.id} {competition.home}",
    )


def twin_of(archive: Path) -> Twin | None:
    """The parameters of a synthetic archive, which carries them as its comment; None for a real one."""
    words = ZipReader(archive).comment.decode("ascii", errors="replace").split()
    if words[:2] != ["mlebench", "twin"]:
        return None
    values = dict(word.split("=") for word in words[2:])
    return Twin(seed=int(values["seed"]), scale=int(values["scale"]))


def twin_comment(twin: Twin) -> bytes:
    """The comment that marks an archive as synthetic."""
    return f"mlebench twin seed={twin.seed} scale={twin.scale}".encode("ascii")


def _build(
    competition: LocalCompetition,
    raw: Path,
    target: Path,
    *,
    link: bool,
    progress: Callable[[int], None] | None,
) -> None:
    """Run the competition's preparation and check that what every competition needs is there."""
    public = OutputFolder(target / "public", link=link, progress=progress)
    private = OutputFolder(target / "private", link=link, progress=progress)
    run_preparation(competition, RawFolder(raw), public, private)
    public.write_text("description.md", competition.description)
    sample = competition.sample_submission.relative_to(competition.prepared_dir)
    answers = competition.answers.relative_to(competition.prepared_dir)
    for path in (sample, answers):
        if not (target / path).is_file():
            raise PreparationError(f"The preparation of {competition.id} did not write {path}.")


def run_preparation(
    competition: LocalCompetition, raw: RawFolder, public: OutputFolder, private: OutputFolder
) -> None:
    """Call the competition's own preparation, under the same rules for text with every version of pandas."""
    competition.require_implementation()
    assert competition.declaration.prepare_fn is not None
    with plain_strings():
        competition.declaration.prepare_fn(raw, public, private)


def _replace(target: Path, built: Path) -> None:
    """Put a finished folder into place; an old one makes way for it."""
    if target.exists():
        old = target.with_name(f"{_BUILDING}-old-{os.getpid()}")
        target.rename(old)
        built.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    else:
        built.rename(target)


def _sweep(home: Path) -> None:
    """Remove what killed preparations left; called under the lock, so nobody is using it."""
    for left in home.glob(f"{_BUILDING}-*"):
        shutil.rmtree(left, ignore_errors=True)


def is_dataset_prepared(competition: LocalCompetition, grading_only: bool = False) -> bool:
    """Whether the data is on disk: the answers and the sample submission and, unless only for grading, public/."""
    if not competition.answers.is_file() or not competition.sample_submission.is_file():
        return False
    return grading_only or any(competition.public_dir.iterdir())


def download_and_prepare_dataset(
    competition: LocalCompetition,
    keep_raw: bool = True,
    overwrite_checksums: bool = False,
    overwrite_leaderboard: bool = False,
    skip_verification: bool = False,
) -> None:
    """Prepare a competition; the name and the arguments are those of the published benchmark."""
    prepare(competition, keep_raw=keep_raw)


def get_leaderboard(competition: LocalCompetition) -> pd.DataFrame:
    """The leaderboard as a table with a `score` column, best first."""
    from mlebench.data.tables import read_csv

    return read_csv(competition.leaderboard)
