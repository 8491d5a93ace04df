"""Archives that go into other archives, and gzipped tar files, the same bytes every time."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path


def zipped(members: Iterable[tuple[str, bytes]], day: tuple[int, int, int]) -> bytes:
    """A zip archive of named contents, all dated to midnight of one day (year, month, day)."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name, (*day, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return buffer.getvalue()


def tar_gz(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write a gzipped tar file of named contents, without dates or the name of the file itself."""
    with (
        path.open("wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
