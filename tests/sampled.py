"""Of the audit's tests with many cases of one kind some are run, evenly spread.

`MLEBENCH_AUDIT=all` runs all of them, `MLEBENCH_AUDIT=others` those alone that are left out otherwise.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from covered import WHOLE

AUDIT = Path(__file__).parent / "audit"
_MOST = 4  # cases of a test


def cases_left_out(config: pytest.Config, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The cases that are not run now; what was asked for by name is."""
    asked = os.environ.get("MLEBENCH_AUDIT")
    is_asked_for = bool(config.option.keyword) or any("::" in argument for argument in config.args)
    if is_asked_for or WHOLE or asked == "all":
        return []
    cases: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        if item.path.parent == AUDIT and not item.get_closest_marker("every_case"):
            cases.setdefault((item.path, getattr(item, "originalname", item.name)), []).append(item)
    left_out = [item for found in cases.values() if len(found) > _MOST for item in _but_for_some(found)]
    if asked == "others":
        others = {id(item) for item in left_out}
        return [item for item in items if id(item) not in others]
    return left_out


def _but_for_some(found: list[pytest.Item]) -> list[pytest.Item]:
    kept = {round(step * (len(found) - 1) / (_MOST - 1)) for step in range(_MOST)}
    return [item for place, item in enumerate(found) if place not in kept]
