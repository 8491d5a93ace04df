"""Answers that were damaged after their preparation: the data is to blame, never the submission."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command import Run, run_command

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.data.record import DatasetRecord
from mlebench.data.verification import verify
from mlebench.errors import DamagedDataError, MlebenchError
from mlebench.grade.grading import grade_csv, score_file, validate_submission

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "binary": lambda content: b"\x00\xff" * len(content),
    "cut in the middle of a row": lambda content: content[: len(content) // 2],
    "without its last row": lambda content: content[: content.rstrip().rfind(b"\n") + 1],
    "without a column": lambda content: b"\n".join(line.split(b",")[0] for line in content.splitlines()),
    "one bit": lambda content: content.replace(b"True", b"Tsue", 1),
}


@pytest.fixture
def titanic(prepared_twin: Callable[[str], LocalCompetition], tmp_path: Path) -> LocalCompetition:
    """A copy that may be damaged."""
    source = prepared_twin("spaceship-titanic")
    shutil.copytree(source.home, tmp_path / "data" / source.id)
    return Registry(tmp_path / "data").get_competition(source.id)


@pytest.mark.parametrize("name", DAMAGES)
def test_the_data_is_to_blame(name: str, titanic: LocalCompetition) -> None:
    sample = titanic.sample_submission
    expected = score_file(sample, titanic)
    titanic.answers.write_bytes(DAMAGES[name](titanic.answers.read_bytes()))
    for action in (grade_csv, score_file, validate_submission):
        with pytest.raises(DamagedDataError, match=r"The private data of spaceship-titanic is damaged: .* --force"):
            action(sample, titanic)
    assert not verify(titanic, score_file).passed
    prepare(titanic)  # it does not say that all is ready, but makes it so
    assert score_file(sample, titanic) == expected


@pytest.mark.parametrize("content", [b"\x00\xff\xfe", b"a,b\n1,2\n3,4,5\n", b'a,b\n"1,2\n'])
def test_data_without_a_record(content: bytes, titanic: LocalCompetition) -> None:
    (titanic.private_dir / "dataset.record").unlink()
    titanic.answers.write_bytes(content)
    with pytest.raises(DamagedDataError):
        score_file(titanic.sample_submission, titanic)


def test_data_of_an_older_version_has_no_sum(titanic: LocalCompetition) -> None:
    path = titanic.private_dir / "dataset.record"
    path.write_text(path.read_text().replace('"answers_sha256"', '"versions": {}, "answers_sha256"'))
    record = DatasetRecord.load(titanic.prepared_dir)
    assert record is not None and record.answers_sha256 is not None
    DatasetRecord(titanic.id, "mirror").save(titanic.prepared_dir)
    assert score_file(titanic.sample_submission, titanic) == 0.375


def test_data_of_another_edition_is_not_graded(titanic: LocalCompetition) -> None:
    record = DatasetRecord.load(titanic.prepared_dir)
    assert record is not None
    replace(record, edition="v2").save(titanic.prepared_dir)
    with pytest.raises(MlebenchError, match="has data of edition v2, not of v1"):
        grade_csv(titanic.sample_submission, titanic)


BROKEN = ["", "{", "[]", "null", '{"twin": 3}', '{"source": 1}', "[" * 100_000, '{"bytes": ' + "9" * 5000 + "}", "\x00"]
ALMOST = '{"competition_id": "spaceship-titanic", "source": "mirror", "edition": "v1", "created_at": "soon"}'


@pytest.mark.parametrize("content", [*BROKEN, ALMOST], ids=lambda content: content[:12] or "nothing")
def test_one_broken_record_stops_nobody_else(content: str, titanic: LocalCompetition) -> None:
    from mlebench.data.on_disk import status_of

    (titanic.private_dir / "dataset.record").write_text(content)
    assert "dataset.record is damaged" in str(status_of(titanic).problem)
    assert [each.path for each in verify(titanic, score_file).differences] == ["private/dataset.record"]
    with pytest.raises(DamagedDataError):
        grade_csv(titanic.sample_submission, titanic)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_a_record_that_is_no_file(titanic: LocalCompetition) -> None:
    """Not taken for data without a record, on which medals would count, and nobody waits for a pipe."""
    path = titanic.private_dir / "dataset.record"
    path.unlink()
    path.symlink_to("nowhere")
    with pytest.raises(DamagedDataError):
        DatasetRecord.load(titanic.prepared_dir)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(DamagedDataError):
        DatasetRecord.load(titanic.prepared_dir)


def test_commands_with_a_broken_record(titanic: LocalCompetition, tmp_path: Path) -> None:
    run: Run = lambda *arguments: run_command(*arguments, cwd=tmp_path)  # noqa: E731
    assert run("prepare", "-c", "practice-wine").code == 0
    (titanic.private_dir / "dataset.record").write_text("{")
    status = run("status")
    assert status.code == 1
    assert "2 competitions prepared" in status.out
    assert status.err.startswith("error: spaceship-titanic: ")
    checked = run("verify")
    assert checked.code == 1
    assert "practice-wine      ok" in checked.out
    assert "error: spaceship-titanic: private/dataset.record has damaged content" in checked.err
    grade = run("grade-sample", titanic.sample_submission, titanic.id)
    assert grade.code == 1
    assert grade.out == ""
