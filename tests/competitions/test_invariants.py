"""What holds for every competition on any data: its twin at further seeds and scales, prepared and graded.

The golden files fix what the twin of seed 0 must give; here other seeds and scales show that nothing was fitted to it.
Preparation itself checks ids, counts and the sample submission (mlebench.data.prepared_checks).
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path
from typing import Any

import pytest
from covered import BRIEF, COVERED, WHOLE, golden

from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.errors import InvalidSubmissionError
from mlebench.grade.grading import score_file
from mlebench.twins import write_submissions, write_twin

EXCEPTIONS: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "invariants.toml").read_text())
# Seed and scale: competitions have them in turns, and with MLEBENCH_TESTS=whole all of them, the last thrice as large.
FURTHER = [(1, 1), (2, 2), (3, 3 if WHOLE else 1)]
TWINS = [
    (competition_id, *further)
    for place, competition_id in enumerate(COVERED)
    for number, further in enumerate(FURTHER)
    if WHOLE or number == (0 if BRIEF else place % len(FURTHER))
]
CATCH_ALL = "The submission cannot be scored"


def test_exceptions_are_about_competitions_that_there_are() -> None:
    assert EXCEPTIONS.keys() <= set(COVERED)


@pytest.mark.parametrize(("competition_id", "seed", "scale"), TWINS)
def test_any_twin(competition_id: str, seed: int, scale: int, tmp_path: Path) -> None:
    competition = Registry(tmp_path).get_competition(competition_id)
    write_twin(competition, competition.home, seed=seed, scale=scale)
    prepare(competition)
    expected, exceptions = golden(competition_id)["grades"], EXCEPTIONS.get(competition_id, {})
    scores: dict[str, float] = {}
    for path in write_submissions(competition, tmp_path / "submissions", seed=seed):
        try:
            scores[path.stem] = score_file(path, competition)
        except InvalidSubmissionError as refusal:
            assert CATCH_ALL not in str(refusal), path.stem
        if path.stem not in exceptions.get("depends_on_data", {}):
            assert (path.stem in scores) == ("refused" not in expected[path.stem]), path.stem
    sign = 1 if competition.declaration.better == "higher" else -1
    better = {name for name, score in scores.items() if sign * score > sign * scores["perfect"] + 1e-12}
    assert better <= exceptions.get("beats_perfect", {}).keys()
    if "order_matters" not in exceptions:
        assert math.isclose(scores["shuffled"], scores["noisy"], rel_tol=1e-9, abs_tol=1e-12)
