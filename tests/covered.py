"""The competitions that the parity, invariant and description tests must cover, and their golden files."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from mlebench import facts
from mlebench.competition.registry import registry

GOLDEN = Path(__file__).parent / "golden"
# CI asks for less of what repeats itself on its further interpreters, where the same code runs once more.
BRIEF = os.environ.get("MLEBENCH_TESTS") == "brief"
# And more of it is done by hand, before a change of the competitions.
WHOLE = os.environ.get("MLEBENCH_TESTS") == "whole"
GOLDEN_V2 = Path(__file__).parent / "golden_v2.json"
COVERED = sorted(facts.published_ids())
PRACTICE = [each.id for each in registry.all_competitions() if each.declaration.group == "practice"]


def golden(competition_id: str) -> dict[str, Any]:
    """What preparing and grading the twin of seed 0 must give."""
    loaded: dict[str, Any] = json.loads((GOLDEN / f"{competition_id}.json").read_text(encoding="utf-8"))
    return loaded
