"""What few competitions need to read: tables and lists that outgrow memory, supplements, floats of pandas 2."""

from __future__ import annotations

import io
import json
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from servers import FileServer

from mlebench.data.download import HttpRemote, fetch
from mlebench.errors import MlebenchError, PreparationError
from mlebench.files import floats, json_lists, parquet, tables
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import Raw, RawArchive, RawFolder
from mlebench.files.zip_reader import ZipReader

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda items: st.lists(items) | st.dictionaries(st.text(), items),
)


@pytest.fixture(params=["folder", "archive"])
def raw(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[dict[str, bytes]], Raw]:
    """A function that makes raw data of these files: in a folder, and in a zip archive."""

    def made(files: dict[str, bytes]) -> Raw:
        if request.param == "folder":
            for name, content in files.items():
                (tmp_path / name).write_bytes(content)
            return RawFolder(tmp_path)
        with zipfile.ZipFile(tmp_path / "raw.zip", "w") as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        (tmp_path / "scratch").mkdir()
        return RawArchive(ZipReader(tmp_path / "raw.zip"), tmp_path / "scratch")

    return made


def packed(mode: Any, names: list[str]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        folder = tarfile.TarInfo("folder")
        folder.type = tarfile.DIRTYPE
        archive.addfile(folder)
        for name in names:
            info = tarfile.TarInfo(name)
            info.size = 3
            archive.addfile(info, io.BytesIO(b"abc"))
    return buffer.getvalue()


@pytest.mark.parametrize(("ending", "mode"), [("tar", "w"), ("tar.gz", "w:gz"), ("tar.xz", "w:xz")])
def test_names_in_a_tar_archive(raw: Callable[..., Raw], ending: str, mode: str) -> None:
    names = ["b.zip", "a.zip", "folder/c.zip"]
    files = raw({f"x.{ending}": packed(mode, names), "broken.tar.gz": b"\x1f\x8b nonsense"})
    assert files.tar_names(f"x.{ending}") == names
    with pytest.raises(PreparationError, match=r"broken\.tar\.gz cannot be read"):
        files.tar_names("broken.tar.gz")


@given(st.lists(JSON), st.sampled_from([None, 0, 3]), st.integers(1, 40))
def test_json_items_are_those_of_the_list(items: list[Any], indent: int | None, chunk: int) -> None:
    text = json.dumps(items, indent=indent, ensure_ascii=False).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_lists, "_CHUNK", chunk)
        assert list(json_lists.read_items(io.BytesIO(text))) == items


def test_json_items_come_before_the_list_is_read(raw: Callable[..., Raw], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_lists, "_CHUNK", 16)
    files = raw({"list.json": b'[{"a": 1}, {"b": 2}, nonsense', "object.json": b'{"a": []}', "empty.json": b""})
    items = files.json_items("list.json")
    assert next(items) == {"a": 1}
    assert next(items) == {"b": 2}
    for name, rest in (("list.json", items), ("object.json", None), ("empty.json", None)):
        with pytest.raises(PreparationError, match=f"{name} cannot be read as a JSON list"):
            list(rest or files.json_items(name))


def test_parquet_in_parts(raw: Callable[..., Raw], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "_ROWS", 7)
    table = pd.DataFrame({"n": range(30), "x": np.linspace(0, 1, 30), "t": list("abc" * 10)})
    files = raw({"table.parquet": table.to_parquet(index=False), "broken.parquet": b"PAR1"})
    parts = list(files.parquet_batches("table.parquet"))
    assert max(map(len, parts)) == 7
    output = Output(tmp_path / "public")
    output.write_parquet("parts.parquet", (part[part["n"] % 2 == 0] for part in parts))
    written = pd.read_parquet(tmp_path / "public/parts.parquet")
    assert written.to_csv() == table[table["n"] % 2 == 0].reset_index(drop=True).to_csv()
    output.write_parquet("whole.parquet", table)
    assert pd.read_parquet(tmp_path / "public/whole.parquet").to_csv() == table.to_csv()
    assert [list(part) for part in files.parquet_batches("table.parquet", columns=["x"])] == [["x"]] * 5
    with pytest.raises(PreparationError, match=r"broken\.parquet cannot be read as Parquet"):
        list(files.parquet_batches("broken.parquet"))


def archive(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as written:
        written.writestr("folder/file.txt", content)
    return buffer.getvalue()


def test_a_supplement_is_downloaded_only_where_it_is_missing(raw: Callable[..., Raw]) -> None:
    with FileServer() as server:
        server.files = dict.fromkeys(("/other.zip", "/own.zip"), archive(b"downloaded"))
        files = raw({"own.zip": archive(b"there already")})
        assert files.supplement(f"{server.url}/own.zip").read_bytes("folder/file.txt") == b"there already"
        with pytest.raises(PreparationError, match=r"lacks other\.zip.*Download http"):
            files.supplement(f"{server.url}/other.zip")
        files.fetch = lambda url, path: fetch(HttpRemote(url), path)
        assert files.supplement(f"{server.url}/other.zip").read_bytes("folder/file.txt") == b"downloaded"


# What pandas 2.2.3 makes of these texts.
PANDAS_2 = {
    "37.904611315634504": 37.9046113156345,  # off by one
    "37.416640123456787": 37.416640123456794,
    "121.48886955472557": 121.48886955472555,
    "-86.48107806249548": -86.48107806249548,
    "0.1000000000000000055": 0.1,
    "123456789012345678.5": 1.2345678901234568e17,
    "1.7976931348623157e308": 1.7976931348623157e308,
    "-1.23456789E-30": -1.23456789e-30,
    "+4.9e-324": 5e-324,
    "inf": float("inf"),
}


def test_floats_as_pandas_2_reads_them(raw: Callable[..., Raw]) -> None:
    rows = "".join(f"{number},{text},a\n" for number, text in enumerate(PANDAS_2))
    files = raw({"t.csv": f"id,x,y\n{rows}99,,b\n".encode()})
    table = files.read_csv("t.csv", as_pandas_2=True)
    assert table["x"].tolist()[:-1] == list(PANDAS_2.values())
    assert table["x"].isna().tolist()[-1]
    assert table["id"].tolist() == [*range(len(PANDAS_2)), 99]


@given(st.floats(-1e15, 1e15).map(lambda value: round(value, 3)))
def test_short_numbers_are_exact(value: float) -> None:
    if len(repr(value)) <= 16:
        assert floats.parsed(np.array([repr(value)])).tolist() == [value]


def test_whole_numbers_behind_texts_that_begin_as_numbers() -> None:
    """As pandas 3.0 does not read them once floats are to be correctly rounded; it is refused."""
    table = tables.read_csv(io.BytesIO(b"id,label,score\n2e3260eb23c5d001,1,0.1\n59e15138ad27f0da,,2\n"))
    assert [str(kind) for kind in table.dtypes] == ["object", "float64", "float64"]
    assert table["label"].isna().tolist() == [False, True]
    with pytest.raises(MlebenchError, match=r"pandas 3\.0\.6 misreads some tables"):
        tables._needs_float_precision("3.0.6")
    assert [tables._needs_float_precision(version) for version in ("2.2.3", "3.1.0rc0")] == [True, False]
