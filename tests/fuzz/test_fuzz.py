"""Ten thousand bad submissions, over all competitions: each is scored or refused in one sentence of ours.

scripts/fuzz.py grades more of them.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from covered import COVERED, PRACTICE
from fuzzing import EXCEPTIONS, fuzz

from mlebench.local import LocalCompetition
from mlebench.registry import registry

EACH = 120
READY = [each for each in COVERED if registry.get_competition(each).declaration.is_implemented]


def test_exceptions_are_about_competitions_that_there_are() -> None:
    assert EXCEPTIONS.keys() <= set(COVERED)


@pytest.mark.parametrize("competition_id", READY)
def test_mutated_submissions(competition_id: str, prepared_twin: Callable[[str], LocalCompetition]) -> None:
    assert fuzz(prepared_twin(competition_id), EACH).problems == []


@pytest.mark.parametrize("competition_id", PRACTICE)
def test_mutated_submissions_for_practice(
    competition_id: str, prepared_practice: Callable[[str], LocalCompetition]
) -> None:
    assert fuzz(prepared_practice(competition_id), EACH).problems == []
