"""The renamed copy of a competition's public data: made once, kept beside the data, used by every run."""

from __future__ import annotations

import errno
import hashlib
import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mlebench.base import progress
from mlebench.competition.local import LocalCompetition
from mlebench.data.fingerprint import fingerprint
from mlebench.files.hostile import discard
from mlebench.files.locks import exclusive
from mlebench.files.writing import write_atomically, write_json
from mlebench.renaming.choosing import choose_renaming
from mlebench.renaming.copying import copy_renamed
from mlebench.renaming.mapping import RENAMING_FILE, Renaming, RenamingError, load_renaming

FOLDER = ".renamed"  # below the data folder; the names in it tell nothing about competitions
_DATA, _RECORD = "data", "copy.json"
_NOT_WRITABLE = (errno.EROFS, errno.EACCES, errno.EPERM)
_FORM = 1  # of copies; another number where the same data and seed would give another copy
DESCRIPTION = "description.md"


@dataclass(frozen=True)
class RenamedData:
    """A folder with public data under other names, and the renaming that leads back."""

    folder: Path
    renaming: Renaming


def renamed_data(
    competition: LocalCompetition, *, seed: int = 0, obfuscate: bool = False, scratch: Path | None = None
) -> RenamedData:
    """The renamed copy of the public data, from an earlier run where there is one.

    It is below the data folder, in a folder whose name says nothing; what has the same bytes is linked. With
    `obfuscate` its description has no names either. It is made at `scratch` where the data folder is not writable.
    """
    public = fingerprint(competition.public_dir)
    texts = (_FORM, public, seed, obfuscate, competition.obfuscated_description())
    key = hashlib.sha256("\0".join(map(str, texts)).encode()).hexdigest()[:24]
    kept = competition.data_dir / FOLDER / key

    def make(target: Path) -> Renaming:
        return make_copy(competition, target, seed=seed, obfuscate=obfuscate)

    try:
        with exclusive(kept):
            return _kept_copy(kept) or _new_copy(kept, make)
    except OSError as error:
        if error.errno not in _NOT_WRITABLE:
            raise
        return _without_writing(kept, make, scratch)


def _without_writing(kept: Path, make: Callable[[Path], Renaming], scratch: Path | None) -> RenamedData:
    """A copy that somebody else has made in a data folder that is not ours to write to, or one for this run alone."""
    if found := _kept_copy(kept):
        return found
    if scratch is None:
        raise RenamingError(f"There is no renamed copy of the data, and {kept.parent} cannot be written to.")
    discard(scratch)
    return RenamedData(scratch, make(scratch))


def _kept_copy(kept: Path) -> RenamedData | None:
    """What an earlier run has made, if all of it is there unchanged."""
    with suppress(OSError, ValueError, KeyError, TypeError, RenamingError):
        record = json.loads((kept / _RECORD).read_text(encoding="utf-8"))
        renaming = load_renaming(kept / RENAMING_FILE, record["renaming"])
        if fingerprint(kept / _DATA) == record["fingerprint"]:
            return RenamedData(kept / _DATA, renaming)
    return None


def _new_copy(kept: Path, make: Callable[[Path], Renaming]) -> RenamedData:
    for name in (_RECORD, RENAMING_FILE):
        (kept / name).unlink(missing_ok=True)
    discard(kept / _DATA)
    with progress.stage("rename", "files and columns"):
        renaming = make(kept / _DATA)
    write_atomically(kept / RENAMING_FILE, renaming.to_json())
    write_json(kept / _RECORD, {"renaming": renaming.sha256, "fingerprint": fingerprint(kept / _DATA)})
    return RenamedData(kept / _DATA, renaming)


def make_copy(competition: LocalCompetition, target: Path, *, seed: int = 0, obfuscate: bool = False) -> Renaming:
    """Make a renamed copy of the public data in a new folder."""
    public = competition.public_dir
    path = public / DESCRIPTION
    text = path.read_text(encoding="utf-8") if path.is_file() else competition.description
    declaration = competition.declaration
    sample = None if declaration.private_sample is not None else declaration.sample
    renaming = choose_renaming(text, public, sample=sample, seed=seed)
    partial = target.with_name(f"{target.name}.partial")
    discard(partial)
    try:
        copy_renamed(public, partial, renaming)
        if obfuscate:
            text = competition.obfuscated_description(text)
        (partial / DESCRIPTION).unlink(missing_ok=True)  # it may be a link to the original
        (partial / DESCRIPTION).write_text(renaming.description(text), encoding="utf-8")
        partial.replace(target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    return renaming
