"""Reading material: a folder of the user's that agents may read beside their data, and never change.

A group names one folder, or with `{competition}` in its path one for each competition. It is hashed when the group is
planned, and every run gets a copy of its own that must have the same hash: what a record says of it is what the agent
saw. Only regular files are copied, and no link is followed.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.base.wording import plain
from mlebench.errors import MlebenchError
from mlebench.files.hostile import discard
from mlebench.files.regular import is_folder, open_regular
from mlebench.results.records import digest_of

MATERIAL = "material"  # the folder in an agent's home, and a key of a record's `inputs`
PLACEHOLDER = "{competition}"
_SHARED = ""  # the key of the one hash where all competitions have the same folder
_MOST_FILES, _MOST_BYTES = 100_000, 16 << 30
_BLOCK = 1 << 20


class MaterialError(MlebenchError):
    """Reading material that cannot be given to agents as it is."""


@dataclass(frozen=True)
class Material:
    """The reading material of a group: its folder, and the hash that it had when the group was planned.

    `folder` is an absolute path, with `{competition}` in it where every competition has material of its own; `sha256`
    then has their ids as keys.
    """

    folder: str
    sha256: Mapping[str, str]

    @classmethod
    def from_dict(cls, values: Any) -> Material | None:
        """The inverse of `dataclasses.asdict`; a TypeError where the values are no material."""
        if values is None:
            return None
        found = cls(**values)
        hashes = found.sha256
        if not isinstance(found.folder, str) or not isinstance(hashes, Mapping):
            raise TypeError(MATERIAL)
        if not all(isinstance(text, str) for entry in hashes.items() for text in entry):
            raise TypeError(MATERIAL)
        return found

    @property
    def root(self) -> Path:
        """The folder that holds all of it."""
        before = self.folder.partition(PLACEHOLDER)[0]
        return Path(before) if before == self.folder or before.endswith(os.sep) else Path(before).parent

    def moved_to(self, folder: str) -> Material:
        """The same material in another place."""
        return replace(self, folder=os.path.abspath(folder))  # noqa: PTH100 (the placeholder must stay)

    def folder_of(self, competition_id: str) -> Path:
        """The folder of one competition."""
        return Path(self.folder.replace(PLACEHOLDER, competition_id))

    def digest_of(self, competition_id: str) -> str:
        """The hash that the material of a competition must have."""
        key = competition_id if PLACEHOLDER in self.folder else _SHARED
        if key not in self.sha256:
            raise MaterialError(f"The run group was planned without reading material for {plain(competition_id, 100)}.")
        return self.sha256[key]

    def copy(self, competition_id: str, target: Path) -> Path:
        """Copy the material of a competition to `target`, which is replaced; an error if it is not what was planned."""
        folder, wanted = self.folder_of(competition_id), self.digest_of(competition_id)
        discard(target)
        target.mkdir(parents=True)
        if target.resolve().is_relative_to(folder.resolve()):
            raise MaterialError(f"The reading material {_shown(folder)} holds the runs themselves.")
        if digest_of(dict(_copied(folder, target))) != wanted:
            discard(target)
            raise MaterialError(
                f"The reading material {_shown(folder)} has changed since the run group was planned.",
                hint="Put it back as it was, or plan a new run group.",
            )
        return target


def plan_material(folder: str | Path, competition_ids: Sequence[str], data_dir: Path) -> Material:
    """The material of a group that is being planned; an error says what is wrong with the folder."""
    material = Material(os.path.abspath(folder), {})  # noqa: PTH100 (the placeholder must stay)
    if PLACEHOLDER not in material.folder:
        return replace(material, sha256={_SHARED: _checked(Path(material.folder), data_dir, follow=True)})
    hashes = {name: _checked(material.folder_of(name), data_dir, follow=False) for name in competition_ids}
    return replace(material, sha256=hashes)


def _checked(folder: Path, data_dir: Path, *, follow: bool) -> str:
    """The hash of a folder that agents may see; the user may name one by a link."""
    if not (folder.is_dir() if follow else is_folder(folder)):
        raise MaterialError(f"There is no folder {_shown(folder)} with reading material.")
    place, data = folder.resolve(), data_dir.resolve()
    if place.is_relative_to(data) or data.is_relative_to(place):
        raise MaterialError(
            f"The reading material {_shown(folder)} and the data in {data_dir} are in one folder, answers among it.",
            hint="Give a folder of its own.",
        )
    hashes = {name: _hash(path) for name, path in _files(folder)}
    if not hashes:
        raise MaterialError(f"The reading material {_shown(folder)} has no files.")
    return digest_of(hashes)


def _files(folder: Path) -> Iterator[tuple[str, Path]]:
    """(name, path) of every file below a folder; anything else than files and folders is an error."""
    waiting, count, size = [folder], 0, 0
    while waiting:
        current = waiting.pop()
        with os.scandir(current) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        if {"public", "private"} <= {entry.name for entry in found}:
            raise MaterialError(f"The reading material {_shown(current)} is prepared data, answers among it.")
        for entry in found:
            path = Path(entry.path)
            if entry.is_dir(follow_symlinks=False):
                waiting.append(path)
                continue
            if not entry.is_file(follow_symlinks=False):
                kind = "a link" if entry.is_symlink() else "no regular file"
                raise MaterialError(f"{_shown(path)} is {kind}; reading material is regular files only.")
            count, size = count + 1, size + entry.stat(follow_symlinks=False).st_size
            if count > _MOST_FILES or size > _MOST_BYTES:
                most = f"{_MOST_FILES:,} files or {_MOST_BYTES >> 30} GiB"
                raise MaterialError(f"The reading material {_shown(folder)} has more than {most}.")
            yield path.relative_to(folder).as_posix(), path


def _copied(folder: Path, target: Path) -> Iterator[tuple[str, str]]:
    """(name, sha256) of every file of a folder while it is copied; anybody may read the copies."""
    if not folder.is_dir():
        raise MaterialError(f"There is no folder {_shown(folder)} with reading material.")
    target.chmod(0o755)
    for name, path in _files(folder):
        copy = target / name
        for parent in reversed(copy.relative_to(target).parents[:-1]):
            (target / parent).mkdir(exist_ok=True)
            (target / parent).chmod(0o755)
        digest = hashlib.sha256()
        with open_regular(path) as source, copy.open("xb") as file:
            while block := source.read(_BLOCK):
                digest.update(block)
                file.write(block)
        copy.chmod(0o644)
        yield name, digest.hexdigest()


def _hash(path: Path) -> str:
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def _shown(path: Path) -> str:
    return plain(str(path), 300)
