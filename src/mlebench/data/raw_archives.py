"""Where raw archives come from: in place already, a mirror, or Kaggle; in this order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit, urlunsplit

from mlebench.base.wording import quote
from mlebench.data.changes import is_own
from mlebench.data.download import DownloadError, FileSystemRemote, HttpRemote, Remote, fetch, md5_of
from mlebench.data.kaggle import KaggleFile, MissingCredentialsError
from mlebench.data.prepare_events import Event, Notify, silent
from mlebench.data.record import Twin
from mlebench.errors import ChecksumMismatchError, MlebenchError, PreparationError
from mlebench.files.space import require_space
from mlebench.files.zip_reader import zip_comment

if TYPE_CHECKING:
    from mlebench.competition.local import LocalCompetition


@dataclass(frozen=True)
class RawData:
    """A raw archive on disk, and where it came from."""

    archive: Path
    source: str
    md5: str | None
    twin: Twin | None


def twin_of(archive: Path) -> Twin | None:
    """The parameters of a synthetic archive, which carries them as its comment; None for a real one."""
    comment = zip_comment(archive).decode("ascii", errors="replace").strip()
    if comment.split()[:2] != ["mlebench", "twin"]:
        return None
    found = re.fullmatch(r"mlebench twin seed=(\d{1,18}) scale=(\d{1,18})", comment)
    if found is None:  # not taken for real data, on which medals would count
        raise PreparationError(
            f"{archive.name} is marked as a twin, but does not say which: its comment is {quote(comment)}.",
            hint="Make it again with `mlebench twin`.",
        )
    return Twin(seed=int(found[1]), scale=int(found[2]))


def twin_comment(twin: Twin) -> bytes:
    """The comment that marks an archive as synthetic."""
    return f"mlebench twin seed={twin.seed} scale={twin.scale}".encode("ascii")


def mirror_file(mirror: str, competition_id: str) -> Path | Remote:
    """The archive of a competition on a mirror: a folder, or any address that holds files `<id>.zip`."""
    name = f"{competition_id}.zip"
    if "://" not in mirror:
        folder = Path(mirror).expanduser()
        if not mirror:
            raise MlebenchError("The mirror is an empty text.", hint="Give a folder or an address to --source.")
        if folder.is_file():
            raise MlebenchError(
                f"The mirror {folder} is a file.", hint=f"Give the folder that holds {name} to --source."
            )
        if not folder.is_dir():
            raise MlebenchError(f"The mirror {folder} does not exist.", hint="Give a folder or an address to --source.")
        return folder / name
    url = f"{mirror.rstrip('/')}/{name}"
    return HttpRemote(url) if url.startswith(("http://", "https://")) else FileSystemRemote(url)


def from_mirror(competition: LocalCompetition, mirror: str, folder: Path) -> Path:
    """The archive of a competition on a mirror: where it is, or downloaded into a folder."""
    file = mirror_file(mirror, competition.id)
    if not isinstance(file, Path):
        fetch(file, folder / f"{competition.id}.zip")
        return folder / f"{competition.id}.zip"
    if not file.is_file():
        raise MlebenchError(f"There is no {file.name} in {mirror}.", hint=f"Give the folder that holds {file.name}.")
    return file.resolve()


def mirror_address(mirror: str) -> str:
    """Where a mirror is, for a record: a folder by its full path, an address without what may be secret in it."""
    if "://" not in mirror:
        return str(Path(mirror).expanduser().absolute())
    parts = urlsplit(mirror)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))


def planned_source(competition: LocalCompetition, mirror: str | None) -> str:
    """In a word: where the raw data would come from."""
    if competition.declaration.raw_fn is not None:
        return "built-in"
    if competition.archive.is_file():
        return "in place"
    if mirror is not None:
        file = mirror_file(mirror, competition.id)
        if not isinstance(file, Path) or file.is_file():
            return "mirror"
    return "kaggle"


def obtain(
    competition: LocalCompetition, mirror: str | None, *, check: bool = True, notify: Notify = silent
) -> RawData:
    """The raw archive of a competition, downloaded if need be, its md5 checked unless told otherwise."""
    where = planned_source(competition, mirror)
    if where == "in place":
        _refuse_another(competition, mirror)
        return _on_disk(competition, competition.archive, where, check)
    if where == "mirror" and mirror is not None:
        file = mirror_file(mirror, competition.id)
        if isinstance(file, Path):  # read where it is: nothing is copied
            return _on_disk(competition, file, where, check)
        try:
            return _download(competition, file, where, check, notify)
        except DownloadError as error:
            if error.status != 404:
                raise
    try:
        return _download(competition, KaggleFile(competition.id), "kaggle", check, notify)
    except MissingCredentialsError as error:
        raise _without_account(competition, mirror, error) from error


def _without_account(
    competition: LocalCompetition, mirror: str | None, error: MissingCredentialsError
) -> MissingCredentialsError:
    """The same error with what can be done without an account."""
    folder, archive = competition.declaration.folder, f"{competition.id}.zip"
    missing = f"There is no {archive} in {mirror}. " if mirror is not None else ""
    twin = f"mlebench twin {competition.id} DIR" if (folder / "twin.py").is_file() else None
    if is_own(competition):
        made = f", which {twin} makes," if twin else ""
        return MissingCredentialsError(
            f"{missing or f'There is no archive of {competition.id}. '}{error.sentence}",
            hint=f"Give the folder that holds {archive}{made} with --source.",
        )
    instead = f" Synthetic data needs no account: {twin}, then prepare with --source DIR." if twin else ""
    return MissingCredentialsError(f"{missing}{error.sentence}", hint=f"{error.hint}{instead}")


def _refuse_another(competition: LocalCompetition, mirror: str | None) -> None:
    """An archive in place is taken first, but not for another one that was asked for."""
    file = mirror_file(mirror, competition.id) if mirror is not None and "://" not in mirror else None
    if not isinstance(file, Path) or not file.is_file():
        return
    there, asked = twin_of(competition.archive), twin_of(file)
    if there != asked:
        raise PreparationError(
            f"{competition.archive}, which comes first, is {there or 'real data'}; {file} is {asked or 'real data'}.",
            hint="Move the first away, or leave --source out.",
        )


def _on_disk(competition: LocalCompetition, archive: Path, where: str, check: bool) -> RawData:
    twin = twin_of(archive)
    found = md5_of(archive) if check and twin is None and competition.declaration.checksums.archive else None
    _check_md5(competition, archive, found)
    return RawData(archive, where, found, twin)


def _download(competition: LocalCompetition, remote: Remote, where: str, check: bool, notify: Notify) -> RawData:
    archive = competition.archive

    def progress(done: int, total: int | None) -> None:
        notify(Event(competition.id, "download", done, total))

    def before(size: int) -> None:
        require_space(archive.parent, size, f"Downloading {competition.id}")

    found = fetch(remote, archive, progress=progress, before=before)
    try:
        twin = twin_of(archive)
        _check_md5(competition, archive, found if check and twin is None else None)
    except PreparationError:
        # Out of the way, so that the next run downloads it anew, but kept for whoever wants to look at it.
        archive.replace(archive.with_name(f"{archive.name}.rejected"))
        raise
    return RawData(archive, where, found, twin)


def _check_md5(competition: LocalCompetition, archive: Path, found: str | None) -> None:
    known = competition.declaration.checksums.archive
    if found is not None and known is not None and found != known:
        raise ChecksumMismatchError(
            f"{archive} has the checksum {found}, but the archive of {competition.id} is known to have {known}.",
            hint="Download it again, or add --skip-verification if Kaggle has changed it since.",
        )
