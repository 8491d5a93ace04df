"""Reading and building archives without doing work twice.

A member of a zip archive can be copied into another zip archive as it lies there, still compressed; a member
that goes to disk is written straight to its place. Nothing is unpacked just to be packed again.
"""

from __future__ import annotations

import shutil
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from mlebench.errors import PreparationError

_CHUNK = 1 << 20
# Formats that are compressed already: deflating them again costs time and saves nothing.
_COMPRESSED = {
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".zip", ".gz", ".bz2", ".xz", ".7z", ".zst",
    ".parquet", ".npz", ".mp3", ".mp4", ".flac", ".ogg", ".jp2", ".tfrec",
}  # fmt: skip
# One fixed time for all members we write: the same content always makes the same archive.
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)


class ZipReader:
    """A zip archive that is read member by member."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._archive = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, EOFError) as error:
            raise PreparationError(
                f"{path.name} is not a complete zip archive.",
                hint="Delete it and download it again; it may be a partial download.",
            ) from error
        self._members = {info.filename: info for info in self._archive.infolist() if not info.is_dir()}

    @property
    def comment(self) -> bytes:
        """The archive's own comment."""
        return self._archive.comment

    def names(self) -> list[str]:
        """The names of all files in the archive, in archive order."""
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def member(self, name: str) -> ZipMember:
        """One file of the archive, not yet read."""
        info = self._members.get(name)
        if info is None:
            raise PreparationError(f"{self.path.name} does not hold {name}.", hint="The archive looks incomplete.")
        return ZipMember(self, info)

    def open(self, info: zipfile.ZipInfo) -> BinaryIO:
        """A stream of a member's content."""
        return self._archive.open(info)  # type: ignore[return-value]

    def compressed(self, info: zipfile.ZipInfo) -> bytes:
        """A member's bytes as they lie in the archive, still compressed."""
        with self.path.open("rb") as file:
            file.seek(info.header_offset)
            header = file.read(30)
            name_length, extra_length = struct.unpack("<HH", header[26:30])
            file.seek(name_length + extra_length, 1)
            return file.read(info.compress_size)


@dataclass(frozen=True)
class ZipMember:
    """A file inside a zip archive."""

    reader: ZipReader
    info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        """The member's file name without folders."""
        return self.info.filename.rsplit("/", 1)[-1]

    def open(self) -> BinaryIO:
        """A stream of the content."""
        return self.reader.open(self.info)

    def read(self) -> bytes:
        """The whole content."""
        if self.info.compress_type != zipfile.ZIP_DEFLATED:
            with self.open() as stream:
                return stream.read()
        try:
            data = zlib.decompress(self.reader.compressed(self.info), -zlib.MAX_WBITS, self.info.file_size or 1)
        except zlib.error:
            data = b""
        if zlib.crc32(data) != self.info.CRC:
            raise PreparationError(
                f"{self.info.filename} in {self.reader.path.name} is damaged.", hint="Download the archive again."
            )
        return data

    def copy_to(self, path: Path) -> None:
        """Write the content to a file."""
        if self.info.file_size <= 8 * _CHUNK:
            path.write_bytes(self.read())
            return
        with self.open() as stream, path.open("wb") as file:
            shutil.copyfileobj(stream, file, _CHUNK)


Source: TypeAlias = Path | ZipMember


def read_source(source: Source) -> bytes:
    """The bytes of a source, wherever it lies."""
    return source.read() if isinstance(source, ZipMember) else source.read_bytes()


def write_zip(path: Path, members: Mapping[str, Source | bytes]) -> None:
    """Build a zip archive: member name -> where its content is.

    Members of other zip archives are copied as they are, still compressed; files in a compressed format are
    stored; everything else is deflated lightly.
    """
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, source in members.items():
            if isinstance(source, ZipMember):
                _copy_compressed(archive, name, source)
                continue
            info = zipfile.ZipInfo(name, _TIMESTAMP)
            info.external_attr = 0o644 << 16
            stored = Path(name).suffix.lower() in _COMPRESSED
            info.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            if isinstance(source, bytes):
                archive.writestr(info, source)
            else:
                info.file_size = source.stat().st_size
                with source.open("rb") as file, archive.open(info, "w") as member:
                    shutil.copyfileobj(file, member, _CHUNK)


def _copy_compressed(archive: zipfile.ZipFile, name: str, source: ZipMember) -> None:
    """Append a member of another archive without decompressing it.

    zipfile has no public way to do this; its documented attributes `fp`, `start_dir`, `filelist` and `NameToInfo`
    have been stable since Python 3.6 and are all that is needed.
    """
    data = source.reader.compressed(source.info)
    info = zipfile.ZipInfo(name, _TIMESTAMP)
    info.external_attr = 0o644 << 16
    info.compress_type = source.info.compress_type
    info.CRC, info.file_size, info.compress_size = source.info.CRC, source.info.file_size, len(data)
    stream = archive.fp
    assert stream is not None
    stream.seek(archive.start_dir)
    info.header_offset = stream.tell()
    stream.write(info.FileHeader(zip64=info.file_size >= zipfile.ZIP64_LIMIT))
    stream.write(data)
    archive.filelist.append(info)
    archive.NameToInfo[info.filename] = info
    archive.start_dir = stream.tell()
    archive._didModify = True  # type: ignore[attr-defined]


def write_7z(path: Path, members: Mapping[str, Source | bytes]) -> None:
    """Build a 7z archive: member name -> where its content is."""
    py7zr = _py7zr(f"Building {path.name}")
    quick = [{"id": py7zr.FILTER_LZMA2, "preset": 1}]
    with py7zr.SevenZipFile(path, "w", filters=quick) as archive:
        for name, source in members.items():
            if isinstance(source, Path):
                archive.write(source, name)
            else:
                archive.writestr(source if isinstance(source, bytes) else source.read(), name)


def unpack(path: Path, target: Path) -> None:
    """Unpack a zip, 7z or tar archive into a new folder, whole or not at all; nothing lands outside of it."""
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    if path.suffix == ".zip":
        _unpack_zip(path, partial)
    elif path.suffix == ".7z":
        _unpack_7z(path, partial)
    else:
        _unpack_tar(path, partial)
    partial.rename(target)


def _unpack_zip(path: Path, target: Path) -> None:
    reader = ZipReader(path)
    root = target.resolve()
    for name in reader.names():
        destination = (root / name).resolve()
        if not destination.is_relative_to(root):
            raise PreparationError(f"{path.name} holds {name!r}, which would be written outside the target folder.")
        destination.parent.mkdir(parents=True, exist_ok=True)
        reader.member(name).copy_to(destination)


def _unpack_7z(path: Path, target: Path) -> None:
    py7zr = _py7zr(f"Unpacking {path.name}")
    try:
        with py7zr.SevenZipFile(path) as archive:
            archive.extractall(target)
    except (py7zr.exceptions.ArchiveError, EOFError, OSError) as error:
        raise PreparationError(f"{path.name} cannot be unpacked: {error}", hint="Download it again.") from error


def _py7zr(action: str) -> Any:
    try:
        import py7zr
    except ImportError as error:
        raise PreparationError(
            f"{action} needs py7zr, which is not installed.", hint="Run: pip install 'mlebench[archives]'"
        ) from error
    return py7zr


def _unpack_tar(path: Path, target: Path) -> None:
    try:
        with tarfile.open(path) as archive:
            archive.extractall(target, filter="data")
    except (tarfile.TarError, EOFError, zlib.error) as error:
        raise PreparationError(f"{path.name} cannot be unpacked: {error}", hint="Download it again.") from error
