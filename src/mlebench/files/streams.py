"""Sources that are read with their progress shown: as a whole, as a stream, or as a table."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, BinaryIO

from mlebench.base import progress
from mlebench.errors import PreparationError
from mlebench.files.damage import check_bomb
from mlebench.files.source import LARGE_FILE, Source, as_source
from mlebench.files.zip_reader import bounded


def read_source(source: Source) -> bytes:
    """The bytes of a source."""
    size = source.size
    # Small files are read by the thousand, and each is there at once.
    with nullcontext() if size < LARGE_FILE else progress.stage("read", f"{source.name} ({size / 1e6:,.0f} MB)"):
        return source.read()


@contextmanager
def open_source(source: Source) -> Iterator[BinaryIO]:
    """A stream of a source, for whoever reads it in between other work."""
    stage = progress.passing("read", source.name, total=source.size, unit="bytes")
    with source.open() as stream:
        yield progress.counted(stream, stage)


@contextmanager
def open_table(content: Source | Path) -> Iterator[IO[bytes]]:
    """A stream of a table; one that is alone in a zip archive, as in `train.csv.zip`, is read from there."""
    source = as_source(content)
    with source.open() as stream:
        if not source.name.endswith(".zip"):
            with progress.stage("read", source.name, total=source.size, unit="bytes") as stage:
                yield progress.counted(stream, stage)
            return
        # A zip archive is read from its end, so one inside another archive must be unpacked first.
        seekable = stream if stream.seekable() else io.BytesIO(read_source(source))
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
