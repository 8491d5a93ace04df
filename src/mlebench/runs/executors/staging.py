"""Folders for nodes that do not see them: packed once, unpacked once per node, and checked by their hash.

Meant for data of practice competitions, agents and code; large data belongs on a file system that all nodes share.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mlebench.competition.local import LocalCompetition
from mlebench.data.fingerprint import fingerprint
from mlebench.data.record import DatasetRecord
from mlebench.errors import MlebenchError
from mlebench.runs.material import MATERIAL

LARGEST = 8 << 30  # bytes of all that is staged for a group
_CHUNK = 32 << 20


@dataclass(frozen=True)
class Staged:
    """A packed folder: which setting names it, the hash of the pack, and the parts of it, wherever they are kept."""

    setting: str
    folder: str
    sha256: str
    parts: tuple[Any, ...] = field(repr=False)

    def applied_to(self, settings: Mapping[str, Any], place: Path) -> dict[str, Any]:
        """The settings of a group with the place where it was unpacked instead of the folder."""
        value = settings.get(self.setting)
        if self.setting == MATERIAL and isinstance(value, Mapping):
            return {**settings, self.setting: {**value, "folder": value["folder"].replace(self.folder, str(place), 1)}}
        if isinstance(value, Mapping):  # agent_options
            return {**settings, self.setting: {**value, "code": str(place)}}
        if isinstance(value, list | tuple):
            return {**settings, self.setting: [str(place) if folder == self.folder else folder for folder in value]}
        return {**settings, self.setting: str(place)}


def has_data(data_dir: Path, competition_id: str, expected: str | None) -> bool:
    """Whether the data of a competition is here, as whoever planned the group has it."""
    for prepared in (data_dir / competition_id).glob("prepared*"):
        record = DatasetRecord.load(prepared)
        if record is not None and record.public_fingerprint == expected:
            return fingerprint(prepared / "public") == expected
    return False


def recorded_fingerprint(competition: LocalCompetition) -> str | None:
    """What identifies the data that a competition has here."""
    record = DatasetRecord.load(competition.prepared_dir)
    return None if record is None else record.public_fingerprint


def pack(setting: str, folder: Path, below: Sequence[Path], keep: Callable[[bytes], Any]) -> Staged:
    """Pack some of what is below a folder; `keep` takes each part and gives what stands for it."""
    digest, parts = hashlib.sha256(), []
    for content in _packed(folder, below):
        digest.update(content)
        parts.append(keep(content))
    return Staged(setting, str(folder), digest.hexdigest(), tuple(parts))


def _packed(folder: Path, below: Sequence[Path]) -> Iterator[bytes]:
    """The bytes of a tar archive, in parts."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", dereference=True) as archive:
        for path in (file for top in below for file in (sorted(top.rglob("*")) if top.is_dir() else [top])):
            if path.is_file():
                archive.add(path, path.relative_to(folder).as_posix(), recursive=False)
            if buffer.tell() >= _CHUNK:
                yield buffer.getvalue()
                buffer.seek(0)
                buffer.truncate()
    yield buffer.getvalue()


def require_small(paths: Sequence[Path]) -> None:
    """Refuse to pack what is too large to be sent to nodes."""
    files = (file for path in paths for file in (path.rglob("*") if path.is_dir() else [path]))
    if sum(file.stat().st_size for file in files if file.is_file()) > LARGEST:
        raise MlebenchError(
            f"A node does not see the data, and it has more than the {LARGEST >> 30} GiB that are sent to nodes.",
            hint="Give a --data-dir on a file system that all nodes share.",
        )


def staged_folder(staged: Staged, fetch: Callable[[Any], bytes]) -> Path:
    """The folder on this machine: unpacked now, or by a run before; an error if it is not what was packed."""
    from filelock import FileLock

    cache = Path(tempfile.gettempdir()) / f"mlebench-staged-{os.getuid()}"
    cache.mkdir(mode=0o700, exist_ok=True)
    if cache.lstat().st_uid != os.getuid() or cache.is_symlink():
        raise MlebenchError(f"{cache} belongs to somebody else.")
    place = cache / staged.sha256
    with FileLock(cache / f"{staged.sha256}.lock"):
        if place.is_dir():
            return place
        packed = cache / f"{staged.sha256}.tar"
        digest = hashlib.sha256()
        with packed.open("wb") as file:
            for part in staged.parts:
                content = fetch(part)
                digest.update(content)
                file.write(content)
        if digest.hexdigest() != staged.sha256:
            packed.unlink()
            raise MlebenchError(f"{staged.folder} did not arrive on this node as it was sent.")
        building = Path(tempfile.mkdtemp(dir=cache))
        with tarfile.open(packed) as archive:
            archive.extractall(building, filter="data")
        packed.unlink()
        building.chmod(0o700)
        shutil.move(building, place)
    return place
