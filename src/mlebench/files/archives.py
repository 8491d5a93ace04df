"""Reading and building archives without doing work twice.

A member of a zip archive can be copied into another zip archive as it is there, still compressed; a member
that goes to disk is written straight to its place. Nothing is unpacked just to be packed again.
"""

from __future__ import annotations

import errno
import importlib
import io
import lzma
import os
import shutil
import struct
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO, TypeAlias, cast

from mlebench.base import progress
from mlebench.errors import PreparationError
from mlebench.files.space import size_of
from mlebench.files.unzip import Job, inflated, packed, write_small

_CHUNK = 1 << 20
SMALL_FILE = 64 << 10
# Formats that are compressed already: deflating them again costs time and saves nothing.
_COMPRESSED = {
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".zip", ".gz", ".bz2", ".xz", ".7z", ".zst",
    ".parquet", ".npz", ".mp3", ".mp4", ".flac", ".ogg", ".jp2", ".tfrec",
}  # fmt: skip
# One fixed time for all members we write: the same content always makes the same archive.
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)
_LIGHTLY = 1  # the level of deflating
# What the readers of archives raise on damaged or unreadable content; RuntimeError stands for encryption and
# for kinds of compression that they do not know.
_UNREADABLE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    RuntimeError,
)


@contextmanager
def reporting_damage(name: str) -> Iterator[None]:
    """Within this block what is wrong with an archive becomes a PreparationError; a full disk does not."""
    try:
        yield
    except (*_UNREADABLE, OSError) as error:
        # Readers raise OSErrors of their own without a number, and seek to places that a file does not have.
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise
        reason = str(error).rstrip(".") or "it ends too early"
        raise PreparationError(
            f"{name} cannot be read: {reason}.", hint="The archive may be damaged: download it again."
        ) from error


def zip_comment(path: Path) -> bytes:
    """The comment of a zip archive, which stands at its very end, without reading its list of members."""
    longest = 22 + 65535  # the end record and the comment
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - longest))
        end = file.read(longest)
    record = end.rfind(b"PK\x05\x06")
    if record < 0:
        raise _incomplete(path)
    return end[record + 22 :]


def _incomplete(path: Path) -> PreparationError:
    return PreparationError(
        f"{path.name} is not a complete zip archive.",
        hint="Delete it and download it again; it may be a partial download.",
    )


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
    piece = _CHUNK if known else 1 << 12
    return cast("BinaryIO", io.BufferedReader(_MemberStream(archive.open(info), piece), piece))


class ZipReader:
    """A zip archive that is read member by member."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._file = path.open("rb")
            self._archive = zipfile.ZipFile(self._file)
        except (*_UNREADABLE, UnicodeError) as error:
            raise _incomplete(path) from error
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
class ZipMember:
    """A file inside a zip archive."""

    reader: ZipReader
    info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        """The member's file name without folders."""
        return self.info.filename.rsplit("/", 1)[-1]

    @property
    def label(self) -> str:
        """The member's name for a message."""
        return f"{self.info.filename} in {self.reader.path.name}"

    def compressed(self) -> bytes:
        """The content as it is in the archive, still compressed."""
        return self.reader.compressed(self.info)

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
            data = self.compressed()
            if not stored:
                data = inflated(data, self.info.file_size)
            if len(data) == self.info.file_size and zlib.crc32(data) == self.info.CRC:
                return data
            reason: object = "its checksum is wrong"
        except _UNREADABLE as error:
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

    def copy_to(self, path: str, stage: progress.Stage | None = None) -> None:
        """Write the content to a file; its bytes are progress of a stage, if one is given."""
        if self.info.file_size <= 8 * _CHUNK:
            write_small(path, self.read())
            if stage is not None:
                stage.advance(self.info.file_size)
            return
        with reporting_damage(self.label), self.open() as opened, Path(path).open("wb") as file:
            stream = opened if stage is None else progress.counted(opened, stage)
            shutil.copyfileobj(stream, file, _CHUNK)


Source: TypeAlias = Path | ZipMember


def source_size(source: Source) -> int:
    """How many bytes a source has."""
    return source.info.file_size if isinstance(source, ZipMember) else source.stat().st_size


def read_source(source: Source) -> bytes:
    """The bytes of a source, wherever it is."""
    size = source_size(source)
    # Small files are read by the thousand, and each is there at once.
    with nullcontext() if size < 8 * _CHUNK else progress.stage("read", f"{source.name} ({size / 1e6:,.0f} MB)"):
        return source.read() if isinstance(source, ZipMember) else source.read_bytes()


@contextmanager
def open_source(source: Source) -> Iterator[BinaryIO]:
    """A stream of a source, for whoever reads it in between other work."""
    told = progress.passing("read", source.name, total=source_size(source), unit="bytes")
    with source.open() if isinstance(source, ZipMember) else source.open("rb") as stream:
        yield progress.counted(stream, told)


@contextmanager
def open_table(source: Source) -> Iterator[IO[bytes]]:
    """A stream of a table; one that is alone in a zip archive, as in `train.csv.zip`, is read from there."""
    with source.open() if isinstance(source, ZipMember) else source.open("rb") as stream:
        if not source.name.endswith(".zip"):
            with progress.stage("read", source.name, total=source_size(source), unit="bytes") as stage:
                yield progress.counted(stream, stage)
            return
        # A zip archive is read from its end, so one inside another archive must be unpacked first.
        seekable = io.BytesIO(read_source(source)) if isinstance(source, ZipMember) else stream
        with zipfile.ZipFile(seekable) as archive:
            members = [info for info in archive.infolist() if not info.is_dir() and "__MACOSX" not in info.filename]
            if len(members) != 1:
                raise PreparationError(f"{source.name} should hold one table, but holds {len(members)} files.")
            size = seekable.seek(0, io.SEEK_END)
            check_bomb(source.name, size, members[0].file_size)
            with (
                bounded(archive, members[0]) as member,
                progress.stage("read", source.name, total=members[0].file_size, unit="bytes") as stage,
            ):
                yield progress.counted(member, stage)


@contextmanager
def text_stream(path: Path) -> Iterator[TextIO]:
    """A new UTF-8 text file to write piece by piece, line ends as they are.

    A path that ends in `.zip` makes an archive with the text as its one file, named like it without the ending.
    """
    if path.suffix != ".zip":
        with path.open("w", encoding="utf-8", newline="") as file:
            yield file
        return
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=_LIGHTLY) as archive,
        archive.open(zipfile.ZipInfo(path.stem, _TIMESTAMP), "w", force_zip64=True) as member,
        io.BufferedWriter(cast("io.RawIOBase", member), _CHUNK) as buffer,
        io.TextIOWrapper(buffer, encoding="utf-8", newline="") as text,
    ):
        yield text


def write_zip(path: Path, members: Mapping[str, Source | bytes]) -> None:
    """Build a zip archive: member name -> where its content is.

    Members of other zip archives are copied as they are, still compressed; files in a compressed format are
    stored; everything else is deflated lightly.
    """
    with (
        progress.stage("write", path.name, total=len(members), unit="files") as stage,
        zipfile.ZipFile(path, "w") as archive,
    ):
        for name, source in members.items():
            stage.advance()
            if isinstance(source, ZipMember):
                _copy_compressed(archive, name, source)
                continue
            info = zipfile.ZipInfo(name, _TIMESTAMP)
            info.external_attr = 0o644 << 16
            stored = Path(name).suffix.lower() in _COMPRESSED
            info.compress_type = zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED
            info._compresslevel = _LIGHTLY  # type: ignore[attr-defined]  # public only since Python 3.13
            if isinstance(source, bytes):
                archive.writestr(info, source)
            else:
                info.file_size = source.stat().st_size
                with source.open("rb") as file, archive.open(info, "w") as member:
                    shutil.copyfileobj(file, member, _CHUNK)


def _copy_compressed(archive: zipfile.ZipFile, name: str, source: ZipMember) -> None:
    """Append a member of another archive without decompressing it.

    zipfile has no public way to do this. Its attributes `fp`, `start_dir`, `filelist`, `NameToInfo` and `_didModify`
    are not documented, but have been the same since Python 3.6; a test builds and reads such an archive with every
    supported Python.
    """
    with reporting_damage(source.label):
        data = source.compressed()
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


def write_tar(path: Path, members: Mapping[str, Source | bytes]) -> None:
    """Build an uncompressed tar archive: member name -> where its content is. Times and owners are the same always."""
    with (
        progress.stage("write", path.name, total=len(members), unit="files") as stage,
        tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for name, source in members.items():
            stage.advance()
            info = tarfile.TarInfo(name)
            if isinstance(source, Path):
                info.size = source.stat().st_size
                with source.open("rb") as file:
                    archive.addfile(info, file)
            else:
                content = source if isinstance(source, bytes) else source.read()
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))


def repack_tar(source: Source, archives: Mapping[Path, Mapping[str, str]]) -> None:
    """Build uncompressed tar archives from the members of another, which is read once and unpacked nowhere.

    `archives` has new member name -> old member name for each archive to build; the order is that of the old one.
    """
    places = {old: (path, new) for path, members in archives.items() for new, old in members.items()}
    with ExitStack() as opened:
        opened.enter_context(reporting_damage(source.name))
        stage = opened.enter_context(progress.stage("write", source.name, total=len(places), unit="files"))
        stream = opened.enter_context(_open_single(source))
        old_archive = opened.enter_context(tarfile.open(fileobj=stream, mode="r|"))
        new_archives = {
            path: opened.enter_context(tarfile.open(path, "w", format=tarfile.GNU_FORMAT)) for path in archives
        }
        packed, unpacked = source_size(source), 0
        for member in old_archive:
            unpacked += member.size
            check_bomb(source.name, packed, unpacked)
            if not member.isfile() or member.name not in places:
                continue
            path, info = places[member.name][0], tarfile.TarInfo(places[member.name][1])
            info.size = member.size
            new_archives[path].addfile(info, old_archive.extractfile(member))
            del places[member.name]
            stage.advance()
        _read_to_end(stream)
    if places:
        raise PreparationError(
            f"{source.name} does not hold {next(iter(places))}.", hint="The archive looks incomplete."
        )


def write_7z(path: Path, members: Mapping[str, Source | bytes]) -> None:
    """Build a 7z archive: member name -> where its content is. Every member has the same date, whenever it is built."""
    py7zr = optional_library("py7zr", f"Building {path.name}")
    quick = [{"id": py7zr.FILTER_LZMA2, "preset": 1}]
    with (
        progress.stage("write", path.name, total=len(members), unit="files") as stage,
        py7zr.SevenZipFile(path, "w", filters=quick) as archive,
        tempfile.TemporaryDirectory(prefix=".mlebench-", dir=path.parent) as scratch,
    ):
        # The library takes the date from a file, and that of a content without a file from the clock.
        dated = Path(scratch) / "member"
        for name, source in members.items():
            stage.advance()
            if isinstance(source, Path):
                shutil.copyfile(source, dated)
            else:
                dated.write_bytes(source if isinstance(source, bytes) else source.read())
            os.utime(dated, (_DATE, _DATE))
            archive.write(dated, name)


# An archive that unpacks to more than this many times its own size, and to more than a gigabyte, is taken for a bomb.
# Text of the competitions packs at most some 30 times.
BOMB_RATIO, BOMB_FLOOR = 200, 1 << 30
_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst")
_DATE = 1704067200  # the first of January 2024, in seconds
_SINGLE = (".gz", ".bz2", ".xz", ".zst")


def unpack(path: Path, target: Path) -> None:
    """Unpack an archive into a new folder, whole or not at all; nothing lands outside of it.

    zip, 7z and tar archives, tar also inside gz, bz2, xz and zst; a single file packed by one of these four becomes
    one file named like it without the ending. A plain tar archive has no checksums: damage within its files shows only
    where something around it has one, the zip archive that it came in or a known md5 sum.
    """
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        name = path.name.lower()
        if name.endswith(".zip"):
            _unpack_zip(path, partial)
        elif name.endswith(".7z"):
            _unpack_7z(path, partial)
        elif name.endswith(_TAR):
            _unpack_tar(path, partial)
        elif name.endswith(_SINGLE):
            _unpack_single(path, partial)
        else:
            raise PreparationError(f"{path.name} is not an archive of a known kind (zip, 7z, tar, gz, bz2, xz, zst).")
        partial.rename(target)
    except BaseException:
        shutil.rmtree(partial, ignore_errors=True)
        raise


def check_bomb(name: str, packed: int, unpacked: int) -> None:
    """Refuse an archive that would grow beyond all reason."""
    if unpacked > max(BOMB_FLOOR, BOMB_RATIO * packed):
        raise PreparationError(
            f"{name} would unpack to {unpacked / 1e9:,.1f} GB, more than {BOMB_RATIO} times its size: "
            "it is refused as an archive bomb."
        )


def _unpack_zip(path: Path, target: Path) -> None:
    reader = ZipReader(path)
    with progress.stage("unpack", path.name, total=reader.unpacked_size, unit="bytes") as stage:
        for name in reader.names():
            destination = safe_path(target, name, path.name)
            destination.parent.mkdir(parents=True, exist_ok=True)
            reader.member(name).copy_to(str(destination), stage)


def safe_path(folder: Path, name: str, archive: str) -> Path:
    """Where a member of an archive goes below a folder; a name that would lead outside of it is refused."""
    root = folder.resolve()
    path = (root / name).resolve()
    if not path.is_relative_to(root):
        raise PreparationError(f"{archive} holds {name!r}, which would be written outside the target folder.")
    return path


def _unpack_7z(path: Path, target: Path) -> None:
    py7zr = optional_library("py7zr", f"Unpacking {path.name}")
    with reporting_damage(path.name):
        try:
            with py7zr.SevenZipFile(path) as archive:
                size = archive.archiveinfo().uncompressed
                check_bomb(path.name, path.stat().st_size, size)
                with (
                    progress.stage("unpack", path.name, total=size, unit="bytes") as stage,
                    progress.measured(stage, lambda: size_of(target)[1]),
                ):
                    archive.extractall(target)
        except (OSError, PreparationError, *_UNREADABLE):
            raise
        except Exception as error:  # py7zr has no common base of its errors, and lets others through
            raise RuntimeError(str(error)) from error


def optional_library(module: str, action: str) -> Any:
    """A library that only some archives need."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise PreparationError(
            f"{action} needs {module}, which is not installed.", hint="Run: pip install 'mlebench[archives]'"
        ) from error


def _unpack_tar(path: Path, target: Path) -> None:
    packed, unpacked = path.stat().st_size, 0
    with (
        reporting_damage(path.name),
        progress.stage("unpack", path.name, unit="bytes") as stage,
        _open_single(path) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
    ):
        for member in archive:
            unpacked += member.size
            stage.reach(unpacked)
            check_bomb(path.name, packed, unpacked)
            archive.extract(member, target, filter="data")
        _read_to_end(stream)


def _read_to_end(stream: IO[bytes]) -> None:
    """Have the checksum of a compressed archive checked, which is at its very end, behind the last member."""
    while stream.read(_CHUNK):
        pass


def tar_names(source: Source) -> list[str]:
    """The names of the files in a tar archive, plain or packed by gz, bz2 or xz, in its order; nothing is unpacked."""
    with (
        source.open() if isinstance(source, ZipMember) else source.open("rb") as stream,
        tarfile.open(fileobj=stream, mode="r|*") as archive,
    ):
        return [member.name for member in archive if member.isfile()]


def _unpack_single(path: Path, target: Path) -> None:
    with (
        reporting_damage(path.name),
        progress.stage("unpack", path.name, unit="bytes") as stage,
        _open_single(path) as stream,
        (target / path.stem).open("wb") as file,
    ):
        if not path.stat().st_size:
            raise EOFError
        shutil.copyfileobj(progress.counted(stream, stage), file, _CHUNK)


class _Unpacked(io.RawIOBase):
    """What a packed stream unpacks to, counted: one that grows beyond all reason is refused while it is read.

    Also what tar reads for itself: a header may claim to be as long as it likes.
    """

    def __init__(self, stream: IO[bytes], name: str, packed: int) -> None:
        self._stream = stream
        self._name, self._packed, self._unpacked = name, packed, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(min(len(buffer), _CHUNK))
        buffer[: len(data)] = data
        self._unpacked += len(data)
        check_bomb(self._name, self._packed, self._unpacked)
        return len(data)


@contextmanager
def _open_single(source: Source) -> Iterator[IO[bytes]]:
    """A stream of what gz, bz2, xz or zst packed; of the file itself where nothing did."""
    size = source_size(source)
    with source.open() if isinstance(source, ZipMember) else source.open("rb") as packed, ExitStack() as opened:
        stream = opened.enter_context(_unpacking(packed, Path(source.name).suffix.lower()))
        yield cast("IO[bytes]", io.BufferedReader(_Unpacked(stream, source.name, size), _CHUNK))


def _unpacking(packed: IO[bytes], ending: str) -> AbstractContextManager[IO[bytes]]:
    if ending in (".gz", ".tgz"):
        import gzip

        return cast("AbstractContextManager[IO[bytes]]", gzip.open(packed))
    if ending in (".bz2", ".tbz2"):
        import bz2

        return cast("AbstractContextManager[IO[bytes]]", bz2.open(packed))
    if ending in (".xz", ".txz"):
        return cast("AbstractContextManager[IO[bytes]]", lzma.open(packed))
    if ending == ".zst":
        import pyarrow

        return cast("AbstractContextManager[IO[bytes]]", pyarrow.input_stream(packed, compression="zstd"))
    return nullcontext(packed)
