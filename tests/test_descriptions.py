"""Descriptions are true: they have one shape, and name exactly the files and columns that contestants get."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from covered import COVERED, PRACTICE

from mlebench.checking.described import Description, content_problems, example_problems, shape_problems
from mlebench.description import obfuscated
from mlebench.local import LocalCompetition
from mlebench.registry import registry

NAMES = Path(__file__).parent / "names"
ALL = [*COVERED, *PRACTICE]


@pytest.mark.parametrize("competition_id", ALL)
def test_shape(competition_id: str) -> None:
    folder = registry.get_competition(competition_id).declaration.folder
    assert list(shape_problems(Description(folder / "description.md"))) == []


@pytest.mark.parametrize("competition_id", ALL)
def test_obfuscated_variant_names_nothing(competition_id: str) -> None:
    competition = registry.get_competition(competition_id)
    text = obfuscated(competition.description, competition.name, competition.id).lower()
    assert competition.id.lower() not in text
    assert competition.name.lower() not in text
    prose = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)  # names of files and columns are what they are
    assert "kaggle" not in prose, "provenance belongs into the part Background"
    for name in forbidden(competition_id):
        assert not re.search(rf"\b{re.escape(name.lower())}\b", prose), f"{name} belongs into the part Background"


def forbidden(competition_id: str) -> list[str]:
    """Competition, host, sponsor, data set and authors: what would tell which competition this is."""
    if competition_id in PRACTICE:
        return []
    lines = (NAMES / f"{competition_id}.txt").read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip()]


@pytest.mark.parametrize("competition_id", COVERED)
def test_names_what_is_there(competition_id: str, prepared_twin: Callable[[str], LocalCompetition]) -> None:
    competition = prepared_twin(competition_id)
    check_named_files(competition)


def check_named_files(competition: LocalCompetition) -> None:
    description = Description(competition.declaration.folder / "description.md", competition.edition)
    assert content_problems(description, competition.public_dir) == []
    assert list(example_problems(description, competition.sample_submission)) == []
