"""Codes of refusals: every refusal of ours has one, in the error, in the report and in JSON; old reports get theirs."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pytest
from command import run_command

import mlebench
from mlebench.base.codes import RefusalCode
from mlebench.competition.local import LocalCompetition
from mlebench.grade.grading import grade_csv
from mlebench.grade.older_reports import derived
from mlebench.grade.report import CompetitionReport

ROOT = Path(mlebench.__file__).parent


def raised(path: Path) -> Iterator[ast.Call]:
    """The calls in a module that make a refusal."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "InvalidSubmissionError":
            yield node


def test_every_refusal_of_ours_has_a_code() -> None:
    calls = [(path, call) for path in ROOT.rglob("*.py") for call in raised(path)]
    assert len(calls) > 60
    without = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path, call in calls
        # A rebuilt error has the code that it had; see mlebench.errors.
        if not any(keyword.arg in ("code", None) for keyword in call.keywords)
    ]
    assert not without


@pytest.fixture(scope="module")
def titanic(prepared_twin: Callable[[str], LocalCompetition]) -> LocalCompetition:
    """A prepared competition with an id and a truth value."""
    return prepared_twin("spaceship-titanic")


Change = Callable[[pd.DataFrame], pd.DataFrame]


def at(row: int, column: str, value: object) -> Change:
    """The change of one cell."""

    def change(table: pd.DataFrame) -> pd.DataFrame:
        table = table.astype(object)
        table.loc[row, column] = value
        return table

    return change


@pytest.mark.parametrize(
    ("change", "code", "line", "column", "value"),
    [
        (lambda table: table.drop(columns="Transported"), "missing_columns", None, None, None),
        (lambda table: table.iloc[1:], "wrong_row_count", None, None, None),
        (at(2, "PassengerId", "nobody"), "unknown_ids", 4, "PassengerId", "nobody"),
        (at(2, "Transported", "maybe"), "not_a_truth_value", 4, "Transported", "maybe"),
        (at(3, "Transported", None), "missing_values", 5, "Transported", None),
    ],
)
def test_a_report_says_which_rule_and_where(
    change: Change,
    code: str,
    line: int | None,
    column: str | None,
    value: str | None,
    titanic: LocalCompetition,
    tmp_path: Path,
) -> None:
    path = tmp_path / "submission.csv"
    change(pd.read_csv(titanic.sample_submission)).to_csv(path, index=False)
    report = grade_csv(path, titanic)
    assert (report.refusal_code, report.refusal_line) == (RefusalCode(code), line)
    assert (report.refusal_column, report.refusal_value) == (column, value)
    values = json.loads(json.dumps(report.to_dict()))
    assert values["refusal_code"] == code
    assert CompetitionReport.from_dict(values) == report


def test_validate_and_grade_sample_print_the_code(titanic: LocalCompetition, tmp_path: Path) -> None:
    path = tmp_path / "submission.csv"
    at(2, "Transported", "maybe")(pd.read_csv(titanic.sample_submission)).to_csv(path, index=False)
    place = {"refusal_code": "not_a_truth_value", "refusal_line": 4, "refusal_column": "Transported"}
    for command in ("validate", "grade-sample"):
        ran = run_command(command, path, titanic.id, "--json", "--data-dir", titanic.data_dir, cwd=tmp_path)
        values = json.loads(ran.out)
        assert place.items() <= values.items()
        assert values["refusal_value"] == "maybe"
    ran = run_command(
        "validate", titanic.sample_submission, titanic.id, "--json", "--data-dir", titanic.data_dir, cwd=tmp_path
    )
    assert json.loads(ran.out)["refusal_code"] is None


def test_a_rule_of_an_authors_own_has_the_generic_code() -> None:
    assert mlebench.errors.InvalidSubmissionError("Write more.").code is RefusalCode.BREAKS_RULE


@pytest.mark.parametrize(
    ("refusal", "code", "line"),
    [
        ("submission.csv is a zip archive, not a CSV file.", "not_csv", None),
        ("submission.csv is separated by semicolons; separate its columns by commas.", "wrong_separator", None),
        ("The submission lacks the column Transported; it has PassengerId, Target.", "missing_columns", None),
        ("s.csv:3: The column Id lacks '1' and has 'x', which the test set does not have.", "unknown_ids", 3),
        ("The column Transported has 1 empty cell; every row needs a prediction.", "missing_values", None),
        ("The submission has 3 rows, but 5 are expected, one per row to predict.", "wrong_row_count", None),
        ("The column p has 2, which is above 1.", "not_a_probability", None),
        ("The column digit has 'seven'; it must be one of 0, 1, 2.", "not_allowed", None),
        ("The probabilities of 3 of 9 rows do not sum to 1 (one row sums to 2).", "wrong_sum", None),
        ("Something else.", None, None),
    ],
)
def test_reports_of_older_versions_get_their_code_where_they_are_read(
    refusal: str, code: str | None, line: int | None, titanic: LocalCompetition
) -> None:
    assert derived(refusal) == (code, line)
    values = grade_csv(titanic.sample_submission, titanic).to_dict() | {"refusal": refusal}
    older = {name: value for name, value in values.items() if not name.startswith("refusal_")}
    report = CompetitionReport.from_dict(older)
    assert (report.refusal_code, report.refusal_line) == (code, line)


def test_a_code_of_a_later_version_is_read(titanic: LocalCompetition) -> None:
    values = grade_csv(titanic.sample_submission, titanic).to_dict()
    report = CompetitionReport.from_dict(values | {"refusal": "No.", "refusal_code": "not_yet_known"})
    assert report.refusal_code is RefusalCode.BREAKS_RULE
