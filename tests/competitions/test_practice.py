"""The practice competitions: ready without a download, and with leaderboards that can be made again."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_descriptions import check_named_files

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry, registry
from mlebench.data import get_leaderboard
from mlebench.data.prepare import prepare
from mlebench.grade import grade_csv, validate_submission
from mlebench.grade.grading import score_file

IDS = registry.split("practice")
BEST = {
    "practice-breast-cancer": 1.0,
    "practice-diabetes": 0.0,
    "practice-digits": 1.0,
    "practice-wine": 0.0,
}
WINE = ["class_0", "class_1", "class_2"]

Prepared = Callable[[str], LocalCompetition]


def test_all_four_are_there() -> None:
    assert sorted(BEST) == IDS
    assert not set(IDS) & set(registry.list_competition_ids()), "practice is no part of the benchmark"


@pytest.mark.parametrize("competition_id", IDS)
def test_prepares_from_nothing(competition_id: str, tmp_path: Path) -> None:
    competition = Registry(tmp_path).get_competition(competition_id)
    record = prepare(competition)
    assert record.source == "built-in"
    check_named_files(competition)


@pytest.mark.parametrize("competition_id", IDS)
def test_preparing_again_gives_the_same(competition_id: str, prepared_practice: Prepared, tmp_path: Path) -> None:
    first, second = prepared_practice(competition_id), Registry(tmp_path).get_competition(competition_id)
    prepare(second)
    for path in first.prepared_dir.rglob("*.csv"):
        other = second.prepared_dir / path.relative_to(first.prepared_dir)
        assert path.read_bytes() == other.read_bytes(), path.name


@pytest.mark.parametrize("competition_id", IDS)
def test_parts_are_disjoint_and_hide_the_answers(competition_id: str, prepared_practice: Prepared) -> None:
    competition = prepared_practice(competition_id)
    train, test = (pd.read_csv(competition.public_dir / name) for name in ("train.csv", "test.csv"))
    assert not set(train["id"]) & set(test["id"])
    assert 0.28 < len(test) / (len(train) + len(test)) < 0.32
    assert len(train.columns) == len(test.columns) + 1, "the test table lacks the target and nothing else"
    # Sources sorted by class would show here if ids followed their order.
    target = train[train.columns.difference(test.columns)[0]]
    codes = target if target.dtype.kind in "if" else pd.Series(pd.factorize(target, sort=True)[0])
    assert abs(np.corrcoef(train["id"], codes)[0, 1]) < 0.2


@pytest.mark.parametrize("competition_id", IDS)
def test_sample_submission_is_valid_and_earns_nothing(competition_id: str, prepared_practice: Prepared) -> None:
    competition = prepared_practice(competition_id)
    assert validate_submission(competition.sample_submission, competition) == (
        True,
        "Submission is valid.",
    )
    report = grade_csv(competition.sample_submission, competition)
    assert not report.any_medal
    assert not report.above_median


@pytest.mark.parametrize("competition_id", IDS)
def test_answers_get_the_best_score(competition_id: str, prepared_practice: Prepared) -> None:
    competition = prepared_practice(competition_id)
    report = grade_csv(competition.answers, competition)
    assert report.score == BEST[competition_id]
    assert report.gold_medal


@pytest.mark.parametrize(
    ("competition_id", "changes", "words"),
    [
        ("practice-breast-cancer", {"malignant": 1.5}, "above 1"),
        ("practice-diabetes", {"progression": "high"}, "must hold numbers"),
        ("practice-digits", {"digit": 10}, "must be one of"),
        ("practice-wine", {"class_0": 0.9}, "sum to 1"),
    ],
)
def test_broken_rules_are_refused(
    competition_id: str,
    changes: dict[str, Any],
    words: str,
    prepared_practice: Prepared,
    tmp_path: Path,
) -> None:
    competition = prepared_practice(competition_id)
    pd.read_csv(competition.sample_submission).assign(**changes).to_csv(tmp_path / "submission.csv", index=False)
    valid, reason = validate_submission(tmp_path / "submission.csv", competition)
    assert not valid
    assert words in reason


def teams(competition: LocalCompetition) -> dict[str, float]:
    with competition.leaderboard.open(newline="", encoding="utf-8") as file:
        return {row["team"]: float(row["score"]) for row in csv.DictReader(file)}


@pytest.mark.parametrize("competition_id", IDS)
def test_leaderboard_gives_medals(competition_id: str) -> None:
    competition = registry.get_competition(competition_id)
    scores = list(teams(competition).values())
    assert len(scores) >= 60
    assert len(scores) == len(get_leaderboard(competition)), "every team has a name of its own"
    lower = competition.declaration.better == "lower"
    assert scores == sorted(scores, reverse=not lower)
    standings = competition.human_leaderboard()
    assert standings is not None
    assert standings.teams == len(scores)
    limits = standings.thresholds
    ordered = [limits.gold, limits.silver, limits.bronze, limits.median]
    assert ordered == sorted(ordered, reverse=not lower)
    assert len(set(ordered)) == 4


def tables(competition: LocalCompetition, target: str) -> tuple[Any, Any, Any, pd.DataFrame]:
    train, test = (pd.read_csv(competition.public_dir / name) for name in ("train.csv", "test.csv"))
    columns = [name for name in test if name != "id"]
    return train[columns], train[target], test[columns], test[["id"]]


def pixels(competition: LocalCompetition, part: str) -> Any:
    ids = pd.read_csv(competition.public_dir / f"{part}.csv")["id"]
    return [np.asarray(Image.open(competition.public_dir / part / f"{each}.png")).ravel() for each in ids]


def judged_tumours(competition: LocalCompetition) -> pd.DataFrame:
    known, target, unseen, submission = tables(competition, "malignant")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)).fit(known, target)
    return submission.assign(malignant=model.predict_proba(unseen)[:, 1])


def predicted_progression(competition: LocalCompetition) -> pd.DataFrame:
    known, target, unseen, submission = tables(competition, "progression")
    model = make_pipeline(StandardScaler(), Ridge(10.0)).fit(known, target)
    return submission.assign(progression=model.predict(unseen))


def named_digits(competition: LocalCompetition) -> pd.DataFrame:
    _, target, _, submission = tables(competition, "digit")
    model = KNeighborsClassifier(1).fit(pixels(competition, "train"), target)
    return submission.assign(digit=model.predict(pixels(competition, "test")))


def classified_wines(competition: LocalCompetition) -> pd.DataFrame:
    known, target, unseen, submission = tables(competition, "cultivar")
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=5000)).fit(known, target)
    submission[WINE] = model.predict_proba(unseen)
    return submission


@pytest.mark.parametrize(
    ("competition_id", "team", "submit", "tolerance"),
    [
        (
            "practice-breast-cancer",
            "standardised, logistic regression (C=1)",
            judged_tumours,
            0.001,
        ),
        ("practice-diabetes", "standardised, ridge (alpha=10)", predicted_progression, 0.001),
        ("practice-digits", "1 nearest", named_digits, 0.002),
        ("practice-wine", "standardised, logistic regression (C=1)", classified_wines, 0.001),
    ],
)
def test_a_team_gets_its_score_again(
    competition_id: str,
    team: str,
    submit: Callable[[LocalCompetition], pd.DataFrame],
    tolerance: float,
    prepared_practice: Prepared,
    tmp_path: Path,
) -> None:
    competition = prepared_practice(competition_id)
    submit(competition).to_csv(tmp_path / "submission.csv", index=False)
    score = score_file(tmp_path / "submission.csv", competition)
    assert score == pytest.approx(teams(competition)[team], abs=tolerance)
