"""`mlebench grade`, `grade-sample` and `validate`, with everything that can be wrong with a submission."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from command import Ran, Run
from graded import write_group

from mlebench.competition.local import LocalCompetition
from mlebench.results.records import RunRecord

FIELDS = [
    "competition_id",
    "score",
    "gold_threshold",
    "silver_threshold",
    "bronze_threshold",
    "median_threshold",
    "any_medal",
    "gold_medal",
    "silver_medal",
    "bronze_medal",
    "above_median",
    "submission_exists",
    "valid_submission",
    "is_lower_better",
    "created_at",
    "submission_path",
]


@pytest.fixture
def grade_sample(run: Run, titanic: LocalCompetition) -> Callable[[Path], Ran]:
    """Grade one file for the prepared competition."""
    return lambda path: run("grade-sample", path, titanic.id, "--data-dir", titanic.data_dir)


def test_grade_sample(grade_sample: Callable[[Path], Ran], titanic: LocalCompetition) -> None:
    ran = grade_sample(titanic.sample_submission)
    report = json.loads(ran.out)
    assert ran.code == 0
    assert list(report)[:16] == FIELDS
    assert report["score"] == 0.375
    assert report["edition"] == "v1"
    assert report["versions"].startswith("mlebench ")


def test_twin_data_gets_no_medals(grade_sample: Callable[[Path], Ran], titanic: LocalCompetition) -> None:
    report = json.loads(grade_sample(titanic.answers).out)
    assert report["score"] == 1.0
    assert report["data"] == "twin (seed 0, scale 1)"
    assert not any(report[name] for name in ("any_medal", "gold_medal", "above_median"))
    assert report["human_percentile"] is None


HEADER = "PassengerId,Transported\n"
BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty"),
    "blank": (b"\n\n", "blank lines"),
    "binary": (b"\x00\x01\x02" * 100, "binary file"),
    "zip": (b"PK\x03\x04rest", "zip archive"),
    "utf16": (HEADER.encode("utf-16"), "UTF-16"),
    "latin1": (HEADER.encode() + "Zoë,True\n".encode("latin-1"), "not UTF-8"),
    "semicolons": (HEADER.replace(",", ";").encode() + b"0013_01;True\n", "separated by semicolons"),
    "twice": (b"PassengerId,Transported,Transported\n0013_01,True,False\n", "'Transported' twice"),
    "ragged": (HEADER.encode() + b"a,True\nb,True,3,4\n", "cannot be read as CSV"),
    "prose": (b"I am sorry, but I could not train a model.\n", "lacks the columns PassengerId, Transported"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("command", ["grade-sample", "validate"])
def test_bad_files_get_one_sentence(
    run: Run, titanic: LocalCompetition, tmp_path: Path, command: str, name: str
) -> None:
    content, expected = BAD[name]
    path = tmp_path / f"{name}.csv"
    path.write_bytes(content)
    ran = run(command, path, titanic.id, "--data-dir", titanic.data_dir)
    assert ran.code == (1 if command == "validate" else 0), "the exit code of `validate` tells"
    assert ran.err.startswith("error: " if command == "validate" else "Invalid submission: ")
    assert expected in ran.err
    sentence, _, _ = ran.err.partition("Competition report:\n")  # below it is the report, as published
    assert sentence.count("\n") == 1


def test_missing_file(grade_sample: Callable[[Path], Ran], tmp_path: Path) -> None:
    ran = grade_sample(tmp_path / "nothing.csv")
    assert ran.code == 0
    assert "There is no submission at" in ran.err
    assert json.loads(ran.out)["submission_exists"] is False


def test_folder_instead_of_a_file(grade_sample: Callable[[Path], Ran], tmp_path: Path) -> None:
    assert "is a folder" in grade_sample(tmp_path).err


def test_byte_order_mark_is_passed_over(
    grade_sample: Callable[[Path], Ran], titanic: LocalCompetition, tmp_path: Path
) -> None:
    path = tmp_path / "bom.csv"
    path.write_bytes(b"\xef\xbb\xbf" + titanic.sample_submission.read_bytes())
    assert json.loads(grade_sample(path).out)["score"] == 0.375


def test_huge_file_is_refused_unread(grade_sample: Callable[[Path], Ran], tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(HEADER.encode())
        file.truncate(2 << 30)  # sparse: 2 GB that take no space
    ran = grade_sample(path)
    assert "2,048 MB" in ran.err


def test_validate_says_nothing_about_the_score(run: Run, titanic: LocalCompetition) -> None:
    ran = run("validate", titanic.sample_submission, titanic.id, "--data-dir", titanic.data_dir)
    assert (ran.code, ran.out) == (0, "Submission is valid.\n")


def test_answers_missing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text(HEADER)
    ran = run("grade-sample", "s.csv", "spaceship-titanic")
    assert ran.code == 1
    assert "is not prepared" in ran.err
    assert "mlebench prepare -c spaceship-titanic" in ran.err


def test_interrupted_preparation(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data" / "spaceship-titanic" / "prepared" / "public").mkdir(parents=True)
    (tmp_path / "s.csv").write_text(HEADER)
    ran = run("grade-sample", "s.csv", "spaceship-titanic")
    assert ran.code == 1
    assert "was interrupted" in ran.err


def test_an_unfinished_competition_of_ones_own(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "unfinished"
    folder.mkdir(parents=True)
    (folder / "competition.py").write_text(
        "from mlebench.kit import Competition\n"
        "competition = Competition('unfinished', 'Unfinished', category='Tabular', metric='accuracy')\n"
    )
    for command in (["prepare", "-c", "unfinished"], ["grade-sample", "s.csv", "unfinished"]):
        ran = run(*command, "--competitions-dir", tmp_path / "mine")
        assert ran.code == 1
        assert "competition.py has no function for `" in ran.err or "is not prepared" in ran.err


def submission_list(path: Path, titanic: LocalCompetition, count: int) -> list[str]:
    record = {"competition_id": titanic.id, "submission_path": str(titanic.sample_submission)}
    return [json.dumps(record)] * count


def grade(run: Run, titanic: LocalCompetition, path: Path, *more: object) -> tuple[Ran, dict[str, Any]]:
    output = path.parent / "reports"
    options = ("--submission", path, "--output-dir", output, "--data-dir", titanic.data_dir)
    ran = run("grade", *options, *more)
    reports = list(output.glob("*_grading_report.json"))
    return ran, json.loads(reports[0].read_text()) if reports else {}


def test_grade_200_submissions_with_5_bad_ones(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    lines = submission_list(tmp_path, titanic, 195)
    for number, name in enumerate(["empty", "binary", "latin1", "semicolons"]):
        (tmp_path / f"{name}.csv").write_bytes(BAD[name][0])
        bad = {"competition_id": titanic.id, "submission_path": f"{name}.csv"}
        lines.insert(40 * number, json.dumps(bad))
    lines.append(json.dumps({"competition_id": titanic.id, "submission_path": "nowhere.csv"}))
    path = tmp_path / "submissions.jsonl"
    path.write_text("# a comment\n// another\n" + "\n".join(lines) + "\n")
    ran, report = grade(run, titanic, path, "--workers", 2)
    assert ran.code == 0, ran.err
    assert report["total_runs"] == 200
    assert report["total_runs_with_submissions"] == 199
    assert report["total_valid_submissions"] == 195
    assert report["total_medals"] == 0
    assert len(report["competition_reports"]) == 200
    refused = [each["refusal"] for each in report["competition_reports"] if each["refusal"]]
    assert len(refused) == 5
    assert re.search(r"200 submissions in .*: 195 valid", ran.out)


def test_malformed_lines_are_named_and_the_rest_graded(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    good = submission_list(tmp_path, titanic, 2)
    unknown = json.dumps({"competition_id": "spaceship", "submission_path": "x.csv"})
    path = tmp_path / "list.jsonl"
    path.write_text("\n".join([good[0], "{broken", '{"competition_id": "a"}', unknown, good[1]]))
    ran, report = grade(run, titanic, path)
    assert ran.code == 1
    assert report["total_valid_submissions"] == 2
    assert [error["line"] for error in report["errors"]] == [2, 3, 4]
    assert "list.jsonl:2: not valid JSON" in ran.err
    assert "Did you mean spaceship-titanic" in ran.err


@pytest.mark.skipif(os.name == "nt", reason="permissions")
def test_output_folder_that_cannot_be_written_to(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"
    path.write_text("\n".join(submission_list(tmp_path, titanic, 1)))
    (tmp_path / "file").write_text("in the way")
    ran = run("grade", "--submission", path, "--output-dir", tmp_path / "file", "--data-dir", titanic.data_dir)
    assert ran.code == 1
    assert "cannot be written to" in ran.err


def test_grade_of_a_missing_list(run: Run, tmp_path: Path) -> None:
    ran = run("grade", "--submission", "none.jsonl", "--output-dir", tmp_path)
    assert ran.code == 1
    assert "There is no file none.jsonl" in ran.err


def test_json_output(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    path = tmp_path / "list.jsonl"
    path.write_text("\n".join(submission_list(tmp_path, titanic, 1)))
    ran, report = grade(run, titanic, path, "--json")
    assert json.loads(ran.out)["total_runs"] == report["total_runs"] == 1


def test_a_group_that_hands_in_the_sample_is_told(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    def sample(folder: Path, record: RunRecord) -> dict[str, Any]:
        path = folder / "submission" / "submission.csv"
        path.write_bytes(titanic.sample_submission.read_bytes())
        return {"sample_handed_in": record.seed == 0}

    settings: dict[str, Any] = {"data_dir": str(titanic.data_dir), "limits": {}, "competition_limits": {}, "agent": "a"}
    settings |= {"network": {"full": False, "allowed": []}}
    group = write_group(tmp_path / "group", [titanic.id], (0, 1), left=sample, graded=False, settings=settings)
    ran = run("grade", "--run-group", group, "--data-dir", titanic.data_dir)
    assert ran.code == 0, ran.err
    assert "note: 1 of 2 runs handed in the sample submission as it is." in ran.err
