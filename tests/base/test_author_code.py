"""Mistakes of an author are reported as such: with the file and the line, and never as a fault of a submission."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from own import Own

from mlebench.competition.loading import load_folder
from mlebench.data.prepare import prepare
from mlebench.errors import GraderError, InvalidSubmissionError, MlebenchError, PreparationError
from mlebench.grade.grading import grade_csv, score_file
from mlebench.twins import write_submissions, write_twin


@pytest.fixture
def own(tmp_path: Path) -> Own:
    return Own(tmp_path, "my-contest")


ALIGNED = 'aligned(submission, answers, on="id", target="target")'


def regraded(own: Own, old: str, new: str) -> tuple[str, int]:
    """What grading the sample says once the grader is changed, and the line that was changed."""
    own.prepared()
    line = own.change("competition.py", old, new)
    load_folder.cache_clear()
    competition = own.load()
    with pytest.raises(GraderError) as error:
        grade_csv(competition.sample_submission, competition)
    return str(error.value), line


def test_a_misspelt_column_in_aligned_is_the_graders(own: Own) -> None:
    message, line = regraded(own, ALIGNED, ALIGNED.replace('"target")', '"tarjet")'))
    assert "asks for the column tarjet, which the answers do not have; they have id, target" in message
    assert f"{own.folder / 'competition.py'}, line {line}" in message


def test_a_misspelt_column_that_is_required_is_the_graders(own: Own) -> None:
    message, line = regraded(
        own,
        "    truth, predicted = aligned",
        '    require_columns(submission, ["tarjet"])\n    truth, predicted = aligned',
    )
    assert "NameError: name 'require_columns' is not defined" in message, "it is not imported"
    own.change("competition.py", "probabilities, random_split", "probabilities, random_split, require_columns")
    load_folder.cache_clear()
    with pytest.raises(
        GraderError, match="The grader asks for tarjet, but the columns of the sample submission are id"
    ):
        score_file(own.load().sample_submission, own.load())
    assert f"competition.py, line {line}" in message


def test_an_error_of_the_grader_names_the_line(own: Own) -> None:
    message, line = regraded(own, "return roc_auc(truth,", 'return roc_auc(answers["tarjet"],')
    assert "fails on the sample submission too: KeyError: 'tarjet'" in message
    assert f"{own.folder / 'competition.py'}, line {line}" in message


def test_a_grader_that_ends_the_program_ends_nothing(own: Own) -> None:
    message, line = regraded(own, "return roc_auc(truth,", "exit(0) or roc_auc(truth,")
    assert "fails on the sample submission too: SystemExit: 0" in message
    assert f"{own.folder / 'competition.py'}, line {line}" in message


def test_a_submission_that_lacks_a_column_is_still_to_blame(own: Own, tmp_path: Path) -> None:
    competition = own.prepared()
    (tmp_path / "s.csv").write_text("id,label\n1,0.5\n")
    with pytest.raises(InvalidSubmissionError, match="The submission lacks the column target; it has id, label"):
        score_file(tmp_path / "s.csv", competition)


def test_a_grader_that_fails_on_one_submission_names_the_line_without_the_answers(own: Own, tmp_path: Path) -> None:
    line = own.change(
        "competition.py", f"truth, predicted = {ALIGNED}", 'truth, predicted = answers.target, submission["target"]'
    )
    competition = own.prepared()
    (tmp_path / "s.csv").write_text("id,label\n1,0.5\n")
    with pytest.raises(InvalidSubmissionError) as error:
        score_file(tmp_path / "s.csv", competition)
    assert f"grading it fails (KeyError in competition.py, line {line})" in str(error.value)
    assert str(own.folder) not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('raw.read_csv("train.csv")', 'raw.read_csv("trian.csv")', "trian.csv"),
        ('test[["id", "target"]]', 'test[["id", "tarjet"]]', "failed with KeyError"),
        ('raw.read_csv("train.csv")', 'open("there/is/no.csv")', "failed with FileNotFoundError"),
        ('raw.read_csv("train.csv")', "exit(0)", "failed with SystemExit: 0"),
    ],
)
def test_an_error_of_the_preparation_names_the_line(own: Own, old: str, new: str, sentence: str) -> None:
    line = own.change("competition.py", old, new)
    with pytest.raises(PreparationError) as error:
        own.prepared()
    assert sentence in str(error.value)
    assert f"{own.folder / 'competition.py'}, line {line}" in str(error.value)


@pytest.mark.parametrize(("broken", "line"), [("1 = 2\n", 1), ("\n\nundefined_name\n", 3), ("raise SystemExit\n", 1)])
def test_a_module_that_cannot_be_imported_names_the_line(own: Own, broken: str, line: int) -> None:
    (own.folder / "competition.py").write_text(broken)
    with pytest.raises(MlebenchError, match=f"competition.py fails on import in line {line}: "):
        own.load()


def test_an_error_of_the_twin_names_the_line(own: Own, tmp_path: Path) -> None:
    competition = own.prepared()
    line = own.change("twin.py", "rng.normal(size=n) > 0", "rng.normal(size=n) > zero")
    with pytest.raises(MlebenchError, match=f"NameError: name 'zero' is not defined .*twin.py, line {line}"):
        write_twin(competition, tmp_path / "twins")
    line = own.change("twin.py", '"private/test.csv"', '"private/tset.csv"')
    with pytest.raises(MlebenchError, match=f"tset.csv.*twin.py, line {line}"):
        write_submissions(competition, tmp_path / "examples")


def test_raw_data_that_cannot_be_written_names_the_line(own: Own) -> None:
    path = own.folder / "competition.py"
    lines = path.read_text().count("\n")
    path.write_text(path.read_text() + "\n\n@competition.raw_data\ndef write_raw(raw):\n    raw.nonsense()\n")
    with pytest.raises(PreparationError, match=f"Writing the raw data of my-contest failed .*line {lines + 5}"):
        prepare(own.load())


@pytest.mark.parametrize("text", [None, "", "  \n"])
def test_a_competition_without_a_description_is_refused(own: Own, text: str | None) -> None:
    path = own.folder / "description.md"
    path.unlink()
    if text is not None:
        path.write_text(text)
    competition = own.load()
    write_twin(competition, competition.home)
    with pytest.raises(PreparationError, match=r"my-contest has no description.*description\.md"):
        prepare(competition)
    assert not competition.prepared_dir.exists()


@pytest.mark.parametrize("how", ["option", "variable"])
def test_debug_shows_the_traceback(own: Own, tmp_path: Path, how: str) -> None:
    own.change("competition.py", 'raw.read_csv("train.csv")', 'raw.read_csv("train.csv").no_such_verb()')
    competition = own.load()
    write_twin(competition, tmp_path / "twins")
    command = ["prepare", "-c", own.id, "--source", "twins", "--competitions-dir", "mine"]
    environment = {**os.environ, "MLEBENCH_DATA_DIR": str(tmp_path / "data")}
    if how == "option":
        command.insert(0, "--debug")
    else:
        environment["MLEBENCH_DEBUG"] = "1"
    done = subprocess.run(
        [sys.executable, "-m", "mlebench", *command],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=environment,
        check=False,
    )
    assert done.returncode == 1
    assert "Traceback (most recent call last)" in done.stderr
    assert "no_such_verb" in done.stderr
    assert "error: " in done.stderr.splitlines()[-1], "the sentence comes last"
