"""Ways of using `mlebench.grade` and `mlebench.grade_helpers`."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlebench.competition.local import LocalCompetition
from mlebench.data import get_leaderboard
from mlebench.errors import NotPreparedError
from mlebench.grade import aggregate_reports, grade_csv, grade_jsonl, validate_submission
from mlebench.grade_helpers import CompetitionReport, Grader, InvalidSubmissionError
from mlebench.registry import registry
from mlebench.results.reports import read_reports


@pytest.fixture
def lines(titanic: LocalCompetition, tmp_path: Path) -> Path:
    """A list of two submissions, one of them missing."""
    path = tmp_path / "list.jsonl"
    paths = [str(titanic.sample_submission), None]
    path.write_text("".join(json.dumps({"competition_id": titanic.id, "submission_path": p}) + "\n" for p in paths))
    return path


def test_an_agent_validates_its_submission(titanic: LocalCompetition, tmp_path: Path) -> None:
    assert validate_submission(titanic.sample_submission, titanic) == (True, "Submission is valid.")
    (tmp_path / "bad.csv").write_text("PassengerId\n1\n")
    valid, message = validate_submission(tmp_path / "bad.csv", titanic)
    assert not valid
    assert "Transported" in message


def test_a_harness_grades_a_submission_that_is_not_there(titanic: LocalCompetition, tmp_path: Path) -> None:
    report = grade_csv(tmp_path / "none.csv", titanic)
    assert (report.submission_exists, report.valid_submission, report.score) == (False, False, None)
    assert report.gold_threshold == 0.82066, "thresholds are there all the same"


def test_a_harness_grades_a_file_with_another_suffix(titanic: LocalCompetition, tmp_path: Path) -> None:
    path = tmp_path / "submission.txt"
    path.write_bytes(titanic.sample_submission.read_bytes())
    report = grade_csv(path, titanic)
    assert (report.submission_exists, report.valid_submission) == (False, False)
    assert "does not end in .csv" in str(report.refusal)
    upper = tmp_path / "SUBMISSION.CSV"
    upper.write_bytes(titanic.sample_submission.read_bytes())
    assert grade_csv(upper, titanic).submission_exists


def test_a_harness_grades_data_that_is_not_prepared(tmp_path: Path) -> None:
    competition = registry.set_data_dir(tmp_path).get_competition("spaceship-titanic")
    for function in (grade_csv, validate_submission):
        with pytest.raises(ValueError, match="is not prepared") as caught:
            function(tmp_path / "s.csv", competition)
        assert isinstance(caught.value, NotPreparedError)


def test_a_report_card_counts_reports(titanic: LocalCompetition, tmp_path: Path) -> None:
    valid, missing = grade_csv(titanic.sample_submission, titanic), grade_csv(tmp_path / "none.csv", titanic)
    gold = replace(valid, gold_medal=True, any_medal=True, above_median=True)
    counted = aggregate_reports([valid, missing, gold])
    assert {key: value for key, value in counted.items() if key != "competition_reports"} == {
        "total_runs": 3,
        "total_runs_with_submissions": 2,
        "total_valid_submissions": 2,
        "total_medals": 1,
        "total_gold_medals": 1,
        "total_silver_medals": 0,
        "total_bronze_medals": 0,
        "total_above_median": 1,
    }
    assert counted["competition_reports"][0] == valid.to_dict()


def test_a_report_that_another_program_fills_with_numpy_values(titanic: LocalCompetition) -> None:
    made = replace(
        grade_csv(titanic.sample_submission, titanic),
        score=np.float64(0.5),
        any_medal=np.bool_(True),  # type: ignore[arg-type]
        gold_threshold=np.float32(0.25),  # type: ignore[arg-type]
    )
    values = made.to_dict()
    assert json.loads(json.dumps(values))["gold_threshold"] == 0.25
    assert values["any_medal"] is True


def test_a_report_is_flat(titanic: LocalCompetition) -> None:
    values = grade_csv(titanic.sample_submission, titanic).to_dict()
    assert not [name for name, value in values.items() if isinstance(value, dict | list)]
    assert CompetitionReport.from_dict(values).to_dict() == values


def test_a_list_names_no_submission_for_a_run(lines: Path, titanic: LocalCompetition, tmp_path: Path) -> None:
    summary = grade_jsonl(lines, tmp_path, registry.set_data_dir(titanic.data_dir))
    assert (summary["total_runs"], summary["total_runs_with_submissions"]) == (2, 1)
    missing = summary["competition_reports"][1]
    assert missing["refusal"] == "There is no submission."
    assert missing["submission_path"] == ""


def test_a_script_without_a_main_guard_grades_a_list(lines: Path, titanic: LocalCompetition, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import sys\n"
        "from pathlib import Path\n"
        "from mlebench.grade import grade_jsonl\n"
        "from mlebench.registry import registry\n"
        "grade_jsonl(Path(sys.argv[1]), Path(sys.argv[2]), registry.set_data_dir(Path(sys.argv[3])))\n"
    )
    command = [sys.executable, "script.py", lines, "out", titanic.data_dir]
    subprocess.run(list(map(str, command)), cwd=tmp_path, check=True, timeout=120)
    (report,) = (tmp_path / "out").glob("*_grading_report.json")
    assert json.loads(report.read_text())["total_runs"] == 2


def grade_in_worker(arguments: tuple[Path, Path, Path]) -> Any:
    lines, output, data_dir = arguments
    assert multiprocessing.current_process().daemon
    return grade_jsonl(lines, output, registry.set_data_dir(data_dir))["total_runs"]


def test_a_worker_of_a_pool_grades_a_list(lines: Path, titanic: LocalCompetition, tmp_path: Path) -> None:
    """Workers of a pool are daemonic and may not have children."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(grade_in_worker, [(lines, tmp_path / "out", titanic.data_dir)]) == [2]


def test_a_fork_writes_a_grader_of_its_own() -> None:
    def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
        if "id" not in submission:
            raise InvalidSubmissionError("Submission must have an id column")
        return float((submission["id"] == answers["id"]).mean())

    grader = Grader(name="my-metric", grade_fn=grade)
    answers = pd.DataFrame({"id": [1, 2, 3]})
    assert grader(answers, answers) == 1.0
    assert grader(pd.DataFrame({"x": [1]}), answers) is None
    assert grader.grade_fn(answers, answers) == 1.0
    with pytest.raises(InvalidSubmissionError, match="must have an id column"):
        grader.grade_fn(pd.DataFrame({"x": [1]}), answers)


def test_a_fork_names_the_function_of_a_grader(titanic: LocalCompetition) -> None:
    name = "mlebench.competitions.spaceship-titanic.grade:grade"
    grader = Grader(name="accuracy", grade_fn=name)  # type: ignore[arg-type]
    answers = pd.read_csv(titanic.answers)
    assert grader(answers, answers) == 1.0
    assert grader == titanic.grader


def test_a_harness_grades_a_table_that_it_read_as_text(titanic: LocalCompetition) -> None:
    answers = pd.read_csv(titanic.answers)
    assert titanic.grader(pd.read_csv(titanic.answers, dtype=str), answers) == 1.0
    stray = pd.read_csv(titanic.answers, dtype=str)
    stray.loc[0, "Transported"] = "perhaps"
    assert titanic.grader(stray, answers) is None


def test_a_harness_asks_how_old_a_report_is(titanic: LocalCompetition) -> None:
    """A time without a zone, on the clock of this machine: others subtract it from datetime.now()."""
    report = grade_csv(titanic.sample_submission, titanic)
    assert timedelta(0) <= datetime.now() - report.created_at < timedelta(minutes=5)
    written = datetime.strptime(report.to_dict()["created_at"], "%Y-%m-%dT%H:%M:%S.%f")
    assert written == report.created_at


def test_a_report_with_truth_values_as_texts(titanic: LocalCompetition, tmp_path: Path) -> None:
    report = grade_csv(titanic.sample_submission, titanic)
    texts = {name: str(value) if isinstance(value, bool) else value for name, value in report.to_dict().items()}
    assert texts["gold_medal"] == "False"
    assert CompetitionReport.from_dict(texts) == report
    path = tmp_path / "a_grading_report.json"
    path.write_text(json.dumps({"competition_reports": [texts]}))
    (saved,) = read_reports(path)
    assert (saved.report.gold_medal, saved.report.valid_submission) == (False, True)


@pytest.mark.parametrize("score", [0.82066, 0.5, None])
def test_a_harness_ranks_a_score(score: float | None, titanic: LocalCompetition) -> None:
    leaderboard = get_leaderboard(titanic)
    ranked = titanic.grader.rank_score(score, leaderboard)
    assert ranked["gold_medal"] is (score == 0.82066)
    assert set(ranked) == {
        f"{name}_{what}"
        for name, what in [
            *((colour, "medal") for colour in ("gold", "silver", "bronze")),
            *((colour, "threshold") for colour in ("gold", "silver", "bronze", "median")),
        ]
    } | {"above_median"}


def test_a_harness_grades_with_a_leaderboard_of_its_own(
    prepared_twin: Callable[[str], LocalCompetition], tmp_path: Path
) -> None:
    board = tmp_path / "leaderboard.csv"
    board.write_text("score\n" + "".join(f"{0.9 - i / 1000}\n" for i in range(200)))
    other = replace(prepared_twin("spaceship-titanic"), leaderboard=board)
    assert grade_csv(other.sample_submission, other).gold_threshold == pytest.approx(0.891)
