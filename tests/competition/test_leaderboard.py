"""Medals, percentiles and rebuilt leaderboards."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from make_leaderboards import rebuilt_scores

from mlebench import facts
from mlebench.competition.leaderboard import (
    NO_STANDING,
    NOMINAL_TEAMS,
    Leaderboard,
    MedalRanks,
    Thresholds,
    medal_ranks,
    read_scores,
    write_scores,
)
from mlebench.competition.vocabulary import Direction

HIGHER = Leaderboard("higher", Thresholds(gold=0.9, silver=0.8, bronze=0.7, median=0.5))
LOWER = Leaderboard("lower", Thresholds(gold=0.1, silver=0.2, bronze=0.3, median=0.5))

finite = st.floats(-1e6, 1e6)
directions: st.SearchStrategy[Direction] = st.sampled_from(["higher", "lower"])


@pytest.mark.parametrize(
    ("teams", "gold", "silver", "bronze"),
    [
        (1, 1, 1, 1),  # at least one of each
        (9, 1, 1, 3),  # 10 %, 20 %, 40 %: 0.9, 1.8, 3.6
        (50, 5, 10, 20),
        (99, 9, 19, 39),
        (100, 10, 20, 40),  # from here on ten golds
        (249, 10, 49, 99),
        (250, 10, 50, 100),  # from here on 0.2 % more golds, 50 silvers, 100 bronzes
        (999, 11, 50, 100),
        (1000, 12, 50, 100),  # from here on 5 % and 10 %
        (2345, 14, 117, 234),
    ],
)
def test_medal_ranks(teams: int, gold: int, silver: int, bronze: int) -> None:
    assert medal_ranks(teams) == MedalRanks(gold, silver, bronze)


@given(st.integers(1, 20_000))
def test_medal_ranks_are_ordered(teams: int) -> None:
    ranks = medal_ranks(teams)
    assert 1 <= ranks.gold <= ranks.silver <= ranks.bronze <= teams


@pytest.mark.parametrize("teams", [0, -1])
def test_no_teams_no_medals(teams: int) -> None:
    with pytest.raises(ValueError, match="at least one team"):
        medal_ranks(teams)


@pytest.mark.parametrize(
    ("higher", "lower", "medal"),
    [
        (1.0, 0.0, "gold"),
        (0.9, 0.1, "gold"),  # a score at a threshold earns the medal
        (math.nextafter(0.9, 0), math.nextafter(0.1, 1), "silver"),
        (0.8, 0.2, "silver"),
        (0.75, 0.25, "bronze"),
        (0.7, 0.3, "bronze"),
        (0.69, 0.31, None),
        (-math.inf, math.inf, None),
        (math.inf, -math.inf, "gold"),
    ],
)
def test_medals(higher: float, lower: float, medal: str | None) -> None:
    for standing in (HIGHER.standing(higher), LOWER.standing(lower)):
        assert standing.medal == medal
        assert standing.any_medal == (medal is not None)
        medals = [standing.gold_medal, standing.silver_medal, standing.bronze_medal]
        assert sum(medals) == (medal is not None), "at most one medal"


@pytest.mark.parametrize("board", [HIGHER, LOWER])
def test_above_median_is_strict(board: Leaderboard) -> None:
    better = 0.6 if board.better == "higher" else 0.4
    worse = 1.0 - better
    assert not board.standing(0.5).above_median
    assert board.standing(math.nextafter(0.5, better)).above_median
    assert not board.standing(math.nextafter(0.5, worse)).above_median


def test_no_score_no_standing() -> None:
    assert HIGHER.standing(None) == NO_STANDING
    assert not NO_STANDING.any_medal
    assert NO_STANDING.medal is None


def test_thresholds_equal_to_one_another_give_the_best_medal() -> None:
    board = Leaderboard("higher", Thresholds(1.0, 1.0, 1.0, 0.99))
    assert board.standing(1.0).medal == "gold"
    assert board.standing(0.995).medal is None
    assert board.standing(0.995).above_median


@pytest.mark.parametrize(
    ("count", "median"),
    [(4, 2.5), (5, 3.0)],
)
def test_from_scores(count: int, median: float) -> None:
    shuffled = [float(each) for each in (3, 1, 5, 2, 4) if each <= count]
    board = Leaderboard.from_scores(shuffled, "lower", "own")
    # Fewer than ten teams: gold and silver go to the best one alone, bronze to 40 %.
    assert board.thresholds == Thresholds(1.0, 1.0, [1.0, 2.0][count == 5], median)
    assert (board.teams, board.source) == (count, "own")
    assert Leaderboard.from_scores(shuffled, "higher", "own").thresholds.gold == count


@pytest.mark.parametrize(("better", "scores"), [("higher", [4.0, 3.0, 3.0, 1.0]), ("lower", [-4.0, -3.0, -3.0, -1.0])])
def test_percentile_by_hand(better: Direction, scores: list[float]) -> None:
    board = Leaderboard.from_scores(scores, better, "own")
    sign = 1 if better == "higher" else -1
    expected = {
        5.0: 100.0,
        4.0: 100.0,
        3.5: 75.0,  # better than three of four
        3.0: 75.0,  # ties count as beaten
        2.0: 25.0,
        1.0: 25.0,
        0.0: 0.0,
    }
    assert {score: board.percentile(sign * score) for score in expected} == expected


def test_percentile_is_the_share_that_is_beaten_or_equalled() -> None:
    board = Leaderboard.from_scores([3.1, 3.5, 4, 5, 6, 7, 8], "lower", "own")
    assert board.percentile(5.31) == 42.86, "three of seven"
    assert board.percentile(5.0) == 57.14, "four of seven"


def test_percentile_from_quantiles() -> None:
    # 101 teams and three known points: ranks 1, 51 and 101.
    board = Leaderboard("higher", HIGHER.thresholds, 101, (1.0, 0.5, 0.0))
    assert board.percentile(1.0) == 100.0
    assert board.percentile(0.5) == 50.0, "51 of 101 teams, known to a whole percent"
    assert board.percentile(0.75) == 75.0, "76 of 101 teams"
    assert board.percentile(0.0) == 1.0
    assert board.percentile(-0.1) == 0.0


def test_only_the_best_has_100_percent_and_only_who_beats_nobody_0() -> None:
    # 1000 teams: rank 2 is at 99.9 %, rank 1000 at 0.1 %.
    board = Leaderboard("higher", HIGHER.thresholds, 1000, tuple(1 - index / 100 for index in range(101)))
    assert board.percentile(math.nextafter(1.0, 0)) == 99.0
    assert board.percentile(board.quantiles[-1] if board.quantiles else 0.0) == 1.0
    assert board.percentile(-0.01) == 0.0


def test_how_much_is_known() -> None:
    assert HIGHER.known == "thresholds"
    assert Leaderboard.from_scores([1.0, 2.0], "higher", "own").known == "every team"
    assert Leaderboard("higher", HIGHER.thresholds, 101, (1.0, 0.5, 0.0)).known == "distribution"
    assert Leaderboard("higher", HIGHER.thresholds, None, (1.0, 0.5, 0.0)).known == "distribution"


def test_percentile_of_one_team() -> None:
    board = Leaderboard.from_scores([0.5], "higher", "own")
    assert (board.percentile(0.6), board.percentile(0.5), board.percentile(0.4)) == (100.0, 100.0, 0.0)


def test_percentile_beside_an_infinite_score() -> None:
    board = Leaderboard.from_scores([1.0, math.inf], "lower", "own")
    assert board.percentile(1.0) == 100.0
    assert board.percentile(2.0) == 50.0
    assert board.percentile(math.inf) == 50.0
    known = Leaderboard("lower", LOWER.thresholds, 4, (1.0, math.inf))
    assert known.percentile(2.0) == 25.0, "nothing can be interpolated towards infinity"


@pytest.mark.parametrize("board", [HIGHER, LOWER])
def test_percentile_from_thresholds_alone(board: Leaderboard) -> None:
    limits = board.thresholds
    assert medal_ranks(NOMINAL_TEAMS) == MedalRanks(12, 50, 100)
    assert board.percentile(limits.gold) == 99.0, "rank 12 of 1000"
    assert board.percentile(limits.bronze) == 90.0, "rank 100 of 1000"
    assert board.percentile(limits.median) == 50.0
    best, worst = (math.inf, -math.inf) if board.better == "higher" else (-math.inf, math.inf)
    assert board.percentile(best) == board.percentile(limits.gold)
    assert board.percentile(worst) is None
    assert board.percentile(math.nextafter(limits.median, worst)) is None


@given(st.lists(finite, min_size=1, max_size=40), finite, finite, directions)
def test_percentile_grows_with_the_score(teams: list[float], one: float, other: float, better: Direction) -> None:
    board = Leaderboard.from_scores(teams, better, "own")
    worse, nicer = sorted([one, other], reverse=better == "lower")
    low, high = board.percentile(worse), board.percentile(nicer)
    assert low is not None
    assert high is not None
    assert 0.0 <= low <= high <= 100.0


@given(st.lists(finite, min_size=1, max_size=40), st.floats(0, 1e6), directions)
def test_nothing_beats_the_best(teams: list[float], lead: float, better: Direction) -> None:
    board = Leaderboard.from_scores(teams, better, "own")
    best = max(teams) + lead if better == "higher" else min(teams) - lead
    assert board.percentile(best) == 100.0


@given(st.lists(finite, min_size=1, max_size=40), directions)
def test_percentile_of_a_team_counts_those_it_beats_or_equals(teams: list[float], better: Direction) -> None:
    board = Leaderboard.from_scores(teams, better, "own")
    for score in teams:
        beaten = sum(other <= score if better == "higher" else other >= score for other in teams)
        assert board.percentile(score) == round(100 * beaten / len(teams), 2)


@pytest.mark.parametrize("competition_id", facts.published_ids())
def test_rebuilt_leaderboard_gives_the_published_figures(competition_id: str) -> None:
    published = facts.leaderboard(competition_id, direction(competition_id))
    assert published is not None
    scores = rebuilt_scores(published)
    assert len(scores) == (published.teams or NOMINAL_TEAMS)
    assert scores == sorted(scores, reverse=published.better == "higher")
    again = Leaderboard.from_scores(scores, published.better, "rebuilt")
    assert again.thresholds == published.thresholds
    for score in vars(published.thresholds).values():
        assert again.standing(score) == published.standing(score)


def direction(competition_id: str) -> Direction:
    """In which direction the published thresholds improve."""
    board = facts.leaderboard(competition_id, "higher")
    assert board is not None
    assert board.thresholds.gold != board.thresholds.median
    return "higher" if board.thresholds.gold > board.thresholds.median else "lower"


@given(
    st.integers(5, 2000),
    st.lists(finite, min_size=4, max_size=4),
    st.none() | st.lists(finite, min_size=2, max_size=30),
    directions,
)
def test_any_rebuilt_leaderboard_gives_its_thresholds(
    teams: int, limits: list[float], quantiles: list[float] | None, better: Direction
) -> None:
    """Also where the known distribution contradicts the thresholds: they win."""
    descending = better == "higher"
    known = tuple(sorted(quantiles, reverse=descending)) if quantiles else None
    gold, silver, bronze, median = sorted(limits, reverse=descending)
    if teams < 10:
        silver = gold  # both go to the best team
    board = Leaderboard(better, Thresholds(gold, silver, bronze, median), teams, known)
    scores = rebuilt_scores(board)
    assert scores == sorted(scores, reverse=descending)
    assert Leaderboard.from_scores(scores, better, "rebuilt").thresholds == board.thresholds


@given(scores=st.lists(finite | st.sampled_from([math.inf, -math.inf]), min_size=1, max_size=20))
def test_scores_survive_the_file(scores: list[float], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("leaderboard") / "leaderboard.csv"
    write_scores(path, scores)
    assert read_scores(path) == scores


def test_a_downloaded_file_may_have_more_columns_and_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "leaderboard.csv"
    path.write_text("\ufeffteamName,score\nä,0.5\nb,\nc,0.25\n", encoding="utf-8")
    assert read_scores(path) == [0.5, 0.25]
