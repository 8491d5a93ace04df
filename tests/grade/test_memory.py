"""The memory that a submission can make us take is bounded in proportion to what there is to predict."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mlebench.base.codes import RefusalCode
from mlebench.competition.local import LocalCompetition
from mlebench.grade.grading import grade_csv
from mlebench.grade.reading import largest_submission
from mlebench.services.check_submission import memory_for

MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def wine(prepared_practice: Callable[[str], LocalCompetition]) -> LocalCompetition:
    """A competition with 54 answers."""
    return prepared_practice("practice-wine")


def test_a_large_file_for_few_answers_is_refused_unread(wine: LocalCompetition, tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    with path.open("wb") as file:
        file.truncate(17 * MEGABYTE)
    report = grade_csv(path, wine)
    assert report.refusal_code is RefusalCode.TOO_LARGE
    assert "has 17 MB, but at most 16 MB are read for this competition" in (report.refusal or "")


def test_the_bound_grows_with_answers_sample_and_rows(tmp_path: Path) -> None:
    answers, sample = tmp_path / "answers.csv", tmp_path / "sample.csv"
    answers.write_bytes(b"")
    sample.write_bytes(b"id,p\n" + b"1,0\n" * 1000)
    assert largest_submission(answers, sample) == 1001 * (64 << 10)
    sample.write_bytes(b"id,p\n" + b"1,0\n" * 100_000)
    assert largest_submission(answers, sample) == 256 * MEGABYTE, "no more than it was, by rows alone"
    with answers.open("wb") as file:
        file.truncate(100 * MEGABYTE)
    assert largest_submission(answers, sample) == 1000 * MEGABYTE


@pytest.mark.parametrize("text", ["a," * 30_000 + "\n1\n", "id,p\n" + "1," * 30_000 + "\n", "x" * (2 * MEGABYTE)])
def test_lines_of_very_many_cells_are_refused_unread(text: str, wine: LocalCompetition, tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    path.write_text(text)
    assert grade_csv(path, wine).refusal_code is RefusalCode.TOO_LARGE


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux limits the memory of a process so")
def test_the_process_of_a_check_has_a_limit(wine: LocalCompetition) -> None:
    assert 2 << 30 <= memory_for(wine) < 3 << 30
    take = "bytearray(1 << 30)"
    limited = f"from mlebench.services.check_submission import limit_memory; limit_memory(512 << 20); {take}"
    for code, ends_well in ((take, True), (limited, False)):
        ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert (ran.returncode == 0) == ends_well
        assert ends_well or "MemoryError" in ran.stderr
