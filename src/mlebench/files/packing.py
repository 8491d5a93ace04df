"""Building archives without doing work twice: what another archive has compressed already is copied as it is."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from mlebench.base import progress
from mlebench.errors import PreparationError
from mlebench.files.damage import UNREADABLE, check_bomb, optional_library, reporting_damage
from mlebench.files.source import CHUNK, LARGE_FILE, Content, Source, as_source
from mlebench.files.unpacking import open_unpacked, read_to_end
from mlebench.files.zip_writer import LIGHTLY, TIMESTAMP, ZipWriter

# Formats that are compressed already: deflating them again costs time and saves nothing.
_COMPRESSED = {
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".zip", ".gz", ".bz2", ".xz", ".7z", ".zst",
    ".parquet", ".npz", ".mp3", ".mp4", ".flac", ".ogg", ".jp2", ".tfrec",
}  # fmt: skip
DATE = 1704067200  # the first of January 2024, in seconds: the date of members of 7z archives, and of public files


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
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=LIGHTLY) as archive,
        archive.open(zipfile.ZipInfo(path.stem, TIMESTAMP), "w", force_zip64=True) as member,
        io.BufferedWriter(cast("io.RawIOBase", member), CHUNK) as buffer,
        io.TextIOWrapper(buffer, encoding="utf-8", newline="") as text,
    ):
        yield text


def write_zip(path: Path, members: Mapping[str, Content]) -> None:
    """Build a zip archive: member name -> where its content is.

    Members of other zip archives are copied as they are, still compressed; files in a compressed format are
    stored; everything else is deflated lightly.
    """
    with progress.stage("write", path.name, total=len(members), unit="files") as stage, ZipWriter(path) as archive:
        for name, content in members.items():
            stage.advance()
            source = as_source(content)
            try:
                compressed = source.compressed()
            except (*UNREADABLE, OSError):  # there may be a million members: only for one that fails a label is made
                with reporting_damage(source.label):
                    raise
            if compressed is not None:
                archive.add(name, compressed)
                continue
            deflate = Path(name).suffix.lower() not in _COMPRESSED
            if source.size <= LARGE_FILE:
                archive.add_bytes(name, source.read(), deflate=deflate)
            else:
                with source.open() as stream:
                    archive.add_stream(name, stream, source.size, deflate=deflate)


def write_tar(path: Path, members: Mapping[str, Content]) -> None:
    """Build an uncompressed tar archive: member name -> where its content is. Times and owners are the same always."""
    with (
        progress.stage("write", path.name, total=len(members), unit="files") as stage,
        tarfile.open(path, "w", format=tarfile.GNU_FORMAT) as archive,
    ):
        for name, content in members.items():
            stage.advance()
            source = as_source(content)
            info = tarfile.TarInfo(name)
            info.size = source.size
            with reporting_damage(source.label), _opened(source) as stream:
                archive.addfile(info, stream)


def _opened(source: Source) -> BinaryIO:
    """A stream of a source; what is small is read in one go, which is quicker for many."""
    return source.open() if source.size > LARGE_FILE else io.BytesIO(source.read())


def repack_tar(content: Source | Path, archives: Mapping[Path, Mapping[str, str]], *, compress: bool = False) -> None:
    """Build tar archives from the members of another, which is read once and unpacked nowhere.

    `archives` has new member name -> old member name for each archive to build; the order is that of the old one.
    """
    source = as_source(content)
    places = {old: (path, new) for path, members in archives.items() for new, old in members.items()}
    with ExitStack() as opened:
        opened.enter_context(reporting_damage(source.name))
        stage = opened.enter_context(progress.stage("write", source.name, total=len(places), unit="files"))
        stream = opened.enter_context(open_unpacked(source))
        old_archive = opened.enter_context(tarfile.open(fileobj=stream, mode="r|"))
        new_archives = {path: opened.enter_context(_new_tar(path, opened, compress)) for path in archives}
        packed, unpacked = source.size, 0
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
        read_to_end(stream)
    if places:
        raise PreparationError(
            f"{source.name} does not hold {next(iter(places))}.", hint="The archive looks incomplete."
        )


def _new_tar(path: Path, opened: ExitStack, compress: bool) -> tarfile.TarFile:
    """A tar archive to write; compressed lightly and without a date, since pictures hardly get smaller."""
    if not compress:
        return tarfile.open(path, "w", format=tarfile.GNU_FORMAT)
    file = opened.enter_context(path.open("wb"))
    stream = opened.enter_context(gzip.GzipFile("", "wb", LIGHTLY, file, mtime=0))
    return tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT)


def write_7z(path: Path, members: Mapping[str, Content]) -> None:
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
        for name, content in members.items():
            stage.advance()
            as_source(content).copy_to(str(dated))
            os.utime(dated, (DATE, DATE))
            archive.write(dated, name)
