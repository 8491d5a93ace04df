"""A thousand bad submissions, over all competitions: each is scored or refused in one sentence of ours.

With MLEBENCH_TESTS=whole they are 10,000; scripts/fuzz.py grades more of them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from covered import BRIEF, COVERED, PRACTICE, WHOLE
from fuzzing import EXCEPTIONS, fuzz

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import registry

EACH = 8 if BRIEF else 120 if WHOLE else 16
MOST = None if WHOLE else 6  # good submissions, which are scored first: each takes as long as a mutant of it
_LARGE = 1 << 20  # bytes of answers: each mutant of such a twin takes a second


def mutants(competition: LocalCompetition) -> int:
    """How many mutants a competition gets: a tenth where its smallest twin is large."""
    return max(1, EACH // 10 if competition.answers.stat().st_size > _LARGE else EACH)


@pytest.mark.parametrize("competition_id", [each for each in EXCEPTIONS if "scores_incomplete" in EXCEPTIONS[each]])
def test_exceptions_are_known_issues(competition_id: str) -> None:
    issues = registry.get_competition(competition_id).known_issues
    assert any(issue.kind == "grader" for issue in issues)


@pytest.mark.parametrize("competition_id", COVERED)
def test_mutated_submissions(competition_id: str, prepared_twin: Callable[[str], LocalCompetition]) -> None:
    competition = prepared_twin(competition_id)
    assert fuzz(competition, mutants(competition), most=MOST).problems == []


@pytest.mark.parametrize("competition_id", PRACTICE)
def test_mutated_submissions_for_practice(
    competition_id: str, prepared_practice: Callable[[str], LocalCompetition]
) -> None:
    assert fuzz(prepared_practice(competition_id), EACH).problems == []
