"""What a competition declares: names that are known, a direction that fits the metric and the leaderboard."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import get_args

from mlebench.competition.checks import Problem, line_with
from mlebench.competition.declaration import Competition
from mlebench.competition.known_issues import FILE_NAME, read_known_issues
from mlebench.competition.leaderboard import Leaderboard, read_scores
from mlebench.competition.local import LocalCompetition
from mlebench.competition.vocabulary import ID_PATTERN, SCORES, Category
from mlebench.errors import MlebenchError


def declaration_problems(declared: Competition) -> Iterator[Problem]:
    """Names that nobody knows, and a direction that the metric does not have."""
    file = declared.folder / "competition.py"

    def problem(what: str, advice: str, pattern: str) -> Problem:
        return Problem(what, advice, file, line_with(file, pattern))

    if declared.category not in get_args(Category):
        known = ", ".join(get_args(Category))
        yield problem(f"There is no category {declared.category!r}.", f"Use one of {known}.", r"category\s*=")
    if declared.metric in SCORES and declared.better == "lower":
        what = f"The metric {declared.metric} is better when it is higher, but `better` says lower."
        yield problem(what, "Leave `better` out, or name another metric.", r"better\s*=")
    if re.fullmatch(ID_PATTERN, declared.id) is None:
        what = f"The id {declared.id!r} cannot be the name of a folder."
        yield problem(what, "Use letters, digits and hyphens.", r"Competition\(")
    try:
        read_known_issues(declared.folder)
    except MlebenchError as error:
        line = re.search(r"\bline (\d+)", error.sentence)
        advice = "`mlebench info` shows them when they have the form [[issue]], what = …, kind = …"
        yield Problem(error.sentence, advice, declared.folder / FILE_NAME, int(line[1]) if line else None)


def leaderboard_problems(competition: LocalCompetition) -> Iterator[Problem]:
    """Scores that are no numbers, an order that contradicts the direction, thresholds that are not in order."""
    declared = competition.declaration
    own = declared.own_leaderboard_path
    if own is not None:
        yield from _file_problems(own, declared)
        return
    board = declared.human_leaderboard()
    if board is not None:
        yield from _threshold_problems(board)


def _file_problems(path: Path, declared: Competition) -> Iterator[Problem]:
    try:
        scores = read_scores(path)
    except (KeyError, ValueError) as error:
        yield Problem(f"It is not a leaderboard: {error}.", "It needs a column `score` with a number per team.", path)
        return
    if not scores or any(math.isnan(score) for score in scores):
        advice = "It needs a column `score` with a number per team."
        yield Problem("It has no scores, or one that is not a number.", advice, path)
        return
    falls = all(first >= second for first, second in pairwise(scores)) and scores[0] > scores[-1]
    rises = all(first <= second for first, second in pairwise(scores)) and scores[0] < scores[-1]
    if (falls and declared.better == "lower") or (rises and declared.better == "higher"):
        file = declared.folder / "competition.py"
        yield Problem(
            f"The leaderboard begins with {scores[0]:g} and ends with {scores[-1]:g}, but {declared.better} is better.",
            "Write the best team first, or declare the metric or `better` that fits.",
            file if file.is_file() else path,
            line_with(file, r"better\s*=|metric\s*="),
        )


def _threshold_problems(board: Leaderboard) -> Iterator[Problem]:
    limits = board.thresholds
    sign = 1 if board.better == "higher" else -1
    ordered = [sign * limit for limit in (limits.gold, limits.silver, limits.bronze, limits.median)]
    if ordered != sorted(ordered, reverse=True):
        what = f"Gold {limits.gold:g}, silver {limits.silver:g}, bronze {limits.bronze:g} and the median "
        what += f"{limits.median:g} are not in order, though {board.better} is better."
        yield Problem(what, "Correct the thresholds or the direction.")
