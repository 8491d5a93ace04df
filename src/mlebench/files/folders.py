"""Folders packed into archives and unpacked from them; the names are those of the published benchmark."""

from __future__ import annotations

import tempfile
from pathlib import Path

from mlebench.files.packing import write_zip
from mlebench.files.unpacking import unpack

_ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z")


def is_empty(dir: Path) -> bool:
    """Whether a folder has nothing in it."""
    return not any(Path(dir).iterdir())


def is_compressed(fpath: Path) -> bool:
    """Whether a file has the name of an archive that `extract` unpacks."""
    return Path(fpath).name.lower().endswith(_ARCHIVES)


def extract(compressed: Path, dst: Path, recursive: bool = False) -> None:
    """Unpack an archive into a folder, which may have other files; with `recursive`, archives in it too.

    An archive `inner.zip` that comes out of it is unpacked into a folder `inner` beside it.
    """
    compressed, dst = Path(compressed), Path(dst)
    if not compressed.is_file():
        raise FileNotFoundError(f"There is no archive {compressed}.")
    dst.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=dst, prefix=".extracting-") as scratch:
        unpacked = Path(scratch, "unpacked")
        unpack(compressed, unpacked)
        placed = [_placed(path, unpacked, dst) for path in sorted(unpacked.rglob("*")) if not path.is_dir()]
    for path in placed if recursive else []:
        if is_compressed(path):
            extract(path, path.with_suffix(""), recursive=True)


def _placed(path: Path, source: Path, target: Path) -> Path:
    destination = target / path.relative_to(source)
    destination.parent.mkdir(parents=True, exist_ok=True)
    return path.replace(destination)


def compress(src: Path, compressed: Path, exist_ok: bool = False) -> None:
    """Pack the files below a folder, or one file, into a zip archive, by their names within the folder."""
    src, compressed = Path(src), Path(compressed)
    if compressed.exists() and not exist_ok:
        raise FileExistsError(f"{compressed} is there already.")
    if src.is_file():
        write_zip(compressed, {src.name: src})
        return
    files = (path for path in sorted(src.rglob("*")) if path.is_file() and path != compressed)
    write_zip(compressed, {path.relative_to(src).as_posix(): path for path in files})
