"""The files of a task: those in its folder and those in archives, pictures and sounds by what names them."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Literal

Medium = Literal["picture", "sound"]

MEDIA: dict[str, Medium] = {
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".bmp", ".tif", ".tiff", ".gif", ".webp"), "picture"),
    **dict.fromkeys((".wav", ".aif", ".aiff", ".aifc"), "sound"),
}
NEARLY_ALL = 0.95

_open_archives: dict[tuple[int, Path], zipfile.ZipFile] = {}


@dataclass(frozen=True)
class DataFile:
    """A file of the task: a path, or a member of a zip archive at that path; `where` is its name below the folder."""

    path: Path
    member: str | None
    where: str

    @property
    def stem(self) -> str:
        """The name without folders and without its ending."""
        return PurePosixPath(self.where).stem

    @property
    def folder(self) -> str:
        """The folder that it is in; an archive is a folder."""
        return str(PurePosixPath(self.where).parent)

    def read(self) -> bytes:
        """Its content."""
        if self.member is None:
            return self.path.read_bytes()
        key = (os.getpid(), self.path)  # processes must not share the position in a file
        if key not in _open_archives:
            _open_archives[key] = zipfile.ZipFile(self.path)
        return _open_archives[key].read(self.member)


class DataFiles:
    """All files below a folder, those in zip and 7z archives included; `problems` says what could not be opened."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.problems: list[str] = []
        self._scratch: list[tempfile.TemporaryDirectory[str]] = []

    @cached_property
    def all(self) -> list[DataFile]:
        """Plain files come first, then the members of archives."""
        plain: list[DataFile] = []
        packed: list[DataFile] = []
        for path in sorted(self.folder.rglob("*")):
            if not path.is_file():
                continue
            where = path.relative_to(self.folder).as_posix()
            plain.append(DataFile(path, None, where))
            if path.suffix.lower() in (".zip", ".7z"):
                packed += self._members(path, where)
        return plain + packed

    def _members(self, path: Path, where: str) -> Iterable[DataFile]:
        inside = str(PurePosixPath(where).with_suffix(""))
        try:
            if path.suffix.lower() == ".zip":
                with zipfile.ZipFile(path) as archive:
                    names = [name for name in archive.namelist() if not name.endswith("/") and "__MACOSX" not in name]
                return [DataFile(path, name, f"{inside}/{name}") for name in names]
            unpacked = self._unpacked(path)
            found = sorted(item for item in unpacked.rglob("*") if item.is_file() and not item.is_symlink())
            return [DataFile(item, None, f"{inside}/{item.relative_to(unpacked).as_posix()}") for item in found]
        except Exception as error:  # a broken archive, of whatever library, is as good as none
            reason = "the package py7zr is not installed" if isinstance(error, ImportError) else str(error)
            self.problems.append(f"{where} cannot be opened: {reason}")
            return []

    def _unpacked(self, path: Path) -> Path:
        """A 7z archive is unpacked as a whole: its members cannot be read one by one at a bearable cost."""
        import py7zr

        self._scratch.append(tempfile.TemporaryDirectory(prefix="baseline-"))
        with py7zr.SevenZipFile(path) as archive:
            archive.extractall(self._scratch[-1].name)
        return Path(self._scratch[-1].name)

    @cached_property
    def media(self) -> dict[Medium, dict[str, list[DataFile]]]:
        """Pictures and sounds by the name without its ending; of several, those in the largest folder first."""
        found: dict[Medium, dict[str, list[DataFile]]] = {}
        of_media = [file for file in self.all if PurePosixPath(file.where).suffix.lower() in MEDIA]
        sizes = Counter(file.folder for file in of_media)
        for file in sorted(of_media, key=lambda file: -sizes[file.folder]):
            medium = MEDIA[PurePosixPath(file.where).suffix.lower()]
            found.setdefault(medium, {}).setdefault(file.stem, []).append(file)
        return found

    def named(self, medium: Medium, value: Any, part: str) -> DataFile | None:
        """The picture or sound that a value names; of several, one below a folder or archive called like the part."""
        files = self.media.get(medium, {}).get(stem_of(value), [])
        if exact := next((file for file in files if file.where == value), None):
            return exact
        return next((file for file in files if part in file.where.lower()), files[0] if files else None)

    def media_named_by(self, values: Iterable[Any]) -> Iterator[Medium]:
        """The kinds of files that (nearly) all values name."""
        stems = [stem_of(value) for value in values]
        for medium, by_stem in self.media.items():
            if stems and sum(stem in by_stem for stem in stems) >= NEARLY_ALL * len(stems):
                yield medium


def stem_of(value: Any) -> str:
    """The name of a file as tables give it, with or without folder and ending, without both."""
    name = PurePosixPath(str(value)).name
    return PurePosixPath(name).stem if PurePosixPath(name).suffix.lower() in MEDIA else name
