"""The prepare pipeline: from a raw archive to public/ and private/, whole or not at all.

Everything is built beside its target and moved into place by one rename, so that a preparation that is killed
leaves nothing that looks finished; what it left is swept away by the next one. Folders that are there already and
empty are filled instead, since a container may have them mounted: a mark in them says that this is not finished yet.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from mlebench.base import progress
from mlebench.base.author_code import author_errors
from mlebench.competition.preparer import run_preparation
from mlebench.data.changes import DESCRIPTION, TWIN, Changes, changes_since, competition_files
from mlebench.data.dates import date_alike
from mlebench.data.download import HttpRemote, fetch
from mlebench.data.filling import fill, is_finished, must_be_filled_in_place
from mlebench.data.fingerprint import fingerprint
from mlebench.data.prepare_events import Event, Notify, silent
from mlebench.data.prepared_checks import check_preparation, require_description
from mlebench.data.raw_archives import mirror_address, mirror_file, obtain, planned_source
from mlebench.data.record import DatasetRecord, move_former_record
from mlebench.data.verification import differing_files
from mlebench.errors import ChecksumMismatchError, PreparationError
from mlebench.files.csv_reader import release_memory
from mlebench.files.hashing import sha256_of
from mlebench.files.locks import exclusive
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import Raw, RawArchive, RawFolder
from mlebench.files.space import require_space, size_of
from mlebench.files.unpacking import unpack
from mlebench.files.writing import now, write_atomically
from mlebench.files.zip_reader import ZipReader

if TYPE_CHECKING:
    from mlebench.competition.local import LocalCompetition

_BUILDING = ".building"
_REPORT_EVERY = 500  # files
_WAIT_FOR_KILLED = 5.0  # seconds that the lock of a process that was killed may take to be free


@dataclass(frozen=True)
class PrepareOptions:
    """How to prepare.

    `mirror` is a folder or an address that holds archives `<id>.zip`; `keep_raw` keeps the unpacked raw data;
    `check` compares archives and results with their known md5 sums; `force` prepares again what is there already.
    """

    mirror: str | None = None
    keep_raw: bool = False
    check: bool = True
    force: bool = False


def prepare(
    competition: LocalCompetition, options: PrepareOptions | None = None, *, notify: Notify = silent
) -> DatasetRecord:
    """Prepare a competition's data and return the record of it; data that is already prepared is left alone."""
    with progress.task(competition.id):
        return _prepared(competition, options or PrepareOptions(), notify)


def _prepared(competition: LocalCompetition, options: PrepareOptions, notify: Notify) -> DatasetRecord:
    competition.require_edition()
    require_description(competition)
    if options.mirror is not None and competition.declaration.raw_fn is not None:
        mirror_file(options.mirror, competition.id)  # which is not needed, but was asked for: it must be there
    # Data that is there is found without the lock, so that it may be in a folder that cannot be written to.
    record = None if options.force else _existing(competition)
    if record is None or _is_outdated(competition, record):
        with _locked(competition):
            _sweep(competition.home)
            record = None if options.force else _existing(competition)
            if record is None:
                return _prepare_anew(competition, options, notify)
            changes = changes_since(competition, record)
            if changes.own and changes.code:
                _require_raw_data(competition, options, record, changes)
                notify(Event(competition.id, "note", message=f"{changes.sentence} It is prepared again."))
                return _prepare_anew(competition, options, notify, former=record)
            if changes.description:
                record = _with_new_description(competition, record)
                notify(Event(competition.id, "note", message="The description has changed; the public one is updated."))
    changes = changes_since(competition, record)
    if changes:
        notify(Event(competition.id, "note", message=f"{changes.sentence} {changes.action(competition)}"))
    notify(_finished(competition, "present", record))
    return record


def _finished(competition: LocalCompetition, stage: str, record: DatasetRecord) -> Event:
    """What is said of a competition whose data is there."""
    files = record.files if stage == "done" else 0
    return Event(
        competition.id,
        stage,
        files,
        files or None,
        record.data,
        edition=competition.edition,
        differs_from_v1=competition.differs,
    )


def _is_outdated(competition: LocalCompetition, record: DatasetRecord) -> bool:
    """Whether data that is there is to be changed.

    What a new version of mlebench brings does not make data invalid: of that only the text is renewed, if it can be.
    """
    changes = changes_since(competition, record)
    if changes.own:
        return changes.description or bool(changes.code)
    return changes.description and os.access(competition.public_dir, os.W_OK) and os.access(competition.home, os.W_OK)


def _require_raw_data(
    competition: LocalCompetition, options: PrepareOptions, record: DatasetRecord, changes: Changes
) -> None:
    """Refuse to go on with data of older code where there is nothing at hand to prepare it from again."""
    from mlebench.data.kept import other_data_kept

    if planned_source(competition, options.mirror) == "kaggle":
        source = record.mirror or "DIR"
        raise PreparationError(
            changes.sentence,
            hint=f"Give the folder with {competition.id}.zip to prepare it again: --source {source}",
        )
    other = other_data_kept(competition, options.mirror)
    if other is not None:
        raise PreparationError(f"{changes.sentence} {other}")


def _with_new_description(competition: LocalCompetition, record: DatasetRecord) -> DatasetRecord:
    """Write the present text of a competition into public/, whose other files stay what they are."""
    path = competition.public_dir / DESCRIPTION
    if record.public_fingerprint not in (None, fingerprint(competition.public_dir)):
        raise PreparationError(
            f"The public data of {competition.id} has changed since it was prepared.", hint="Add --force."
        )
    before = path.stat().st_size if path.is_file() else 0
    write_atomically(path, competition.description)
    sums = {**(record.competition_files or {}), DESCRIPTION: competition_files(competition)[DESCRIPTION]}
    record = replace(
        record,
        bytes=record.bytes + path.stat().st_size - before,
        public_fingerprint=record.public_fingerprint and fingerprint(competition.public_dir),
        competition_files=sums,
    )
    record.save(competition.prepared_dir)
    return record


@contextmanager
def _locked(competition: LocalCompetition) -> Iterator[None]:
    """The lock of a competition's data; whoever else prepares it is waited for."""
    with ExitStack() as held:
        with progress.stage("wait", "for another preparation"):
            held.enter_context(exclusive(competition.home))
        yield


def _existing(competition: LocalCompetition) -> DatasetRecord | None:
    """The record of data that is prepared already; None also where a killed preparation has left something.

    Data whose answers have changed since is not ready either, and is prepared anew.
    """
    if not is_dataset_prepared(competition) or any(competition.home.glob(f"{_BUILDING}-*")):
        return None
    move_former_record(competition.prepared_dir)
    record = DatasetRecord.load(competition.prepared_dir)
    if record is None:
        return DatasetRecord(competition.id, "elsewhere")
    return None if record.answers_differ(competition.answers) else record


def _prepare_anew(
    competition: LocalCompetition, options: PrepareOptions, notify: Notify, *, former: DatasetRecord | None = None
) -> DatasetRecord:
    """Prepare, whatever is there; `former` is the record of the same data, made by older code."""
    building = competition.home / f"{_BUILDING}-{os.getpid()}"
    building.mkdir()
    try:
        record = _prepare_in(building, competition, options, notify, former)
    finally:
        with progress.stage("clean up"):
            shutil.rmtree(building, ignore_errors=True)
    notify(_finished(competition, "done", record))
    return record


def _prepare_in(
    building: Path,
    competition: LocalCompetition,
    options: PrepareOptions,
    notify: Notify,
    former: DatasetRecord | None,
) -> DatasetRecord:
    created_at = now().isoformat(timespec="seconds")
    files = competition_files(competition)
    if former is not None and former.competition_files and TWIN in former.competition_files:
        files[TWIN] = former.competition_files[TWIN]  # the archive is the one that the older program made
    raw_dir, prepared = building / "raw", building / "prepared"
    raw_dir.mkdir()
    raw: Raw = RawFolder(raw_dir)
    if competition.declaration.raw_fn is not None:
        write_raw = competition.declaration.raw_fn
        with (
            progress.stage("make", "the raw data"),
            author_errors(f"Writing the raw data of {competition.id}", write_raw, kind=PreparationError),
        ):
            write_raw(raw_dir)
        record = DatasetRecord(competition.id, "built-in", created_at=created_at, edition=competition.edition)
    else:
        data = obtain(competition, options.mirror, check=options.check, notify=notify)
        record = DatasetRecord(
            competition.id,
            data.source,
            twin=data.twin,
            mirror=mirror_address(options.mirror) if options.mirror and data.source == "mirror" else None,
            archive_md5=data.md5,
            created_at=created_at,
            edition=competition.edition,
        )
        raw = _opened(competition, data.archive, raw_dir, options.keep_raw)
        raw.fetch = lambda url, path: fetch(HttpRemote(url), path)
    build(competition, raw, prepared, link=not options.keep_raw, notify=notify)
    date_alike(prepared / "public")
    with progress.stage("verify", "what was prepared"):
        check_preparation(competition, prepared)
    record = replace(record, verified=_verified(competition, prepared, record, options))
    with progress.stage("verify", "the prepared files"):
        count, size = size_of(prepared)
        answers = sha256_of(prepared / competition.answers.relative_to(competition.prepared_dir))
        public = fingerprint(prepared / "public")
    record = replace(
        record,
        files=count,
        bytes=size,
        answers_sha256=answers,
        public_fingerprint=public,
        competition_files=files or None,
    )
    record.save(prepared)
    if options.keep_raw:
        _replace(competition.raw_dir, raw_dir)
    with progress.stage("place", "the prepared files"):
        if must_be_filled_in_place(competition.prepared_dir):
            fill(competition.prepared_dir, prepared)
        else:
            _replace(competition.prepared_dir, prepared)  # last: it says that all is done
    return record


def _opened(competition: LocalCompetition, archive: Path, raw_dir: Path, keep_raw: bool) -> Raw:
    """The raw data: unpacked if it is to be kept, else read in place."""
    reader = ZipReader(archive)
    size = reader.unpacked_size
    require_space(raw_dir, 2 * size if keep_raw else size, f"Preparing {competition.id}")
    if not keep_raw:
        return RawArchive(reader, raw_dir)
    raw_dir.rmdir()
    unpack(archive, raw_dir)
    return RawFolder(raw_dir)


def build(competition: LocalCompetition, raw: Raw, target: Path, *, link: bool = True, notify: Notify = silent) -> None:
    """Run the competition's preparation; what it writes is not checked yet."""
    placed, lock = 0, Lock()

    def count_placed(count: int) -> None:
        nonlocal placed
        with lock:  # files are placed in several threads
            before, placed = placed, placed + count
            if placed // _REPORT_EVERY > before // _REPORT_EVERY:
                notify(Event(competition.id, "prepare", placed))

    notify(Event(competition.id, "prepare"))
    public = Output(target / "public", link=link, progress=count_placed)
    private = Output(target / "private", link=link, progress=count_placed)
    with progress.stage("prepare"):
        prepare_fn = competition.declaration.prepare_fn(competition.edition)
        run_preparation(competition.id, prepare_fn, raw, public, private)
    release_memory()  # of the tables, which the checks do not need
    public.write_text("description.md", competition.description)


def _verified(
    competition: LocalCompetition, prepared: Path, record: DatasetRecord, options: PrepareOptions
) -> bool | None:
    """Whether the files have the known sums; a difference is an error that keeps them for inspection."""
    if (
        not options.check
        or not record.is_real
        or (not competition.known_checksums.public and not competition.known_checksums.private)
    ):
        return None
    differences = differing_files(competition, prepared)
    if not differences:
        return True
    kept = competition.home / "prepared.rejected"
    _replace(kept, prepared)
    listed = "; ".join(str(difference) for difference in differences[:3])
    more = f" and {len(differences) - 3} more" if len(differences) > 3 else ""
    raise ChecksumMismatchError(
        f"{competition.id} was prepared, but its files do not have the known checksums: {listed}{more}.",
        hint=f"The files are kept in {kept} and the archive where it was; --skip-verification accepts them.",
    )


def _replace(target: Path, built: Path) -> None:
    """Put a finished folder into place; an old one makes way for it."""
    if target.exists():
        old = target.with_name(f"{_BUILDING}-old-{target.name}-{os.getpid()}")
        target.rename(old)
        built.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    else:
        built.rename(target)


def _sweep(home: Path) -> None:
    """Remove what killed preparations left; called under the lock, so nobody is using it.

    A folder that had made way when its successor did not come is put back first.
    """
    for old in home.glob(f"{_BUILDING}-old-*"):
        target = home / old.name.removeprefix(f"{_BUILDING}-old-").rsplit("-", 1)[0]
        if not target.exists():
            old.rename(target)
    for left in home.glob(f"{_BUILDING}-*"):
        for _ in range(50):  # a helper of a killed preparation may be writing its last file
            shutil.rmtree(left, ignore_errors=True)
            if not left.exists():
                break
            time.sleep(0.1)


def sweep_after_kill(competition: LocalCompetition) -> None:
    """Remove what a process that was killed had half-built; what others are building is left alone."""
    if not any(competition.home.glob(f"{_BUILDING}-*")):
        return
    with suppress(TimeoutError, OSError), exclusive(competition.home, seconds=_WAIT_FOR_KILLED):
        _sweep(competition.home)


def is_dataset_prepared(competition: LocalCompetition, grading_only: bool = False) -> bool:
    """Whether the data is on disk: answers, sample submission and public data; only for grading, just the answers."""
    if not _is_filled(competition.answers) or not is_finished(competition.private_dir):
        return False
    if grading_only:
        return True
    public = competition.public_dir
    return _is_filled(competition.sample_submission) and is_finished(public) and any(public.iterdir())


def _is_filled(path: Path) -> bool:
    return path.is_file() and path.stat().st_size > 0


def download_and_prepare_dataset(
    competition: LocalCompetition,
    keep_raw: bool = True,
    overwrite_checksums: bool = False,
    overwrite_leaderboard: bool = False,
    skip_verification: bool = False,
) -> None:
    """Prepare a competition, downloading what is missing; name and arguments are those of the published benchmark.

    The known checksums are part of mlebench; to overwrite them means not to check against them.
    """
    from mlebench.data.full_leaderboards import download

    check = not skip_verification and not overwrite_checksums
    prepare(competition, PrepareOptions(keep_raw=keep_raw, check=check))
    if overwrite_leaderboard:
        download(competition, force=True)
