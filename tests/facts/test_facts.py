"""The tables of figures that ship with mlebench."""

from __future__ import annotations

import re

import pytest

from mlebench import facts
from mlebench.competition.registry import registry

IDS = facts.published_ids()
DECLARED = [each for each in IDS if each in registry.list_competition_ids()]


def test_there_are_82() -> None:
    assert len(IDS) == len(set(IDS)) == 82


@pytest.mark.parametrize(
    ("split", "count"),
    [("low", 22), ("lite", 22), ("medium", 38), ("high", 15), ("dev", 7), ("all", 75), ("split75", 75)],
)
def test_groups(split: str, count: int) -> None:
    ids = registry.split(split)
    assert len(ids) == len(set(ids)) == count
    assert set(ids) <= set(IDS)


def test_every_published_competition_is_declared() -> None:
    assert sorted(DECLARED) == sorted(IDS)


@pytest.mark.parametrize("competition_id", IDS)
def test_checksums(competition_id: str) -> None:
    sums = facts.checksums(competition_id)
    assert sums.archive is not None
    known = [sums.archive, *sums.public.values(), *sums.private.values()]
    assert all(re.fullmatch(r"[0-9a-f]{32}", each) for each in known), known


@pytest.mark.parametrize("competition_id", DECLARED)
def test_declared_direction_agrees_with_the_figures(competition_id: str) -> None:
    better = registry.get_competition(competition_id).declaration.better
    board = facts.leaderboard(competition_id, better)
    assert board is not None
    limits = board.thresholds
    ordered = [limits.gold, limits.silver, limits.bronze, limits.median]
    assert ordered == sorted(ordered, reverse=better == "higher")
    if board.quantiles is not None:
        assert list(board.quantiles) == sorted(board.quantiles, reverse=better == "higher")
        assert board.quantiles[0] != board.quantiles[-1]


@pytest.mark.parametrize("competition_id", IDS)
def test_human_scores_come_with_a_number_of_teams(competition_id: str) -> None:
    board = facts.leaderboard(competition_id, "higher")
    assert board is not None
    assert (board.teams is None) == (board.quantiles is None)
    if board.quantiles is not None:
        assert len(board.quantiles) == 101, "one per percent, both ends included"


@pytest.mark.parametrize("competition_id", DECLARED)
def test_sample_submissions_earn_no_medal(competition_id: str) -> None:
    score = facts.sample_submission_score(competition_id)
    board = facts.leaderboard(competition_id, registry.get_competition(competition_id).declaration.better)
    # The sample of this one has the same value everywhere, so that its correlation with anything is not a number.
    assert (score is None) == (competition_id == "us-patent-phrase-to-phrase-matching")
    assert board is not None
    assert not board.standing(score).any_medal


def test_unknown_competitions_have_no_figures() -> None:
    assert facts.leaderboard("my-contest", "higher") is None
    assert facts.sample_submission_score("my-contest") is None
    assert facts.checksums("my-contest") == facts.Checksums()


def test_published_agents() -> None:
    rows = facts.published_agents()
    assert len(rows) > 5
    assert all(rows[0].keys() == row.keys() for row in rows)
