"""The verbs of raw, public and private that no other test is about."""

from __future__ import annotations

import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from mlebench.errors import PreparationError
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import RawArchive, RawFolder
from mlebench.files.zip_reader import ZipReader

PICTURES = {"top/a/1.jpg": b"one", "top/b/2.jpg": b"two" * 5000, "top/b/3.jpg": b""}
PARTS = {"new.tar.gz": {"a/1.jpg": "top/a/1.jpg", "b/3.jpg": "top/b/3.jpg"}, "deep/other.tar": {"2.jpg": "top/b/2.jpg"}}


def tar_bytes(mode: str = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in PICTURES.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def contents(path: Path) -> dict[str, bytes]:
    with tarfile.open(path, "r:") as archive:  # refuses a compressed one
        return {each.name: file.read() for each in archive if (file := archive.extractfile(each)) is not None}


@pytest.mark.parametrize("ending", ["tar.gz", "tar.bz2", "tar.xz", "tar"])
@pytest.mark.parametrize("in_zip", [False, True])
def test_repack_tar(tmp_path: Path, ending: str, in_zip: bool) -> None:
    content = tar_bytes("w:" + ending.removeprefix("tar").removeprefix("."))
    raw: RawFolder | RawArchive = RawFolder(tmp_path)
    if in_zip:
        with zipfile.ZipFile(tmp_path / "raw.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"old.{ending}", content)
        raw = RawArchive(ZipReader(tmp_path / "raw.zip"), tmp_path / "scratch")
    else:
        (tmp_path / f"old.{ending}").write_bytes(content)
    placed: list[int] = []
    public = Output(tmp_path / "public", progress=placed.append)
    public.repack_tar(raw[f"old.{ending}"], PARTS)
    for name, members in PARTS.items():
        assert contents(tmp_path / "public" / name) == {new: PICTURES[old] for new, old in members.items()}
    assert sum(placed) == 3
    assert not (tmp_path / "scratch").exists(), "nothing is unpacked on the way"


def test_repack_tar_names_a_member_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "old.tar.gz").write_bytes(tar_bytes())
    with pytest.raises(PreparationError, match=r"old\.tar\.gz does not hold top/c\.jpg"):
        Output(tmp_path / "public").repack_tar(tmp_path / "old.tar.gz", {"new.tar": {"c.jpg": "top/c.jpg"}})


@pytest.mark.parametrize("damage", [slice(None, -4), slice(None, 60), slice(7, None)])
def test_repack_tar_reports_damage(tmp_path: Path, damage: slice) -> None:
    (tmp_path / "old.tar.gz").write_bytes(tar_bytes()[damage])
    with pytest.raises(PreparationError, match=r"old\.tar\.gz cannot be read"):
        Output(tmp_path / "public").repack_tar(tmp_path / "old.tar.gz", PARTS)
