"""Write the leaderboards that ship with mlebench: src/mlebench/competitions/<id>/leaderboard.csv.

    python scripts/make_leaderboards.py

Kaggle's full leaderboards are not part of mlebench. These files have one score per team, best first, rebuilt from the
published figures: their positions give exactly the medal thresholds and the median, the other scores are interpolated
from the known distribution and rounded to seven digits.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from mlebench import facts
from mlebench.competition.leaderboard import Leaderboard, write_scores
from mlebench.competition.registry import registry


def rebuilt_scores(board: Leaderboard) -> list[float]:
    """One score per team, best first, whose positions give exactly the thresholds."""
    teams = board.effective_teams
    places, values = board.curve()
    scores = [float(f"{score:.7g}") for score in _interpolate(range(1, teams + 1), places, values)]
    anchors = board.anchors()
    sign = 1.0 if board.better == "lower" else -1.0
    # Between two anchors no score may be better than the upper one or worse than the lower one.
    for (upper, best), (lower, worst) in pairwise(anchors):
        for rank in range(upper, lower + 1):
            cost = min(max(sign * scores[rank - 1], sign * best), sign * worst)
            scores[rank - 1] = sign * cost
    for rank, value in anchors:
        scores[rank - 1] = value
    first, last = anchors[0], anchors[-1]
    for rank in range(1, first[0]):
        scores[rank - 1] = sign * min(sign * scores[rank - 1], sign * first[1])
    for rank in range(last[0] + 1, teams + 1):
        scores[rank - 1] = sign * max(sign * scores[rank - 1], sign * last[1])
    return scores


def _interpolate(ranks: range, places: list[float], values: list[float]) -> list[float]:
    result = []
    for rank in ranks:
        at = bisect_left(places, rank)
        if at == 0:
            result.append(values[0])
        elif at == len(places):
            result.append(values[-1])
        else:
            low, high = values[at - 1], values[at]
            share = (rank - places[at - 1]) / (places[at] - places[at - 1])
            between = low if low == high else low + share * (high - low)
            result.append(min(max(between, min(low, high)), max(low, high)))  # rounding may overshoot
    return result


def main() -> None:
    for competition_id in facts.published_ids():
        better = registry.get_competition(competition_id).declaration.better
        board = facts.leaderboard(competition_id, better)
        assert board is not None
        folder = facts.published_folder(competition_id)
        folder.mkdir(exist_ok=True)
        write_scores(folder / "leaderboard.csv", rebuilt_scores(board))


if __name__ == "__main__":
    main()
