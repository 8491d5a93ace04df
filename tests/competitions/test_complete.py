"""All 82 published competitions are complete: nothing is only declared, and every command can use them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from covered import COVERED, golden

from mlebench import facts
from mlebench.competition.grader import Grader
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry, registry
from mlebench.competition.vocabulary import LOSSES, SCORES
from mlebench.errors import InvalidSubmissionError
from mlebench.grade.grading import grade_csv, validate_submission
from mlebench.grade.report import CompetitionReport
from mlebench.twins import twin_program, write_submissions

Prepared = Callable[[str], LocalCompetition]


def test_there_are_82() -> None:
    assert len(COVERED) == 82
    groups = [registry.get_competition(each).declaration.group for each in COVERED]
    assert {group: groups.count(group) for group in groups} == {"low": 22, "medium": 38, "high": 15, "dev": 7}


@pytest.mark.parametrize("competition_id", COVERED)
def test_declaration(competition_id: str) -> None:
    competition = registry.get_competition(competition_id)
    declared = competition.declaration
    assert declared.editions == ("v1", "v2")
    assert callable(declared.grade_fn("v2"))
    assert callable(declared.prepare_fn("v2"))
    assert callable(declared.grade_fn())
    assert competition.description.strip()
    assert declared.metric in SCORES | LOSSES
    assert twin_program(competition)
    assert golden(competition_id)["grades"]
    board = declared.human_leaderboard()
    assert board is not None
    assert competition.leaderboard.is_file()
    assert declared.checksums.archive
    for issue in declared.known_issues:
        assert len(issue.what) > 20
        assert bool(issue.v2) != bool(issue.reason), f"neither repaired nor explained, or both: {issue.what}"
        assert issue.kind != "leak" or issue.v2, f"a leak without a v2 sentence: {issue.what}"


@pytest.mark.parametrize("competition_id", COVERED)
def test_sample_and_perfect_submission(competition_id: str, prepared_twin: Prepared, tmp_path: Path) -> None:
    competition = prepared_twin(competition_id)
    assert competition.sample_submission.is_file()
    perfect = next(path for path in write_submissions(competition, tmp_path) if path.stem == "perfect")
    assert validate_submission(perfect, competition)[0]


@pytest.mark.parametrize("score", [math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("competition_id", COVERED)
def test_infinite_scores_count_and_nan_does_not(
    competition_id: str, score: float, prepared_twin: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    competition = prepared_twin(competition_id)
    monkeypatch.setitem(competition.declaration._functions, ("grade", "v1"), lambda *_: score)
    fresh = Registry(competition.data_dir).get_competition(competition_id)  # with the grader that was put there
    report = grade_csv(competition.sample_submission, fresh)
    valid, message = validate_submission(competition.sample_submission, fresh)
    assert report.valid_submission == valid
    if math.isnan(score):
        assert (valid, report.score) == (False, None)
        assert report.refusal == message
        with pytest.raises(InvalidSubmissionError, match="not a number"):
            Grader("metric", lambda *_: score).raw_score(*_tables())
    else:
        assert (valid, report.score) == (True, score)
        assert CompetitionReport.from_dict(report.to_dict()).score == score


def _tables() -> tuple[Any, Any]:
    import pandas as pd

    return pd.DataFrame({"id": [1]}), pd.DataFrame({"id": [1]})


def test_sizes_are_known_where_the_sheets_have_them() -> None:
    known = {each for each in COVERED if registry.get_competition(each).declaration.gigabytes is not None}
    assert len(known) >= 38
    assert facts.sample_submission_score("spaceship-titanic") is not None


def test_known_issues_have_the_numbers_that_the_concepts_name() -> None:
    page = (Path(__file__).parents[2] / "docs" / "concepts.md").read_text(encoding="utf-8")
    numbers = [issue.upstream for each in COVERED for issue in registry.get_competition(each).known_issues]
    known = sorted(number for number in numbers if number is not None)
    assert known == [30, 58, 63, 70, 77, 93, 108]
    assert all(f"#{number}" in page for number in known)
