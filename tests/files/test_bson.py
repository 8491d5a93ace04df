"""BSON files are dealt out document by document, and damaged ones are told from whole ones."""

from __future__ import annotations

import struct
import zipfile
from itertools import compress
from pathlib import Path

import numpy as np
import pytest

from mlebench.errors import PreparationError
from mlebench.files.bson import BsonFile, without_element
from mlebench.files.output_folder import Output
from mlebench.files.raw_files import RawFolder
from mlebench.files.zip_reader import ZipReader


def document(*elements: bytes) -> bytes:
    content = b"".join(elements) + b"\0"
    return struct.pack("<i", len(content) + 4) + content


def element(kind: int, name: str, value: bytes) -> bytes:
    return bytes([kind]) + name.encode() + b"\0" + value


def int32(name: str, value: int) -> bytes:
    return element(0x10, name, struct.pack("<i", value))


# One value of every type that has a size of its own, and nested ones that repeat the name of an element outside.
OTHERS = [
    element(0x01, "double", b"\0" * 8),
    element(0x02, "text", struct.pack("<i", 4) + b"abc\0"),
    element(0x03, "nested", document(int32("class", 99))),
    element(0x04, "list", document(int32("0", 98))),
    element(0x05, "bytes", struct.pack("<i", 3) + b"\0" + b"\1\0\2"),
    element(0x07, "object", b"\7" * 12),
    element(0x08, "truth", b"\1"),
    element(0x09, "date", b"\0" * 8),
    element(0x0A, "null", b""),
]
NUMBERS, CLASSES = [7, -3, 2**40], [1, 2, 1]
DOCUMENTS = [
    document(element(0x12, "_id", struct.pack("<q", number)), *OTHERS, int32("class", kind), *OTHERS)
    for number, kind in zip(NUMBERS, CLASSES, strict=True)
]


@pytest.fixture
def raw(tmp_path: Path) -> RawFolder:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/train.bson").write_bytes(b"".join(DOCUMENTS))
    return RawFolder(tmp_path / "raw")


def test_documents_as_often_as_asked(raw: RawFolder) -> None:
    file = raw.bson("train.bson")
    assert list(file) == list(file) == DOCUMENTS


def test_documents_inside_an_archive(raw: RawFolder, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "raw.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(raw.path("train.bson"), "train.bson")
    member = ZipReader(tmp_path / "raw.zip").member("train.bson")
    assert list(BsonFile(member, "train.bson")) == DOCUMENTS


def test_integers_of_the_outer_level(raw: RawFolder) -> None:
    found = raw.bson("train.bson").integers("_id", "class")
    assert {name: values.tolist() for name, values in found.items()} == {"_id": NUMBERS, "class": CLASSES}


def test_without_element() -> None:
    assert without_element(DOCUMENTS[0], "class") == document(
        element(0x12, "_id", struct.pack("<q", 7)), *OTHERS, *OTHERS
    )
    assert without_element(DOCUMENTS[0], "absent") == DOCUMENTS[0]


def test_split(raw: RawFolder, tmp_path: Path) -> None:
    in_test = np.array([False, True, False])
    output = Output(tmp_path / "public")
    output.split_bson(raw.bson("train.bson"), in_test, to=("a/train.bson", "a/test.bson"), hide="class")
    assert (tmp_path / "public/a/train.bson").read_bytes() == DOCUMENTS[0] + DOCUMENTS[2]
    assert (tmp_path / "public/a/test.bson").read_bytes() == without_element(DOCUMENTS[1], "class")
    output.write_bson("first.bson", compress(raw.bson("train.bson"), ~in_test))
    assert (tmp_path / "public/first.bson").read_bytes() == DOCUMENTS[0] + DOCUMENTS[2]


def test_empty_file(raw: RawFolder) -> None:
    raw.path("train.bson").write_bytes(b"")
    assert list(raw.bson("train.bson")) == []
    assert raw.bson("train.bson").integers("_id")["_id"].tolist() == []


@pytest.mark.parametrize("size", [2, 4, 20, -1])
def test_file_that_is_cut_off(raw: RawFolder, size: int) -> None:
    raw.path("train.bson").write_bytes(b"".join(DOCUMENTS)[:size])
    with pytest.raises(PreparationError, match=r"raw/train\.bson"):
        list(raw.bson("train.bson"))


@pytest.mark.parametrize(
    "content",
    [
        struct.pack("<i", -1) + b"\0" * 9,  # a length below that of an empty document
        struct.pack("<i", 2**31 - 1) + b"\0" * 9,  # and one above what there can be
        document(element(0x7F, "x", b"")),  # a type that does not exist
        document(element(0x05, "x", struct.pack("<i", -20) + b"\0")),  # an element of negative size
        document(element(0x02, "x", struct.pack("<i", 900) + b"\0")),  # one that ends after its document
        document(b"\x10name-without-end")[:-1] + b"x",
        document(int32("class", 1)),  # no _id
        document(element(0x02, "_id", struct.pack("<i", 2) + b"7\0")),  # an _id that is no number
        document(int32("_id", 1), int32("_id", 2)),
    ],
)
def test_what_is_no_bson(raw: RawFolder, content: bytes) -> None:
    raw.path("train.bson").write_bytes(content)
    with pytest.raises(PreparationError, match=r"raw/train\.bson cannot be read as BSON"):
        raw.bson("train.bson").integers("_id")
