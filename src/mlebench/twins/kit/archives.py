"""Archives inside synthetic raw archives, the same bytes every time."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench.files.damage import optional_library

if TYPE_CHECKING:
    import pandas as pd

_TIMESTAMP = (2020, 1, 1, 0, 0, 0)


def zip_members(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write a zip archive of named contents; a name that ends in / makes a folder entry."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members:
            info = zipfile.ZipInfo(name, _TIMESTAMP)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)


def zip_csv(path: Path, frame: pd.DataFrame, **options: Any) -> None:
    """Write a table as the one CSV file in an archive, named like the archive without `.zip`."""
    zip_members(path, [(path.stem, frame.to_csv(index=False, **options).encode("utf-8"))])


def tar_gz(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write a gzip-compressed tar archive of named contents."""
    with (
        path.open("wb") as file,
        gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as compressed,
        tarfile.open(fileobj=compressed, mode="w") as archive,
    ):
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))


def seven_zip(path: Path, members: Iterable[tuple[str, bytes]]) -> None:
    """Write a 7z archive of named contents; its own bytes differ from time to time, for 7z keeps the date."""
    py7zr = optional_library("py7zr", f"Writing {path.name}")
    with py7zr.SevenZipFile(path, "w") as archive:
        for name, content in members:
            archive.writestr(content, name)
