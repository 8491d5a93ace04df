"""What is special about the zip archives we write: members passed on as they are, and numbers of 64 bits."""

from __future__ import annotations

import io
import shutil
import subprocess
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.files import zip_writer
from mlebench.files.source import CHUNK, Compressed
from mlebench.files.zip_writer import ZipWriter

names = st.text(st.characters(codec="utf-8", exclude_characters="\0\\"), min_size=1, max_size=20)


def added(archive: ZipWriter, name: str, data: bytes, way: str) -> None:
    """Append a member in one of the ways that there are."""
    if way == "compressed":
        packed = zlib.compress(data, wbits=-zlib.MAX_WBITS)
        archive.add(name, Compressed(packed, zipfile.ZIP_DEFLATED, zlib.crc32(data), len(data)))
    elif way.startswith("bytes"):
        archive.add_bytes(name, data, deflate=way.endswith("deflated"))
    else:
        archive.add_stream(name, io.BytesIO(data), len(data), deflate=way.endswith("deflated"))


ways = st.sampled_from(["compressed", "bytes", "bytes deflated", "stream", "stream deflated"])
members = st.dictionaries(names, st.tuples(st.binary(max_size=200), ways), max_size=8)


@given(content=members, limit=st.sampled_from([0, 30, 100, 500, zipfile.ZIP64_LIMIT]), many=st.booleans())
def test_zipfile_reads_what_is_written(
    content: dict[str, tuple[bytes, str]], limit: int, many: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Also where sizes, places and the number of members are written with 64 bits, as beyond 2 GB or 65,535 members."""
    path = tmp_path_factory.mktemp("zip") / "a.zip"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(zip_writer, "_LIMIT", limit)
        patch.setattr(zip_writer, "_COUNT_LIMIT", 2 if many else zipfile.ZIP_FILECOUNT_LIMIT)
        with ZipWriter(path) as archive:
            for name, (data, way) in content.items():
                if way.startswith("stream") and len(data) * 1.05 <= limit < len(data) + 20:
                    way = "bytes"  # deflating a few bytes adds more than a twentieth
                added(archive, name, data, way)
    with zipfile.ZipFile(path) as found:
        assert found.testzip() is None
        assert {name: found.read(name) for name in found.namelist()} == {
            name: data for name, (data, _) in content.items()
        }


@pytest.mark.parametrize("limit", [0, zipfile.ZIP64_LIMIT])
def test_another_program_reads_it(limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unzip = shutil.which("unzip")
    if unzip is None:
        pytest.skip("unzip is not installed")
    monkeypatch.setattr(zip_writer, "_LIMIT", limit)
    content = {"a.txt": b"a" * 1000, "folder/ä.bin": bytes(range(256)), "empty": b""}
    with ZipWriter(tmp_path / "a.zip") as archive:
        for name, data in content.items():
            added(archive, name, data, "compressed")
            added(archive, f"{name}.streamed", data, "stream")
    done = subprocess.run([unzip, "-tq", "a.zip"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "No errors" in done.stdout


def test_streams_are_read_piece_by_piece(tmp_path: Path) -> None:
    data = bytes(range(256)) * (CHUNK // 64)
    with ZipWriter(tmp_path / "a.zip") as archive:
        archive.add_stream("a", io.BytesIO(data), len(data), deflate=True)
        archive.add_bytes("b", b"b", deflate=False)
        archive.add_stream("c", io.BytesIO(data), len(data), deflate=False)
    with zipfile.ZipFile(tmp_path / "a.zip") as found:
        assert (found.read("a"), found.read("b"), found.read("c")) == (data, b"b", data)


def test_a_stream_that_outgrows_its_header_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zip_writer, "_LIMIT", 100)
    with pytest.raises(RuntimeError, match="a has grown"), ZipWriter(tmp_path / "a.zip") as archive:
        archive.add_stream("a", io.BytesIO(bytes(200)), 10, deflate=False)
    assert not zipfile.is_zipfile(tmp_path / "a.zip")
