"""Edition v2 gives what was recorded of it, at three seeds; those of v1 are in test_parity.

By default some competitions at one seed, in turns; `MLEBENCH_TESTS=whole` takes all of them at all seeds.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from covered import GOLDEN_V2, WHOLE
from record_golden_v2 import SEEDS, record

from mlebench.competition.registry import Registry, registry

EXPECTED: dict[str, dict[str, Any]] = json.loads(GOLDEN_V2.read_text(encoding="utf-8"))
TWINS = [(competition_id, seed) for competition_id in EXPECTED for seed in SEEDS]


def test_all_that_differ_are_recorded() -> None:
    differing = {competition.id for competition in registry.all_competitions() if competition.declaration.differs("v2")}
    assert EXPECTED.keys() == differing
    assert all(seeds.keys() == {str(seed) for seed in SEEDS} for seeds in EXPECTED.values())


@pytest.mark.parametrize(("competition_id", "seed"), TWINS if WHOLE else TWINS[::16])
def test_golden(competition_id: str, seed: int, tmp_path: Path) -> None:
    competition = Registry(tmp_path, edition="v2").get_competition(competition_id)
    found, expected = record(competition, seed), EXPECTED[competition_id][str(seed)]
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        same = found[name] == value
        assert same or math.isclose(found[name], value, rel_tol=1e-5, abs_tol=1e-7), name
