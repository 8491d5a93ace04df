"""Archives: what goes in comes out, damage is reported, and nothing lands outside of its folder."""

from __future__ import annotations

import errno
import io
import lzma
import os
import random
import struct
import tarfile
import zipfile
import zlib
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.errors import PreparationError
from mlebench.files import damage
from mlebench.files.damage import reporting_damage
from mlebench.files.packing import write_7z, write_zip
from mlebench.files.raw_files import RawFolder
from mlebench.files.source import Source
from mlebench.files.streams import read_source
from mlebench.files.unpacking import unpack
from mlebench.files.zip_reader import ZipMember, ZipReader

CONTENT = {
    "table.csv": b"id,label\n" + b"1,0\n" * 2000,
    "folder/noise.bin": random.Random(0).randbytes(3000),
    "folder/picture.jpg": random.Random(1).randbytes(3000),
    "empty.txt": b"",
    "ä/名.txt": "ü".encode(),
}
PACKED = {".gz": "gzip", ".bz2": "bz2", ".xz": None, ".zst": "zstd"}  # as pyarrow calls them; it has no xz
TARS = [".tar", *(f".tar{each}" for each in PACKED)]
KINDS = [".zip", ".7z", *TARS]

parts = st.text(st.characters(codec="utf-8", exclude_characters="/\\\0", exclude_categories=["Cc", "Cs"]), min_size=1)
member_names = st.builds(
    lambda folders, name, suffix: "/".join([*folders, name + suffix]),
    st.lists(parts.filter(lambda each: each.strip(".")), max_size=2),
    parts,
    st.sampled_from(["", ".csv", ".jpg", ".JPG"]),
)
contents = st.dictionaries(member_names, st.binary(max_size=300) | st.just(b"long " * 5000), max_size=5)


def written(path: Path) -> dict[str, bytes]:
    """What Python's own reader finds in a zip archive, which must be sound."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def build(path: Path, members: dict[str, bytes]) -> Path:
    """An archive of the kind that the name of the path says."""
    if path.suffix == ".zip":
        write_zip(path, members)
    elif path.suffix == ".7z":
        pytest.importorskip("py7zr")
        write_7z(path, members)
    else:
        plain = io.BytesIO()
        with tarfile.open(fileobj=plain, mode="w") as archive:
            for name, content in members.items():
                info = tarfile.TarInfo(name)
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
        pack(path, plain.getvalue())
    return path


def pack(path: Path, content: bytes) -> None:
    """A file packed as the end of its name says, or as it is."""
    if path.suffix == ".xz":
        path.write_bytes(lzma.compress(content))
    else:
        with pyarrow.output_stream(path, compression=PACKED.get(path.suffix)) as stream:
            stream.write(content)


def files_below(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@given(content=contents)
def test_bytes_survive(content: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("zip") / "a.zip"
    write_zip(path, content)
    assert written(path) == content
    reader = ZipReader(path)
    assert {name: reader.member(name).read() for name in reader.names()} == content


@given(content=contents, method=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2]))
def test_members_of_another_archive_survive(
    content: dict[str, bytes], method: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """They are copied as they lie there, still compressed, between members that are not."""
    folder = tmp_path_factory.mktemp("zip")
    with zipfile.ZipFile(folder / "a.zip", "w", method) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    reader = ZipReader(folder / "a.zip")
    members: dict[str, Source | bytes] = {"first.txt": b"first"}
    members |= {f"copied/{name}": reader.member(name) for name in reader.names()}
    members["last.txt"] = b"last"
    write_zip(folder / "b.zip", members)
    expected = {
        "first.txt": b"first",
        **{f"copied/{name}": data for name, data in content.items()},
        "last.txt": b"last",
    }
    assert written(folder / "b.zip") == expected
    with zipfile.ZipFile(folder / "a.zip") as source, zipfile.ZipFile(folder / "b.zip") as copy:
        for info in source.infolist():
            copied = copy.getinfo(f"copied/{info.filename}")
            assert (copied.compress_type, copied.compress_size) == (info.compress_type, info.compress_size)


def test_files_survive(tmp_path: Path) -> None:
    for name, data in CONTENT.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    write_zip(tmp_path / "a.zip", {f"new/{name}": tmp_path / name for name in CONTENT})
    assert written(tmp_path / "a.zip") == {f"new/{name}": data for name, data in CONTENT.items()}


def test_members_from_streaming_writers_survive(tmp_path: Path) -> None:
    """Archives written to a pipe note sizes behind the content, and folders as members of their own."""

    class Pipe(io.RawIOBase):
        def __init__(self) -> None:
            self.data = bytearray()

        def writable(self) -> bool:
            return True

        def write(self, data: object) -> int:
            self.data += bytes(data)  # type: ignore[call-overload]
            return len(bytes(data))  # type: ignore[call-overload]

    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", b"")
        archive.writestr("folder/a.txt", b"a" * 100)
    (tmp_path / "a.zip").write_bytes(pipe.data)
    reader = ZipReader(tmp_path / "a.zip")
    assert reader.names() == ["folder/a.txt"]
    write_zip(tmp_path / "b.zip", {"b.txt": reader.member("folder/a.txt")})
    assert written(tmp_path / "b.zip") == {"b.txt": b"a" * 100}


def test_what_is_compressed_already_is_stored(tmp_path: Path) -> None:
    write_zip(tmp_path / "a.zip", {"a.jpg": b"a" * 1000, "b.PNG": b"b" * 1000, "c.csv": b"c" * 1000})
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        types = {info.filename: info.compress_type for info in archive.infolist()}
    assert types == {"a.jpg": zipfile.ZIP_STORED, "b.PNG": zipfile.ZIP_STORED, "c.csv": zipfile.ZIP_DEFLATED}


def test_the_rest_is_deflated_lightly(tmp_path: Path) -> None:
    text = " ".join(str(number * number) for number in range(5000)).encode()
    light, usual = (len(zlib.compress(text, level)) for level in (1, 6))
    (tmp_path / "b.csv").write_bytes(text)
    write_zip(tmp_path / "a.zip", {"a.csv": text, "b.csv": tmp_path / "b.csv"})
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        sizes = [info.compress_size for info in archive.infolist()]
    assert light > usual + 100
    assert all(abs(size - light) < 50 for size in sizes)


def test_same_content_makes_the_same_archive(tmp_path: Path) -> None:
    for name in ("a.zip", "b.zip"):
        write_zip(tmp_path / name, CONTENT)
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()


def test_members(tmp_path: Path) -> None:
    reader = ZipReader(build(tmp_path / "a.zip", CONTENT))
    assert reader.names() == list(CONTENT)
    assert "table.csv" in reader
    assert "other.csv" not in reader
    member = reader.member("folder/noise.bin")
    assert member.name == "noise.bin"
    assert read_source(member) == CONTENT["folder/noise.bin"]
    with pytest.raises(PreparationError, match=r"a\.zip does not hold other\.csv"):
        reader.member("other.csv")


def test_large_members_are_streamed(tmp_path: Path) -> None:
    large = bytes(9 << 20)
    reader = ZipReader(build(tmp_path / "a.zip", {"large.txt": large}))
    reader.member("large.txt").copy_to(str(tmp_path / "large.txt"))
    assert (tmp_path / "large.txt").read_bytes() == large


@pytest.mark.parametrize("kind", KINDS)
def test_unpack(kind: str, tmp_path: Path) -> None:
    unpack(build(tmp_path / f"a{kind}", CONTENT), tmp_path / "new" / "target")
    assert files_below(tmp_path / "new" / "target") == CONTENT
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["target"]


@pytest.mark.parametrize("kind", PACKED)
def test_unpack_a_single_file(kind: str, tmp_path: Path) -> None:
    content = CONTENT["table.csv"] * 200
    path = tmp_path / f"table.csv{kind}"
    pack(path, content)
    unpack(path, tmp_path / "target")
    assert files_below(tmp_path / "target") == {"table.csv": content}
    packed = path.read_bytes()
    path.write_bytes(packed * 2)  # as parallel packers write it
    unpack(path, tmp_path / "twice")
    assert files_below(tmp_path / "twice") == {"table.csv": content * 2}
    for end in (0, 1, len(packed) // 2, len(packed) - 1):
        path.write_bytes(packed[:end])
        with pytest.raises(PreparationError, match=rf"table\.csv{kind} cannot be read"):
            unpack(path, tmp_path / "cut")
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name, "target", "twice"]


def test_unpack_what_is_no_archive(tmp_path: Path) -> None:
    (tmp_path / "a.rar").write_bytes(b"Rar!")
    with pytest.raises(PreparationError, match=r"a\.rar is not an archive of a known kind"):
        unpack(tmp_path / "a.rar", tmp_path / "target")


@pytest.mark.parametrize("kind", [*KINDS, *PACKED])
def test_bombs_are_refused(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(damage, "BOMB_FLOOR", 1 << 20)
    monkeypatch.setattr(damage, "BOMB_RATIO", 1 if kind == ".tar" else 50)
    path, large = tmp_path / f"a{kind}", bytes(3 << 20)
    if kind in PACKED:
        pack(path, large)
    else:
        build(path, {"a.txt": large})
    if kind == ".tar":  # it packs nothing, so only a lie can be too large
        path.write_bytes(path.read_bytes()[: 1 << 19])
    with pytest.raises(PreparationError, match=rf"a{kind} would unpack to .* refused as an archive bomb"):
        unpack(path, tmp_path / "target")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["../outside.txt", "folder/../../outside.txt"])
def test_nothing_lands_outside(kind: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{kind}"
    if kind == ".7z":
        build_unsafe_7z(path, name)
    else:
        build(path, {"fine.txt": b"1", name: b"2"})
    with pytest.raises(PreparationError, match=rf"a{kind} "):
        unpack(path, tmp_path / "target")
    assert list(tmp_path.iterdir()) == [path], "neither the target nor anything else is left"


def build_unsafe_7z(path: Path, name: str) -> None:
    """py7zr refuses to write such names, so a harmless one is replaced, with the checksums over it."""
    py7zr = pytest.importorskip("py7zr")
    harmless = "x" * len(name)
    with py7zr.SevenZipFile(path, "w") as archive:
        archive.set_encoded_header_mode(False)
        archive.writestr(b"2", harmless)
    data = bytearray(path.read_bytes().replace(harmless.encode("utf-16-le"), name.encode("utf-16-le")))
    offset, size = struct.unpack("<QQ", data[12:28])
    data[28:32] = struct.pack("<I", zlib.crc32(data[32 + offset : 32 + offset + size]))
    data[8:12] = struct.pack("<I", zlib.crc32(data[12:32]))
    path.write_bytes(data)
    with py7zr.SevenZipFile(path) as archive:
        assert archive.getnames() == [name]


def test_absolute_names_are_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    path = build(tmp_path / "a.zip", {outside.as_posix(): b"1"})
    with pytest.raises(PreparationError, match="outside the target folder"):
        unpack(path, tmp_path / "target")
    assert not outside.exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(12))
def test_truncated_archives_are_reported(kind: str, seed: int, tmp_path: Path) -> None:
    path = build(tmp_path / f"a{kind}", CONTENT)
    data = path.read_bytes()
    end = 12_000 if kind == ".tar" else len(data)  # the rest of a tar archive is padding
    path.write_bytes(data[: random.Random(seed).randrange(end)])
    with pytest.raises(PreparationError, match=rf"a{kind} .*(complete|read)"):
        unpack(path, tmp_path / "target")
    assert list(tmp_path.iterdir()) == [path]


# Plain tar has no checksums, and zst need not have one.
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in (".tar", ".tar.zst")])
@pytest.mark.parametrize("seed", range(12))
def test_damage_is_never_unnoticed(kind: str, seed: int, tmp_path: Path) -> None:
    path = build(tmp_path / f"a{kind}", CONTENT)
    data = bytearray(path.read_bytes())
    place = random.Random(seed).randrange(len(data))
    data[place] ^= 0xFF
    path.write_bytes(data)
    try:
        unpack(path, tmp_path / "target")
    except PreparationError:
        assert not (tmp_path / "target").exists()
    else:  # some bytes are of no account, dates for example
        assert sorted(files_below(tmp_path / "target").values()) == sorted(CONTENT.values())


@pytest.mark.parametrize("name", ["table.csv", "folder/picture.jpg", "large.txt"])
def test_damaged_members_are_reported(name: str, tmp_path: Path) -> None:
    large = random.Random(2).randbytes(1 << 20) * 9
    path = build(tmp_path / "a.zip", {**CONTENT, "large.txt": large})
    reader = ZipReader(path)
    with path.open("r+b") as file:
        file.seek(reader.member(name).info.header_offset + 50 + len(name))
        file.write(b"\xff" * 20)
    member = reader.member(name)
    with pytest.raises(PreparationError, match=rf"{name} in a\.zip cannot be read"):
        member.read()
    with pytest.raises(PreparationError, match=rf"{name} in a\.zip cannot be read.*download it again"):
        member.copy_to(str(tmp_path / "copy"))
    if name == "table.csv":
        with pytest.raises(PreparationError, match=r"raw/a\.zip/table\.csv cannot be read"):
            RawFolder(tmp_path).archive("a.zip").read_csv(name)


def test_a_member_that_is_not_where_it_should_be_is_reported(tmp_path: Path) -> None:
    reader = ZipReader(build(tmp_path / "a.zip", CONTENT))
    for offset in (5, 1 << 40):
        info = reader.member("table.csv").info
        info.header_offset = offset
        with pytest.raises(PreparationError, match=r"table\.csv in a\.zip cannot be read"):
            ZipMember(reader, info).read()
        with pytest.raises(PreparationError, match=r"table\.csv in a\.zip cannot be read"):
            write_zip(tmp_path / "b.zip", {"table.csv": ZipMember(reader, info)})


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"<html>Please log in</html>" * 50])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_archive_is_reported(content: bytes, kind: str, tmp_path: Path) -> None:
    if kind == ".7z":
        pytest.importorskip("py7zr")
    path = tmp_path / f"a{kind}"
    path.write_bytes(content)
    with pytest.raises(PreparationError, match=rf"a{kind} .*(complete|read)"):
        unpack(path, tmp_path / "target")


def test_a_damaged_csv_archive_is_reported(tmp_path: Path) -> None:
    (tmp_path / "train.csv.zip").write_bytes(b"PK\x03\x04 not a whole archive")
    with pytest.raises(PreparationError, match=r"raw/train\.csv\.zip cannot be read"):
        RawFolder(tmp_path).read_csv("train.csv.zip")


def test_a_full_disk_is_no_damage() -> None:
    full = OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match="No space left") as caught, reporting_damage("a.zip"):
        raise full
    assert caught.value is full


def test_a_7z_archive_has_the_same_bytes_whenever_it_is_built(tmp_path: Path) -> None:
    pytest.importorskip("py7zr")
    (tmp_path / "a.txt").write_text("a")
    write_7z(tmp_path / "one.7z", {"a.txt": tmp_path / "a.txt", "b.txt": b"b"})
    os.utime(tmp_path / "a.txt", (0, 0))
    write_7z(tmp_path / "two.7z", {"a.txt": tmp_path / "a.txt", "b.txt": b"b"})
    assert (tmp_path / "one.7z").read_bytes() == (tmp_path / "two.7z").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.txt", "one.7z", "two.7z"]
