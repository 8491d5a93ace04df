"""TFRecord files are read without TensorFlow, and damaged ones are told from whole ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlebench.errors import PreparationError
from mlebench.files.tfrecord_reader import text_features
from mlebench.twins.kit.tfrecords import example, tfrecord

NAMES = ["first", "zweites", "troisième"]


@pytest.fixture
def records(tmp_path: Path) -> Path:
    path = tmp_path / "train00-3.tfrec"
    tfrecord(path, [example({"image": b"x" * 300, "image_name": name.encode(), "age": -1}) for name in NAMES])
    return path


def test_checksum(tmp_path: Path) -> None:
    path = tmp_path / "one.tfrec"
    tfrecord(path, [b"123456789"])
    # The CRC-32C of these digits is the usual test value e3069283; TFRecord rotates it and adds a constant.
    rotated = 0xE3069283 >> 15 | 0xE3069283 << 17
    assert int.from_bytes(path.read_bytes()[-4:], "little") == (rotated + 0xA282EAD8) % 2**32


def test_reads_what_was_written(records: Path) -> None:
    assert text_features(records, "image_name") == NAMES


def test_no_records(tmp_path: Path) -> None:
    path = tmp_path / "none.tfrec"
    path.touch()
    assert text_features(path, "image_name") == []


@pytest.mark.parametrize("feature", ["patient", "age"])
def test_feature_that_is_absent_or_no_text(records: Path, feature: str) -> None:
    with pytest.raises(PreparationError, match=feature):
        text_features(records, feature)


@pytest.mark.parametrize("size", [5, 11, 100, -1])
def test_file_that_is_cut_off(records: Path, size: int) -> None:
    records.write_bytes(records.read_bytes()[:size])
    with pytest.raises(PreparationError, match=r"train00-3\.tfrec"):
        text_features(records, "image_name")
