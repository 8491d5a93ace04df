"""The renamed copy: only names change, in every format, and nothing of the original does."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from pathlib import Path

import pandas as pd
import pytest

from mlebench.files.unpacking import unpack
from mlebench.renaming import tables
from mlebench.renaming.copying import copy_renamed
from mlebench.renaming.headers import rename_columns
from mlebench.renaming.mapping import Renaming
from mlebench.renaming.tables import rename_table

NAMES = Renaming({"cactus": "file_1"}, {"has_cactus": "column_1", "a,b": "column_2", "Größe": "column_3"})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"id,has_cactus\n1,has_cactus\n", b"id,column_1\n1,has_cactus\n"),
        (b'\xef\xbb\xbf"has_cactus","a,b"\r\n1,2\r\n', b'\xef\xbb\xbf"column_1","column_2"\r\n1,2\r\n'),
        (b"\n\nhas_cactus\n\xff\n", None),  # not UTF-8, and its first line is blank
        (b"id,has_cactus\n\xff\n", b"id,column_1\n\xff\n"),
        ("Größe,id\nä,1".encode(), "column_3,id\nä,1".encode()),
        (b'"x\ny",has_cactus\n1,2\n', b'"x\ny",column_1\n1,2\n'),
        (b"\n\nhas_cactus\rhas_cactus\r", b"\n\ncolumn_1\rhas_cactus\r"),
        (b"id, has_cactus\n", None),
        (b"", None),
        (b'"has_cactus', None),
    ],
)
def test_headers_of_csv(tmp_path: Path, old: bytes, new: bytes | None) -> None:
    target = tmp_path / "new.csv"
    assert rename_columns(io.BytesIO(old), target, NAMES.columns) == (new is not None)
    assert (target.read_bytes() if target.exists() else None) == new


def test_names_that_need_quotation_marks_get_them(tmp_path: Path) -> None:
    target = tmp_path / "old.csv"
    assert rename_columns(io.BytesIO(b"column_2,x\n1,2\n"), target, NAMES.exchanged)
    assert target.read_bytes() == b'"a,b",x\n1,2\n'


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
def test_keys_of_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(tables, "_BLOCK", block)
    old = '[{"has_cactus" : "has_cactus", "text": "\\"has_cactus\\": 1, \\\\", "a": {"has_cactus":1.50}}, "has_cactus"]'
    source, target = tmp_path / "old.json", tmp_path / "new.json"
    source.write_text(old)
    assert rename_table(source, target, NAMES.columns)
    new = old.replace('"has_cactus" :', '"column_1" :').replace('{"has_cactus":1', '{"column_1":1')
    assert target.read_text() == new
    json.loads(new)
    source.write_text('["has_cactus"]')
    target.unlink()
    assert not rename_table(source, target, NAMES.columns)
    assert not target.exists()


def test_columns_of_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame({"has_cactus": [1.5, None], "id": ["a", "b"]}, index=pd.Index([3, 4], name="Größe"))
    frame.to_parquet(tmp_path / "old.parquet")
    assert rename_table(tmp_path / "old.parquet", tmp_path / "new.parquet", NAMES.columns)
    found = pd.read_parquet(tmp_path / "new.parquet")
    pd.testing.assert_frame_equal(found, frame.rename(columns=NAMES.columns).rename_axis("column_3"))


def test_folders_and_archives(tmp_path: Path) -> None:
    source = tmp_path / "old"
    (source / "cactus" / "empty").mkdir(parents=True)
    (source / "cactus" / "1.png").write_bytes(b"picture")
    (source / "cactus.csv").write_text("id,has_cactus\n1,1\n")
    (source / "same.csv").write_text("id\n1\n")
    with zipfile.ZipFile(source / "cactus.zip", "w") as archive:
        archive.writestr("cactus/cactus.csv", "has_cactus\n1\n")
        archive.writestr("cactus/1.png", b"picture")
    with zipfile.ZipFile(source / "same.zip", "w") as archive:
        archive.writestr("table.csv", "id\n1\n")
    with tarfile.open(source / "packed.tar.gz", "w:gz") as tar:
        tar.add(source / "cactus.csv", "cactus.csv")
    py7zr = pytest.importorskip("py7zr")
    with py7zr.SevenZipFile(source / "cactus.7z", "w") as packed:
        packed.write(source / "cactus.csv", "cactus.csv")
    before = {path: path.read_bytes() for path in source.rglob("*") if path.is_file()}
    target = tmp_path / "new"
    copy_renamed(source, target, NAMES)
    assert {path: path.read_bytes() for path in source.rglob("*") if path.is_file()} == before
    found = sorted(path.relative_to(target).as_posix() for path in target.rglob("*"))
    assert found == ["file_1", "file_1.7z", "file_1.csv", "file_1.zip", "file_1/1.png", "file_1/empty", "packed.tar.gz",
                     "same.csv", "same.zip"]  # fmt: skip
    for name in ("file_1/1.png", "same.csv", "same.zip"):
        assert (target / name).stat().st_nlink == 2, "linked: the bytes are the same"
    for name in ("file_1.zip", "file_1.7z", "packed.tar.gz"):
        unpack(target / name, tmp_path / name)
        (table,) = (tmp_path / name).rglob("*.csv")
        assert table.name == "file_1.csv"
        assert table.read_text().splitlines()[0].split(",")[-1] == "column_1"
    assert (tmp_path / "file_1.zip" / "file_1" / "1.png").read_bytes() == b"picture"


def test_a_member_outside_of_an_archive_stays_outside(tmp_path: Path) -> None:
    source = tmp_path / "old"
    source.mkdir()
    with zipfile.ZipFile(source / "x.zip", "w") as archive:
        archive.writestr("../../cactus.csv", "has_cactus\n")
    with pytest.raises(Exception, match=r"x\.zip"):
        copy_renamed(source, tmp_path / "new", NAMES)
    assert sorted(path.name for path in tmp_path.iterdir()) in (["new", "old"], ["old"])
