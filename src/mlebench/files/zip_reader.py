"""Zip archives, read member by member in place."""

from __future__ import annotations

import io
import os
import shutil
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from mlebench.base import progress
from mlebench.errors import PreparationError
from mlebench.files.damage import UNREADABLE, check_bomb, incomplete, reporting_damage
from mlebench.files.source import CHUNK, LARGE_FILE, SMALL_FILE, Compressed, Source
from mlebench.files.unzip import Job, inflated, packed, write_small


def zip_comment(path: Path) -> bytes:
    """The comment of a zip archive, which stands at its very end, without reading its list of members."""
    longest = 22 + 65535  # the end record and the comment
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - longest))
        end = file.read(longest)
    record = end.rfind(b"PK\x05\x06")
    if record < 0:
        raise incomplete(path)
    return end[record + 22 :]


class _MemberStream(io.RawIOBase):
    """A member of a zip archive, unpacked a little at a time.

    zipfile cuts a member that unpacks to more than its size, but only after it has unpacked as much as one call reads:
    everything, if the call asks for everything.
    """

    def __init__(self, member: IO[bytes], piece: int) -> None:
        self._member = member
        self._piece = piece

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._member.read(min(len(buffer), self._piece))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._member.close()
        super().close()


def bounded(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> BinaryIO:
    """A stream of a member that takes little memory, whatever its packed bytes unpack to."""
    known = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
    # zipfile unpacks the other kinds without a limit, as many packed bytes at a time as it is asked for.
    piece = CHUNK if known else 1 << 12
    return cast("BinaryIO", io.BufferedReader(_MemberStream(archive.open(info), piece), piece))


class ZipReader:
    """A zip archive that is read member by member."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("rb")
        except UNREADABLE as error:
            raise incomplete(path) from error
        try:
            self._archive = zipfile.ZipFile(self._file)
        except (*UNREADABLE, UnicodeError) as error:
            self._file.close()
            raise incomplete(path) from error
        self._members = {info.filename: info for info in self._archive.infolist() if not info.is_dir()}
        # Whatever is read later is bounded by these sizes, so a bomb shows itself here or nowhere.
        check_bomb(path.name, path.stat().st_size, self.unpacked_size)

    @property
    def unpacked_size(self) -> int:
        """What all files in the archive take once they are unpacked, in bytes."""
        return sum(info.file_size for info in self._members.values())

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
        """A stream of a member's content, which is never longer than the archive says."""
        return bounded(self._archive, info)

    def compressed(self, info: zipfile.ZipInfo) -> bytes:
        """A member's bytes as they are in the archive, still compressed."""
        try:
            return packed(self._read_at, info.header_offset, len(info.orig_filename.encode()), info.compress_size)
        except ValueError as error:
            raise zipfile.BadZipFile(str(error)) from error

    def _read_at(self, length: int, offset: int) -> bytes:
        """Bytes from a place in the file; threads may read at the same time."""
        if hasattr(os, "pread"):
            return os.pread(self._file.fileno(), length, offset)
        with self.path.open("rb") as file:
            file.seek(offset)
            return file.read(length)


@dataclass(frozen=True)
class ZipMember(Source):
    """A file inside a zip archive."""

    reader: ZipReader
    info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        """The member's file name without folders."""
        return self.info.filename.rsplit("/", 1)[-1]

    @property
    def size(self) -> int:
        """How many bytes it unpacks to, as the archive says."""
        return self.info.file_size

    @property
    def archive(self) -> Path:
        """The archive that it is in."""
        return self.reader.path

    @property
    def label(self) -> str:
        """The member's name for a message."""
        return f"{self.info.filename} in {self.reader.path.name}"

    def compressed(self) -> Compressed:
        """The content as it is in the archive, still compressed."""
        info = self.info
        return Compressed(self.reader.compressed(info), info.compress_type, info.CRC, info.file_size)

    def open(self) -> BinaryIO:
        """A stream of the content."""
        return self.reader.open(self.info)

    def read(self) -> bytes:
        """The whole content."""
        stored = self.info.compress_type == zipfile.ZIP_STORED
        if not stored and self.info.compress_type != zipfile.ZIP_DEFLATED:
            with reporting_damage(self.label), self.open() as stream:
                return stream.read()
        # In one go, which is quicker for the many small files that archives of pictures hold.
        try:
            data = self.reader.compressed(self.info)
            if not stored:
                data = inflated(data, self.info.file_size)
            if len(data) == self.info.file_size and zlib.crc32(data) == self.info.CRC:
                return data
            reason: object = "its checksum is wrong"
        except UNREADABLE as error:
            reason = error
        with reporting_damage(self.label):
            raise zipfile.BadZipFile(str(reason))

    def job(self, target: str) -> Job | None:
        """What it takes to copy this member among many small ones; None if it is large or packed in a rare way."""
        info = self.info
        if info.file_size > SMALL_FILE or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return None
        deflated = info.compress_type == zipfile.ZIP_DEFLATED
        name = len(info.orig_filename.encode())
        return Job(info.header_offset, name, info.compress_size, info.file_size, deflated, info.CRC, target)

    def copy_to(self, path: str, stage: progress.Stage | None = None, *, link: bool = False) -> None:
        """Write the content to a file; its bytes are progress of a stage, if one is given."""
        if self.info.file_size <= LARGE_FILE:
            write_small(path, self.read())
            if stage is not None:
                stage.advance(self.info.file_size)
            return
        with reporting_damage(self.label), self.open() as opened, Path(path).open("wb") as file:
            stream = opened if stage is None else progress.counted(opened, stage)
            shutil.copyfileobj(stream, file, CHUNK)
