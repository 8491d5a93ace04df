"""The names that other projects import keep working."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import mlebench
from mlebench.competition.local import LocalCompetition
from mlebench.data import get_leaderboard, is_dataset_prepared
from mlebench.grade import grade_csv, grade_jsonl, validate_submission
from mlebench.grade_helpers import CompetitionReport, Grader, InvalidSubmissionError
from mlebench.registry import registry
from mlebench.utils import get_logger, get_timestamp, load_answers, read_csv, read_jsonl


@pytest.fixture
def titanic(prepared_twin: Callable[[str], LocalCompetition]) -> LocalCompetition:
    return prepared_twin("spaceship-titanic")


def test_registry(tmp_path: Path) -> None:
    found = registry.set_data_dir(tmp_path)
    assert found.get_data_dir() == tmp_path
    assert len(registry.list_competition_ids()) == 82
    assert len(registry.get_lite_competition_ids()) == 22
    competition = found.get_competition("spaceship-titanic")
    assert competition.raw_dir == tmp_path / "spaceship-titanic" / "raw"
    assert competition.public_dir == tmp_path / "spaceship-titanic" / "prepared" / "public"
    assert competition.private_dir == tmp_path / "spaceship-titanic" / "prepared" / "private"
    assert competition.answers == competition.private_dir / "test.csv"
    assert competition.sample_submission == competition.public_dir / "sample_submission.csv"
    assert competition.name == "Spaceship Titanic"
    assert "Transported" in competition.description
    assert not is_dataset_prepared(competition)


def test_grading(titanic: LocalCompetition, tmp_path: Path) -> None:
    report = grade_csv(titanic.sample_submission, titanic)
    assert isinstance(report, CompetitionReport)
    assert report.to_dict()["score"] == 0.375
    assert CompetitionReport.from_dict(report.to_dict()) == report
    assert validate_submission(titanic.sample_submission, titanic) == (True, "Submission is valid.")
    assert validate_submission(tmp_path / "none.csv", titanic)[0] is False
    assert is_dataset_prepared(titanic)
    lines = tmp_path / "list.jsonl"
    lines.write_text(f'{{"competition_id": "{titanic.id}", "submission_path": "{titanic.sample_submission}"}}\n')
    assert grade_jsonl(lines, tmp_path, registry.set_data_dir(titanic.data_dir), workers=1)["total_runs"] == 1
    assert read_jsonl(lines)[0]["competition_id"] == titanic.id


def test_grader(titanic: LocalCompetition) -> None:
    answers = load_answers(titanic.answers)
    submission = pd.read_csv(titanic.sample_submission)
    assert isinstance(titanic.grader, Grader)
    assert titanic.grader(submission, answers) == 0.375
    assert titanic.grader(submission.head(3), answers) is None
    with pytest.raises(InvalidSubmissionError):
        titanic.grader.raw_score(submission.head(3), answers)


def test_leaderboard(titanic: LocalCompetition) -> None:
    leaderboard = get_leaderboard(titanic)
    assert len(leaderboard) == 1967
    assert titanic.grader.is_lower_better(leaderboard) is False
    ranked = titanic.grader.rank_score(0.82, leaderboard)
    known = titanic.human_leaderboard()
    assert known is not None
    assert ranked["gold_threshold"] == known.thresholds.gold
    assert ranked["median_threshold"] == known.thresholds.median
    assert pd.read_csv(titanic.leaderboard)["score"].tolist() == leaderboard["score"].tolist()


@pytest.mark.parametrize("competition_id", registry.list_competition_ids())
def test_every_leaderboard_gives_the_published_medals(competition_id: str, tmp_path: Path) -> None:
    competition = registry.set_data_dir(tmp_path).get_competition(competition_id)
    known = competition.human_leaderboard()
    assert known is not None
    table = pd.read_csv(competition.leaderboard)
    grader = Grader("any", lambda submission, answers: 0.0)
    ranked = grader.rank_score(known.thresholds.silver, table)
    assert grader.is_lower_better(table) == (known.better == "lower")
    limits = known.thresholds
    assert (ranked["gold_threshold"], ranked["silver_threshold"]) == (limits.gold, limits.silver)
    assert (ranked["bronze_threshold"], ranked["median_threshold"]) == (limits.bronze, limits.median)


def test_downloaded_leaderboard_takes_precedence(tmp_path: Path) -> None:
    competition = registry.set_data_dir(tmp_path).get_competition("spaceship-titanic")
    competition.home.mkdir()
    competition.downloaded_leaderboard.write_text("score\n0.9\n0.8\n0.7\n0.6\n0.5\n")
    standings = competition.human_leaderboard()
    assert standings is not None
    assert (standings.source, standings.teams) == ("downloaded", 5)
    assert (standings.thresholds.gold, standings.thresholds.bronze, standings.thresholds.median) == (
        0.9,
        0.8,
        0.7,
    )


def test_prepare_fn_takes_paths(titanic: LocalCompetition, tmp_path: Path) -> None:
    titanic.prepare_fn(titanic.raw_dir, tmp_path / "public", tmp_path / "private")
    assert (tmp_path / "private" / "test.csv").read_bytes() == titanic.answers.read_bytes()


def test_utils() -> None:
    assert get_logger("x").name == "x"
    assert "T" in get_timestamp()
    assert callable(read_csv)


# The module-level names of the published package that other projects import, wherever they were meant to come from.
PUBLISHED = {
    "mlebench.cli": (
        "download_and_prepare_dataset ensure_leaderboard_exists get_logger grade_csv grade_jsonl logger main registry"
    ),
    "mlebench.data": (
        "Competition authenticate_kaggle_api create_prepared_dir download_and_prepare_dataset "
        "download_dataset ensure_leaderboard_exists extract file_cache generate_checksums get_checksum "
        "get_diff get_last_modified get_leaderboard get_logger get_path_to_callable is_dataset_prepared "
        "is_empty is_valid_prepare_fn load_yaml logger"
    ),
    "mlebench.grade": (
        "Competition CompetitionReport DEFAULT_REGISTRY InvalidSubmissionError Registry aggregate_reports "
        "get_leaderboard get_logger get_timestamp grade_csv grade_jsonl is_dataset_prepared load_answers "
        "logger purple read_csv read_jsonl validate_submission"
    ),
    "mlebench.grade_helpers": "CompetitionReport Grader InvalidSubmissionError get_logger import_fn logger",
    "mlebench.metrics": "dice_coefficient mean_average_precision_at_k",
    "mlebench.registry": (
        "Competition DEFAULT_DATA_DIR Grader Registry get_logger get_module_dir get_repo_dir import_fn "
        "load_yaml logger registry"
    ),
    "mlebench.utils": (
        "authenticate_kaggle_api compress create_run_dir extract generate_run_id get_diff get_logger "
        "get_module_dir get_path_to_callable get_repo_dir get_runs_dir get_timestamp import_fn in_ci "
        "is_compressed is_empty load_answers load_yaml purple read_csv read_jsonl"
    ),
    "mlebench.competitions.utils": (
        "InvalidSubmissionError df_to_one_hot get_ids_from_tf_records get_logger logger "
        "one_hot_dfs_to_log_loss_inputs prepare_for_accuracy_metric prepare_for_auroc_metric rle_decode "
        "rle_encode rles_to_masks"
    ),
    "mlebench.competitions.leaf-classification.classes": "CLASSES",
    "mlebench.competitions.leaf-classification.grade": "grade",
    "mlebench.competitions.leaf-classification.prepare": "prepare",
    "mlebench.competitions.AI4Code.grade": "grade",
}


@pytest.mark.parametrize("module", PUBLISHED)
def test_every_published_name(module: str) -> None:
    found = importlib.import_module(module)
    assert [name for name in PUBLISHED[module].split() if getattr(found, name, None) is None] == []


def test_the_names_of_classes() -> None:
    classes = importlib.import_module("mlebench.competitions.leaf-classification.classes").CLASSES
    assert (len(classes), classes[0]) == (99, "Acer_Capillipes")
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("mlebench.competitions.spaceship-titanic.classes")


def test_projects_that_ask_for_a_version() -> None:
    """`mlebench>=1.0` is what they declare."""
    assert int(mlebench.__version__.split(".")[0]) >= 1
