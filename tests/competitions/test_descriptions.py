"""Descriptions are true: they have one shape, and name exactly the files and columns that contestants get."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from covered import COVERED, PRACTICE

from mlebench.checking.described import Description, content_problems, example_problems, shape_problems
from mlebench.competition.description import obfuscated, sections
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import registry
from mlebench.competition.vocabulary import Edition

ALL = [*COVERED, *PRACTICE]
COUNT = re.compile(r"\b\d{1,3}(,\d{3})+\b|\b\d{3,}\b|\bmillion\b")
# Facts that a contestant cannot work without, by words that say them.
FACTS = {
    "random-acts-of-pizza": ["5,671", "UTC", "0 if there was no earlier post", "flair"],
    "mlsp-2013-birds": ["645", "Hamming", "k-means", "smallest and largest x (time)"],
    "nomad2018-predict-transparent-conductors": ["3,000", "space group", "angstrom"],
    "ranzcr-clip-catheter-line-classification": ["40,000", "30,083", "endotracheal tube"],
    "text-normalization-challenge-english-language": ["`ELECTRONIC`", "`TELEPHONE`", "`ADDRESS`", "sil"],
    "text-normalization-challenge-russian-language": ["`ELECTRONIC`", "`TELEPHONE`", "`VERBATIM`", "_trans"],
}


# Every text of v1, and those of v2 that differ from it.
TEXTS = [(each, "v1") for each in ALL] + [
    (each, "v2") for each in ALL if registry.get_competition(each).declaration.differs("v2")
]


@pytest.mark.parametrize(("competition_id", "edition"), TEXTS)
def test_shape(competition_id: str, edition: Edition) -> None:
    folder = registry.get_competition(competition_id).declaration.folder
    assert list(shape_problems(Description(folder / "description.md", edition))) == []


@pytest.mark.parametrize(("competition_id", "edition"), TEXTS)
def test_metric_says_what_is_better(competition_id: str, edition: Edition) -> None:
    competition = registry.get_competition(competition_id).in_edition(edition)
    metric = " ".join(sections(competition.description)["Metric"].lower().split())
    assert competition.declaration is not None
    better = competition.declaration.better
    assert f"{better} is better" in metric
    assert f"{'lower' if better == 'higher' else 'higher'} is better" not in metric


@pytest.mark.parametrize(("competition_id", "edition"), TEXTS)
def test_obfuscated_variant_says_how_much_data_there_is(competition_id: str, edition: Edition) -> None:
    kept = sections(obfuscated(registry.get_competition(competition_id).in_edition(edition).description))
    prose = re.sub(r"`[^`]*`", "", kept["Task"] + kept["Data"])
    assert COUNT.search(prose), "the size of the data belongs into the part Data, which the obfuscated variant keeps"


@pytest.mark.parametrize("competition_id", sorted(FACTS))
def test_obfuscated_variant_keeps_what_a_contestant_needs(competition_id: str) -> None:
    text = " ".join(obfuscated(registry.get_competition(competition_id).description).split())
    assert [fact for fact in FACTS[competition_id] if fact not in text] == []


@pytest.mark.parametrize("competition_id", COVERED)
def test_names_what_is_there(competition_id: str, prepared_twin: Callable[[str], LocalCompetition]) -> None:
    competition = prepared_twin(competition_id)
    check_named_files(competition)


def check_named_files(competition: LocalCompetition) -> None:
    description = Description(competition.declaration.folder / "description.md", competition.edition)
    assert content_problems(description, competition.public_dir) == []
    assert list(example_problems(description, competition.sample_submission)) == []
