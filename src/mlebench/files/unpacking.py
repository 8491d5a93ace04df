"""Unpacking archives of all kinds into new folders; nothing lands outside of them."""

from __future__ import annotations

import io
import lzma
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import IO, Any, cast

from mlebench.base import progress
from mlebench.errors import PreparationError
from mlebench.files.damage import UNREADABLE, check_bomb, optional_library, reporting_damage
from mlebench.files.safe_names import safe_path
from mlebench.files.source import CHUNK, Source, StoredFile
from mlebench.files.space import size_of
from mlebench.files.zip_reader import ZipReader

_TAR = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst")
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


def _unpack_zip(path: Path, target: Path) -> None:
    reader = ZipReader(path)
    with progress.stage("unpack", path.name, total=reader.unpacked_size, unit="bytes") as stage:
        for name in reader.names():
            destination = safe_path(target, name, path.name)
            destination.parent.mkdir(parents=True, exist_ok=True)
            reader.member(name).copy_to(str(destination), stage)


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
        except (OSError, PreparationError, *UNREADABLE):
            raise
        except Exception as error:  # py7zr has no common base of its errors, and lets others through
            raise RuntimeError(str(error)) from error


def _unpack_tar(path: Path, target: Path) -> None:
    packed, unpacked = path.stat().st_size, 0
    with (
        reporting_damage(path.name),
        progress.stage("unpack", path.name, unit="bytes") as stage,
        open_unpacked(StoredFile(path)) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
    ):
        for member in archive:
            unpacked += member.size
            stage.reach(unpacked)
            check_bomb(path.name, packed, unpacked)
            archive.extract(member, target, filter="data")
        read_to_end(stream)


def read_to_end(stream: IO[bytes]) -> None:
    """Have the checksum of a compressed archive checked, which is at its very end, behind the last member."""
    while stream.read(CHUNK):
        pass


def tar_names(source: Source) -> list[str]:
    """The names of the files in a tar archive, plain or packed by gz, bz2 or xz, in its order; nothing is unpacked."""
    with source.open() as stream, tarfile.open(fileobj=stream, mode="r|*") as archive:
        return [member.name for member in archive if member.isfile()]


def _unpack_single(path: Path, target: Path) -> None:
    with (
        reporting_damage(path.name),
        progress.stage("unpack", path.name, unit="bytes") as stage,
        open_unpacked(StoredFile(path)) as stream,
        (target / path.stem).open("wb") as file,
    ):
        if not path.stat().st_size:
            raise EOFError
        shutil.copyfileobj(progress.counted(stream, stage), file, CHUNK)


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
        data = self._stream.read(min(len(buffer), CHUNK))
        buffer[: len(data)] = data
        self._unpacked += len(data)
        check_bomb(self._name, self._packed, self._unpacked)
        return len(data)


@contextmanager
def open_unpacked(source: Source) -> Iterator[IO[bytes]]:
    """A stream of what gz, bz2, xz or zst packed; of the file itself where nothing did."""
    with source.open() as packed, _unpacking(packed, Path(source.name).suffix.lower()) as stream:
        yield cast("IO[bytes]", io.BufferedReader(_Unpacked(stream, source.name, source.size), CHUNK))


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
