"""Archives that lie: a member is never more than its directory promises, and no name leads outside."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import time
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mlebench.errors import PreparationError
from mlebench.files import damage
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import Raw, RawArchive, RawFolder
from mlebench.files.unpacking import unpack
from mlebench.files.unzip import copy
from mlebench.files.zip_reader import ZipMember, ZipReader

LARGE, CLAIMED = 32 << 20, 1000
CONTENT = b"1\n" * (LARGE // 2)


def understated(path: Path, name: str, method: int = zipfile.ZIP_DEFLATED, content: bytes = CONTENT) -> Path:
    """A zip archive whose one member is said to have a thousand bytes, with a checksum to match."""
    with zipfile.ZipFile(path, "w", method, compresslevel=1) as archive:
        archive.writestr(name, content)
    data = bytearray(path.read_bytes())
    crc = zlib.crc32(content[:CLAIMED]).to_bytes(4, "little")
    for place, at in ((data.rfind(b"PK\x01\x02"), (16, 24)), (0, (14, 22))):
        data[place + at[0] : place + at[0] + 4] = crc
        data[place + at[1] : place + at[1] + 4] = CLAIMED.to_bytes(4, "little")
    path.write_bytes(data)
    return path


@pytest.fixture
def little_memory() -> Iterator[None]:
    """Whatever is done takes much less memory than the content has."""
    import pandas  # noqa: F401  # loading it is not what is measured
    import pyarrow.csv  # noqa: F401

    tracemalloc.start()
    yield
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < LARGE // 3


WAYS: dict[str, Callable[[ZipMember, Raw, Path], object]] = {
    "read": lambda member, raw, folder: member.read(),
    "open": lambda member, raw, folder: member.open().read(),
    "copy": lambda member, raw, folder: member.copy_to(str(folder / "copy")),
    "read_csv": lambda member, raw, folder: raw.read_csv("a.csv"),
    "read_csv, lean": lambda member, raw, folder: raw.read_csv("a.csv", lean=True),
    "read_text": lambda member, raw, folder: raw.read_text("a.csv"),
    "lines": lambda member, raw, folder: sum(map(len, raw.lines("a.csv"))),
    "stored_rows": lambda member, raw, folder: raw.stored_rows("a.csv"),
    "place": lambda member, raw, folder: Output(folder / "out").place({"a.csv": raw["a.csv"]}),
    "write_tar": lambda member, raw, folder: Output(folder / "out").write_tar("a.tar", {"a.csv": raw["a.csv"]}),
    "unpack": lambda member, raw, folder: unpack(folder / "a.zip", folder / "unpacked"),
    "bson": lambda member, raw, folder: sum(1 for _ in raw.bson("a.csv")),
    "path": lambda member, raw, folder: raw.path("a.csv"),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_member_is_more_than_it_promises(way: str, tmp_path: Path, little_memory: None) -> None:
    path = understated(tmp_path / "a.zip", "a.csv")
    read_it(way, path, tmp_path)
    assert sum(each.stat().st_size for each in tmp_path.rglob("*") if each != path and each.is_file()) < 1 << 20


def read_it(way: str, path: Path, folder: Path) -> None:
    (folder / "scratch").mkdir()
    reader = ZipReader(path)
    raw = RawArchive(reader, folder / "scratch")
    try:
        WAYS[way](reader.member("a.csv"), raw, folder)
    except PreparationError as error:
        assert "a.csv" in str(error)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_rare_kinds_are_cut_too(method: int, tmp_path: Path) -> None:
    path = understated(tmp_path / "a.zip", "a.csv", method, CONTENT[: 1 << 20])
    assert len(ZipReader(path).member("a.csv").read()) == CLAIMED


def test_a_table_that_is_alone_in_an_archive(tmp_path: Path, little_memory: None) -> None:
    understated(tmp_path / "a.csv.zip", "a.csv")
    assert len(RawFolder(tmp_path).read_csv("a.csv.zip")) < CLAIMED
    assert len(RawFolder(tmp_path).stored_rows("a.csv.zip")) < CLAIMED


def test_among_many_small_ones(tmp_path: Path, little_memory: None) -> None:
    member = ZipReader(understated(tmp_path / "a.zip", "a.csv")).member("a.csv")
    job = member.job(str(tmp_path / "copy"))
    assert job is not None
    with pytest.raises(ValueError, match="unpacks to more than the archive says"):
        copy(str(tmp_path / "a.zip"), [job])


def test_an_archive_within_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The outer one is small; what the inner one promises is looked at when it is opened."""
    monkeypatch.setattr(damage, "BOMB_FLOOR", 1 << 20)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("a.csv", CONTENT)
    with zipfile.ZipFile(tmp_path / "raw.zip", "w") as archive:
        archive.writestr("inner.zip", inner.getvalue())
        archive.writestr("a.csv.zip", inner.getvalue())
    raw = RawArchive(ZipReader(tmp_path / "raw.zip"), tmp_path / "scratch")
    with pytest.raises(PreparationError, match=r"inner\.zip would unpack to .* refused as an archive bomb"):
        raw.archive("inner.zip")
    with pytest.raises(PreparationError, match=r"a\.csv\.zip would unpack to .* refused as an archive bomb"):
        raw.read_csv("a.csv.zip")


def test_a_header_of_tar_beyond_all_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, little_memory: None
) -> None:
    """Such a header is read as a whole before there is a member whose size could be looked at."""
    monkeypatch.setattr(damage, "BOMB_FLOOR", 1 << 20)
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, LARGE
    with gzip.open(tmp_path / "a.tar.gz", "wb") as file:
        file.write(header.tobuf())
        for _ in range(LARGE >> 20):
            file.write(bytes(1 << 20))
    with pytest.raises(PreparationError, match="refused as an archive bomb"):
        unpack(tmp_path / "a.tar.gz", tmp_path / "target")


OUTSIDE = ["../x", "train/../../x", "/tmp/mlebench-x", "..", "train/.."]


@pytest.mark.parametrize("name", OUTSIDE)
def test_names_from_the_data_lead_nowhere_else(name: str, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "a.jpg").write_bytes(b"a")
    (tmp_path / "x").write_bytes(b"a file of the user")
    raw, public = RawFolder(tmp_path / "raw"), Output(tmp_path / "out" / "public")
    for action in (
        lambda: public.place({name: raw["a.jpg"]}),
        lambda: public.write_bytes(name, b"b"),
        lambda: public.write_zip("a.zip", {name: b"b"}),
        lambda: public.write_tar("a.tar", {name: b"b"}),
        lambda: public.place_each(["a"], raw, "{}.jpg", to=name),
        lambda: raw[name],
        lambda: raw.read_bytes(name),
    ):
        with pytest.raises(PreparationError, match="outside the target folder"):
            action()
    assert (tmp_path / "x").read_bytes() == b"a file of the user"


@pytest.mark.parametrize("name", ["a..b/c", "..a", "...", "a/...b"])
def test_names_with_dots_are_fine(name: str, tmp_path: Path) -> None:
    Output(tmp_path).write_bytes(name, b"x")
    assert (tmp_path / name).read_bytes() == b"x"


def test_a_million_names_are_looked_at_quickly() -> None:
    from mlebench.files.safe_names import check_inside

    names = [f"train/{number:08}.jpg" for number in range(1_000_000)]
    begin = time.process_time()
    check_inside(names)
    assert time.process_time() - begin < 10, "a second or less where nothing else runs"


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_in_the_raw_data_is_not_linked_again(tmp_path: Path) -> None:
    """From its new place it would lead elsewhere: to the answers, for one."""
    (tmp_path / "raw" / "deep" / "deeper").mkdir(parents=True)
    (tmp_path / "raw" / "a.txt").write_bytes(b"raw")
    (tmp_path / "raw" / "deep" / "deeper" / "link").symlink_to("../../a.txt")
    public = Output(tmp_path / "prepared" / "public", link=True)
    public.place({"b/link": RawFolder(tmp_path / "raw")["deep/deeper/link"]})
    assert not (public.root / "b" / "link").is_symlink()
    assert (public.root / "b" / "link").read_bytes() == b"raw"
