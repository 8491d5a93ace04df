"""Parity: every competition's twin, prepared and graded, gives what the published benchmark gives.

The golden files in tests/golden hold, per competition, fingerprints of the raw twin, of everything that
preparation makes of it, and of the example submissions, with their scores.
"""

from __future__ import annotations

import io
import math
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from covered import COVERED, golden
from record_golden import content, md5, rounded_md5

from mlebench.competition.local import LocalCompetition
from mlebench.errors import InvalidSubmissionError
from mlebench.grade.grading import score_file
from mlebench.twins import write_submissions

# Encoders differ between versions of Pillow, pyarrow and zlib, and 7z keeps dates: such raw files are compared by
# name, not by bytes.
ENCODED = {".jpg", ".jpeg", ".png", ".tif", ".tiff", ".bmp", ".parquet", ".7z", ".gz"}
# Less than this is what rounding leaves of an error of 0, such as the angle between a direction and itself.
NOISE = 1e-7

Prepared = Callable[[str], LocalCompetition]


def files_below(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}


def members(data: bytes) -> dict[str, bytes]:
    if data.startswith(b"7z"):
        import py7zr

        with tempfile.TemporaryDirectory() as folder, py7zr.SevenZipFile(io.BytesIO(data)) as seven_zip:
            seven_zip.extractall(folder)
            return {name: path.read_bytes() for name, path in files_below(Path(folder)).items()}
    if not data.startswith(b"PK"):
        with tarfile.open(fileobj=io.BytesIO(data)) as tar:
            return {each.name: file.read() for each in tar if (file := tar.extractfile(each)) is not None}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


class RawContent:
    """Raw files and members of raw archives by the names that golden files use: `file` or `archive!member`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._archives: dict[str, dict[str, bytes]] = {}

    def __getitem__(self, name: str) -> bytes:
        if "!" not in name:
            return (self.folder / name).read_bytes()
        archive, member = name.split("!", 1)
        if archive not in self._archives:
            self._archives[archive] = unpacked(self.folder / archive)
        return self._archives[archive][member]


def unpacked(path: Path) -> dict[str, bytes]:
    if path.suffix == ".zip":
        return members(path.read_bytes())
    from mlebench.files.raw_files import RawFolder

    files = RawFolder(path.parent).archive(path.name)
    return {name: files.read_bytes(name) for name in files.names()}


def assert_same(name: str, data: bytes, expected: Any, raw: RawContent, rounded: str | None = None) -> None:
    if isinstance(expected, dict):
        found = members(data)
        assert sorted(found) == sorted(expected), f"members of {name}"
        for member, entry in expected.items():
            assert_same(f"{name}!{member}", found[member], entry, raw)
    elif expected.startswith("raw:"):
        assert data == raw[expected.removeprefix("raw:")], f"{name} differs from the raw file"
    else:
        compared = content(name, data) if expected.startswith("content:") else data
        same = md5(compared) == expected.removeprefix("content:")
        assert same or (rounded is not None and rounded_md5(compared) == rounded), name


@pytest.mark.parametrize("competition_id", COVERED)
def test_twin_equals_reference(competition_id: str, prepared_twin: Prepared) -> None:
    expected, rounded = golden(competition_id)["raw"], golden(competition_id).get("rounded", {})
    found = files_below(prepared_twin(competition_id).raw_dir)
    assert sorted(found) == sorted(expected)
    for name, fingerprint in expected.items():
        data = found[name].read_bytes()
        if isinstance(fingerprint, dict):
            inside = members(data)
            assert sorted(inside) == sorted(fingerprint), name
            checked = {member: md5(inside[member]) for member in inside if Path(member).suffix not in ENCODED}
            assert checked == {member: fingerprint[member] for member in checked}, name
        elif Path(name).suffix not in ENCODED:
            assert md5(data) == fingerprint or rounded_md5(data) == rounded.get(f"raw/{name}"), name


@pytest.mark.parametrize("competition_id", COVERED)
def test_preparation_equals_reference(competition_id: str, prepared_twin: Prepared) -> None:
    competition = prepared_twin(competition_id)
    expected, rounded = golden(competition_id)["prepared"], golden(competition_id).get("rounded", {})
    raw = RawContent(competition.raw_dir)
    found = files_below(competition.prepared_dir)
    assert sorted(found.keys() - {"private/dataset.record", "public/description.md"}) == sorted(
        name for name in expected if name != "public/description.md"
    )
    for name, entry in expected.items():
        if name != "public/description.md":
            assert_same(name, found[name].read_bytes(), entry, raw, rounded.get(name))


@pytest.mark.parametrize("competition_id", COVERED)
def test_grades_equal_reference(competition_id: str, prepared_twin: Prepared, tmp_path: Path) -> None:
    competition = prepared_twin(competition_id)
    expected = golden(competition_id)["grades"]
    paths = {path.stem: path for path in write_submissions(competition, tmp_path)}
    assert sorted(paths) == sorted(expected)
    for name, grade in expected.items():
        data = paths[name].read_bytes()
        same = md5(data) == grade["md5"] or rounded_md5(data) == grade.get("rounded_md5")
        assert same, f"the submission {name} differs from the reference"
        if "refused" in grade:
            with pytest.raises(InvalidSubmissionError) as refusal:
                score_file(paths[name], competition)
            assert len(str(refusal.value)) > 20, name
            assert "The submission cannot be scored" not in str(refusal.value), f"{name}: no rule refuses it"
            continue
        score = score_file(paths[name], competition)
        wanted = float(grade["raw_score"])
        is_noise = abs(score) < NOISE and abs(wanted) < NOISE
        assert is_noise or score == wanted or math.isclose(score, wanted, rel_tol=1e-9, abs_tol=1e-12), name
        assert round(score, 5) == round(float(grade["score"]), 5), name
