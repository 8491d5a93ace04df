"""Descriptions are true: they have one shape, and name exactly the files and columns that contestants get."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from contents import ARCHIVES, RECORDS, TABLES, columns, keys, members, records
from covered import COVERED, PRACTICE

from mlebench.description import SECTIONS, Named, named_files, obfuscated, sections
from mlebench.local import LocalCompetition
from mlebench.registry import registry

NAMES = Path(__file__).parent / "names"
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


@pytest.mark.parametrize("competition_id", ALL)
def test_shape(competition_id: str) -> None:
    text = registry.get_competition(competition_id).description
    assert text.startswith("# "), "a description begins with the name of the competition"
    assert tuple(sections(text)) == SECTIONS
    assert "```" in sections(text)["Submission"], "the submission part shows an example"


@pytest.mark.parametrize("competition_id", ALL)
def test_metric_says_what_is_better(competition_id: str) -> None:
    competition = registry.get_competition(competition_id)
    metric = " ".join(sections(competition.description)["Metric"].lower().split())
    assert competition.declaration is not None
    better = competition.declaration.better
    assert f"{better} is better" in metric
    assert f"{'lower' if better == 'higher' else 'higher'} is better" not in metric


@pytest.mark.parametrize("competition_id", ALL)
def test_obfuscated_variant_says_how_much_data_there_is(competition_id: str) -> None:
    kept = sections(obfuscated(registry.get_competition(competition_id).description))
    prose = re.sub(r"`[^`]*`", "", kept["Task"] + kept["Data"])
    assert COUNT.search(prose), "the size of the data belongs into the part Data, which the obfuscated variant keeps"


@pytest.mark.parametrize("competition_id", sorted(FACTS))
def test_obfuscated_variant_keeps_what_a_contestant_needs(competition_id: str) -> None:
    text = " ".join(obfuscated(registry.get_competition(competition_id).description).split())
    assert [fact for fact in FACTS[competition_id] if fact not in text] == []


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
    check_example(competition)


def check_example(competition: LocalCompetition) -> None:
    """The example of a submission has columns of the sample submission, and as many cells in every row."""
    example = re.search(r"```csv\n(.*?)```", sections(competition.description)["Submission"], flags=re.DOTALL)
    assert example is not None, "the example of a submission is a block of csv"
    header, *rows = csv.reader(io.StringIO(example[1]))
    assert rows
    assert {len(row) for row in rows} == {len(header)}
    sample = pd.read_csv(competition.sample_submission, nrows=1)
    assert set(header) - {"…"} <= set(sample.columns)


def check_named_files(competition: LocalCompetition) -> None:
    found = {
        path.relative_to(competition.public_dir).as_posix(): path
        for path in competition.public_dir.rglob("*")
        if path.is_file() and path.name != "description.md"
    }
    check_named(named_files(competition.description), {name: path.read_bytes for name, path in found.items()}, "public")


def check_named(named: Sequence[Named], found: Mapping[str, Callable[[], bytes]], where: str) -> None:
    """Every file is named, every name is a file, and what is named inside a file is there and nothing else."""
    unnamed = [path for path in found if not any(each.pattern.fullmatch(path) for each in named)]
    assert not unnamed, f"{where}: files that the description does not name: {unnamed[:5]}"
    for each in named:
        matching = [path for path in found if each.pattern.fullmatch(path)]
        # Of several names that match a file the longest is meant: `<id>-region.json` is not just any `<id>.json`.
        matching.sort(key=lambda path: any(len(other.name) > len(each.name) for other in matching_names(named, path)))
        assert matching or "<" in each.name, f"{where}: the description names {each.name}, which does not exist"
        if matching and not each.name.endswith("/"):
            check_inside(each, matching[0], found[matching[0]], where)


def matching_names(named: Sequence[Named], path: str) -> list[Named]:
    return [each for each in named if each.pattern.fullmatch(path)]


def check_inside(named: Named, path: str, read: Callable[[], bytes], where: str) -> None:
    if path.endswith(TABLES):
        found = columns(path, read())
        unnamed = [name for name in found if not any(each.pattern.fullmatch(name) for each in named.inside)]
        absent = [each.name for each in named.inside if not any(each.pattern.fullmatch(name) for name in found)]
        assert not unnamed, f"{where}: columns of {path} that the description does not name: {unnamed[:5]}"
        assert not absent, f"{where}: the description names columns that {path} does not have: {absent[:5]}"
    elif path.endswith(ARCHIVES):
        check_named(named.inside, members(path, read()), f"{where}/{path}")
    elif path.endswith(RECORDS) and (named.inside or "/" not in where):  # the same file once more in an archive
        check_keys(named, records(path, read()), f"{where}/{path}")


def check_keys(named: Named, values: Sequence[Any], where: str) -> None:
    """The keys of objects are named, level by level; keys that are data themselves are named by a pattern."""
    found = keys(values)
    unnamed = [key for key in found if not any(each.pattern.fullmatch(key) for each in named.inside)]
    assert not unnamed, f"{where}: keys that the description does not name: {unnamed[:5]}"
    for each in named.inside:
        below = [value for key, values in found.items() if each.pattern.fullmatch(key) for value in values]
        assert below, f"{where}: the description names the key {each.name}, which does not exist"
        if each.inside:
            check_keys(each, below, f"{where}: {each.name}")
