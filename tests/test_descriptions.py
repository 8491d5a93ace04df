"""Descriptions are true: they have one shape, and name exactly the files and columns that contestants get."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from covered import COVERED, PRACTICE

from mlebench.description import SECTIONS, named_files, obfuscated, sections
from mlebench.local import LocalCompetition
from mlebench.registry import registry

ALL = [*COVERED, *PRACTICE]


@pytest.mark.parametrize("competition_id", ALL)
def test_shape(competition_id: str) -> None:
    text = registry.get_competition(competition_id).description
    assert text.startswith("# "), "a description begins with the name of the competition"
    assert tuple(sections(text)) == SECTIONS
    assert "```" in sections(text)["Submission"], "the submission part shows an example"


@pytest.mark.parametrize("competition_id", ALL)
def test_obfuscated_variant_names_nothing(competition_id: str) -> None:
    competition = registry.get_competition(competition_id)
    text = obfuscated(competition.description, competition.name, competition.id).lower()
    assert competition.id.lower() not in text
    assert competition.name.lower() not in text
    prose = re.sub(r"`[^`]*`", "", text)  # names of files are what they are
    assert "kaggle" not in prose, "provenance belongs into the part Background"


@pytest.mark.parametrize("competition_id", COVERED)
def test_names_what_is_there(competition_id: str, prepared_twin: Callable[[str], LocalCompetition]) -> None:
    competition = prepared_twin(competition_id)
    check_named_files(competition)


def check_named_files(competition: LocalCompetition) -> None:
    found = {
        path.relative_to(competition.public_dir).as_posix(): path
        for path in competition.public_dir.rglob("*")
        if path.is_file() and path.name != "description.md"
    }
    named = named_files(competition.description)
    unnamed = [path for path in found if not any(each.pattern.fullmatch(path) for each in named)]
    assert not unnamed, f"files that the description does not name: {unnamed[:5]}"
    for each in named:
        matching = [found[path] for path in found if each.pattern.fullmatch(path)]
        assert matching, f"the description names {each.name}, which does not exist"
        if matching[0].name.endswith((".csv", ".csv.zip")):
            assert sorted(each.columns) == sorted(columns(matching[0])), f"columns of {each.name}"


def columns(path: Path) -> list[str]:
    return [str(name) for name in pd.read_csv(path, nrows=0).columns]
