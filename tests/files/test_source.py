"""Sources: whoever reads one need not know whether it is a file, a member of an archive, or in memory."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.files.output_folder import Output
from mlebench.files.raw_files import RawArchive, RawFolder
from mlebench.files.source import LARGE_FILE, Content, Source, as_source
from mlebench.files.streams import open_source, open_table, read_source
from mlebench.files.zip_reader import ZipReader

TABLE = b"a,b\n" + b"1,2\n" * 1000


def in_folder(folder: Path, content: bytes) -> Content:
    (folder / "a.csv").write_bytes(content)
    return RawFolder(folder)["a.csv"]


def in_archive(folder: Path, content: bytes) -> Content:
    with zipfile.ZipFile(folder / "raw.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("deep/a.csv", content)
    return RawArchive(ZipReader(folder / "raw.zip"), folder)["deep/a.csv"]


def in_nested_archive(folder: Path, content: bytes) -> Content:
    in_archive(folder, content)
    with zipfile.ZipFile(folder / "outer.zip", "w") as archive:
        archive.write(folder / "raw.zip", "inner.zip")
    outer = RawArchive(ZipReader(folder / "outer.zip"), folder / "scratch")
    return outer.archive("inner.zip").folder("deep")["a.csv"]


def as_path(folder: Path, content: bytes) -> Content:
    in_folder(folder, content)
    return folder / "a.csv"


def in_memory(folder: Path, content: bytes) -> Content:
    return content


KINDS = [in_folder, in_archive, in_nested_archive, as_path, in_memory]


@pytest.mark.parametrize("make", KINDS)
@pytest.mark.parametrize(
    "content", [b"", TABLE, TABLE * (LARGE_FILE // len(TABLE) + 1)], ids=["empty", "small", "large"]
)
def test_every_kind_reads_the_same(make: Callable[[Path, bytes], Content], content: bytes, tmp_path: Path) -> None:
    source = as_source(make(tmp_path, content))
    assert source.size == len(content)
    assert source.name == ("" if make is in_memory else "a.csv")
    assert read_source(source) == content
    with source.open() as stream, open_source(source) as counted, open_table(source) as table:
        assert stream.read() == counted.read() == table.read() == content
    source.copy_to(str(tmp_path / "copy"))
    assert (tmp_path / "copy").read_bytes() == content


@pytest.mark.parametrize("make", KINDS)
def test_every_kind_is_packed_the_same(make: Callable[[Path, bytes], Content], tmp_path: Path) -> None:
    content, packed = make(tmp_path, TABLE), Output(tmp_path / "out")
    packed.write_zip("a.zip", {"a.csv": content})
    packed.write_tar("a.tar", {"a.csv": content})
    raw = RawFolder(tmp_path / "out")
    assert raw.archive("a.zip").read_bytes("a.csv") == raw.archive("a.tar").read_bytes("a.csv") == TABLE


def test_a_table_in_an_archive_within_the_archive(tmp_path: Path) -> None:
    in_archive(tmp_path, TABLE)
    with zipfile.ZipFile(tmp_path / "outer.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(tmp_path / "raw.zip", "a.csv.zip")
    raw = RawArchive(ZipReader(tmp_path / "outer.zip"), tmp_path / "scratch")
    with open_table(raw["a.csv.zip"]) as stream:
        assert stream.read() == TABLE
    assert not (tmp_path / "scratch").exists()


def test_a_file_of_a_folder_can_stand_for_its_path(tmp_path: Path) -> None:
    source = in_folder(tmp_path, TABLE)
    assert isinstance(source, Source)
    assert Path(source).read_bytes() == TABLE  # type: ignore[arg-type]
