"""What a small mistake in the code would break without anything else noticing."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from command import run_command
from small import SMALL

from mlebench.cli import quickstart
from mlebench.competition.leaderboard import Leaderboard, Thresholds
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.files import csv_reader
from mlebench.grade.batch import grade_jsonl
from mlebench.grade.grading import grade_csv
from mlebench.runs import practice

Prepared = Callable[[str], LocalCompetition]


def fresh(competition: LocalCompetition) -> LocalCompetition:
    """The same competition, with the grader that its declaration has now."""
    return Registry(competition.data_dir).get_competition(competition.id)


def test_medals_are_decided_on_the_rounded_score(prepared_practice: Prepared, monkeypatch: pytest.MonkeyPatch) -> None:
    """As published: 0.8999951 is reported as 0.9 and reaches a threshold of 0.9."""
    wine = prepared_practice("practice-wine")
    board = Leaderboard("higher", Thresholds(gold=0.9, silver=0.8, bronze=0.7, median=0.6))
    monkeypatch.setattr(type(wine), "human_leaderboard", lambda _: board)
    monkeypatch.setitem(wine.declaration._functions, ("grade", "v1"), lambda *_: 0.8999951)
    report = grade_csv(wine.sample_submission, fresh(wine))
    assert (report.score, report.raw_score, report.gold_medal) == (0.9, 0.8999951, True)
    monkeypatch.setitem(wine.declaration._functions, ("grade", "v1"), lambda *_: 0.8999949)
    report = grade_csv(wine.sample_submission, fresh(wine))
    assert (report.score, report.gold_medal, report.silver_medal) == (0.89999, False, True)


def test_kept_raw_data_shares_no_file_with_public_data(mirror: Path, tmp_path: Path) -> None:
    """An agent that could write to its data must not be able to change the raw data through a hard link."""
    competition = Registry(tmp_path).get_competition("leaf-classification")
    prepare(competition, PrepareOptions(mirror=str(mirror), keep_raw=True))
    assert competition.raw_dir.is_dir()
    linked = [path for path in competition.prepared_dir.rglob("*") if path.is_file() and path.stat().st_nlink > 1]
    assert not linked


def test_quickstart_fails_when_its_agent_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "TIME_LIMIT", 0.2)  # seconds, too few for any model
    options = ["--sandbox", "process", "--output-dir", str(tmp_path / "out")]
    found = CliRunner().invoke(quickstart.command, options, standalone_mode=False)
    assert found.return_value == 1
    assert "0 medals in 4 competitions" in found.output


def test_a_seed_that_numpy_does_not_take_is_refused_before_anything_runs(tmp_path: Path) -> None:
    ran = run_command("quickstart", "--seed", 2**40, "--sandbox", "process", cwd=tmp_path)
    assert (ran.code, ran.err) == (1, "error: Seeds are whole numbers from 0 to 4294967295.\n")


def lists(path: Path, submissions: list[tuple[str, Path]]) -> Path:
    lines = ({"competition_id": each, "submission_path": str(submission)} for each, submission in submissions)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize("workers", [None, 2])
def test_a_grading_report_has_the_order_of_its_lines_and_overwrites_none(
    prepared_practice: Prepared, data_dir: Path, tmp_path: Path, workers: int | None
) -> None:
    ids = ["practice-wine", "practice-diabetes", "practice-wine", "practice-breast-cancer", "practice-diabetes"]
    competitions = {each: prepared_practice(each) for each in set(ids)}
    listed = lists(tmp_path / "list.jsonl", [(each, competitions[each].sample_submission) for each in ids])
    registry = Registry(data_dir)
    reports = [grade_jsonl(listed, tmp_path / "out", registry, workers=workers) for _ in range(3)]
    assert len({report["report_path"] for report in reports}) == 3
    for report in reports:
        saved = json.loads(Path(report["report_path"]).read_text())
        assert [each["competition_id"] for each in saved["competition_reports"]] == ids


def test_a_grader_that_changes_its_answers_spoils_nothing(
    prepared_practice: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    wine = prepared_practice("practice-wine")

    def greedy(_: Any, answers: pd.DataFrame) -> float:
        rows = len(answers)
        answers.drop(answers.index, inplace=True)
        return float(rows)

    monkeypatch.setitem(wine.declaration._functions, ("grade", "v1"), greedy)
    first, second = (grade_csv(wine.sample_submission, fresh(wine)).score for _ in range(2))
    assert first == second
    assert first


def test_the_words_for_missing_values_are_those_of_pandas() -> None:
    """The lean reader has a list of its own, because pandas offers its list nowhere in public."""
    table = pd.read_csv(io.StringIO("a,b\n" + "".join(f'"{word}",x\n' for word in csv_reader.MISSING)))
    assert table["a"].isna().all()
    from pandas._libs.parsers import STR_NA_VALUES

    assert set(csv_reader.MISSING) == set(STR_NA_VALUES)


def test_small_competitions_are_there() -> None:
    assert all(Registry().get_competition(each).declaration.editions for each in SMALL)
