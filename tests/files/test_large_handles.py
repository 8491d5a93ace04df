"""Verbs of the handles for what outgrows memory: lines, text streams, and stored rows that are changed."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

from mlebench.errors import PreparationError
from mlebench.files import rows
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import Raw, RawArchive, RawFolder
from mlebench.files.zip_reader import ZipReader

TEXT = "one\r\ntwo\rthree \u2028 \x1c still\n\nlast ü"
TABLE = 'Id,Title,Tags\n007,"a, b",1\n8,null,x\n"9","two\nlines",3\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "text.txt").write_bytes(TEXT.encode("utf-8"))
    (folder / "latin.txt").write_bytes("grün\n".encode("latin-1"))
    with zipfile.ZipFile(folder / "table.zip", "w") as archive:
        archive.writestr("Table.csv", TABLE)
    return folder


@pytest.fixture(params=["folder", "archive"])
def raw(folder: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Raw:
    """The same raw data as a folder, and in place in a zip archive."""
    if request.param == "folder":
        return RawFolder(folder)
    with zipfile.ZipFile(tmp_path / "raw.zip", "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    (tmp_path / "scratch").mkdir()
    return RawArchive(ZipReader(tmp_path / "raw.zip"), tmp_path / "scratch")


def test_lines_end_in_one_way_and_only_where_lines_end(raw: Raw) -> None:
    assert list(raw.lines("text.txt")) == ["one\n", "two\n", "three \u2028 \x1c still\n", "\n", "last ü"]


def test_lines_of_a_member_of_an_archive(raw: Raw) -> None:
    assert "".join(raw.archive("table.zip").lines("Table.csv")) == TABLE


def test_lines_that_are_not_utf8_are_named(raw: Raw) -> None:
    with pytest.raises(PreparationError, match=r"latin\.txt is not UTF-8 text"):
        list(raw.lines("latin.txt"))


def test_a_text_stream_writes_what_it_is_given(tmp_path: Path) -> None:
    out = Output(tmp_path / "out")
    for name in ("a/text.txt", "a/text.txt.zip"):
        with out.text_stream(name) as file:
            file.writelines(["one\r\n", "zwölf\n", "end"])
    assert (tmp_path / "out/a/text.txt").read_bytes() == "one\r\nzwölf\nend".encode()
    with zipfile.ZipFile(tmp_path / "out/a/text.txt.zip") as archive:
        assert archive.namelist() == ["text.txt"]
        assert archive.read("text.txt") == "one\r\nzwölf\nend".encode()


def test_stored_rows_keep_text_as_it_is(raw: Raw, tmp_path: Path) -> None:
    out = Output(tmp_path / "out")
    stored = raw.stored_rows("table.zip", text=["Id", "Tags"])
    out.write_rows("all.csv", stored, np.arange(3))
    assert (tmp_path / "out/all.csv").read_text() == 'Id,Title,Tags\n007,"a, b",1\n8,,x\n9,"two\nlines",3\n'


def test_stored_rows_can_be_changed(raw: Raw, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = Output(tmp_path / "out")
    stored = raw.stored_rows("table.zip", text=["Id", "Tags"])
    for fits, block in ((0, 1), (0, 1 << 20), (1 << 20, 1), (1 << 20, 1 << 20)):  # a row at a time, and all at once
        monkeypatch.setattr(rows, "_FITS", fits)
        monkeypatch.setattr(rows, "_BLOCK", block)
        monkeypatch.setattr(rows, "_STRETCH", block)
        out.write_rows("less.csv", stored, np.array([2, 0]), change=lambda part: part.drop(columns="Title"))
        assert (tmp_path / "out/less.csv").read_text() == "Id,Tags\n9,3\n007,1\n"
        out.write_rows("other.csv", stored, np.array([1, 0]), change=lambda part: part.assign(Tags="a b"))
        assert (tmp_path / "out/other.csv").read_text() == 'Id,Title,Tags\n8,,a b\n007,"a, b",a b\n'
    none = np.array([], dtype=np.int64)
    out.write_rows("none.csv", stored, none, change=lambda part: part.drop(columns="Title"))
    assert (tmp_path / "out/none.csv").read_text() == "Id,Tags\n"


def test_kinds_are_guessed_from_whole_rows_however_long(tmp_path: Path) -> None:
    long = "x" * 3000 + "\n, " + "y" * 3000
    (tmp_path / "long.csv").write_text("Id,Body\n" + "".join(f'{number},"{long}"\n' for number in range(400)))
    assert len(RawFolder(tmp_path).stored_rows("long.csv")) == 400
    assert len(RawFolder(tmp_path).read_csv("long.csv", lean=True)) == 400
