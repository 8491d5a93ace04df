"""What an agent can read with --obfuscate names nothing; what still tells is listed, and recognition is bounded."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import obfuscation_page
import pytest
from covered import COVERED, WHOLE

from mlebench.agents import command_agent
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry, registry
from mlebench.integrity.obfuscation.identification import Knowledge, by_words, identified, nearest, share_identified
from mlebench.integrity.obfuscation.leftovers import item_words
from mlebench.integrity.obfuscation.names import code, forbidden_names, names_within, prose, told_names
from mlebench.renaming.choosing import choose_renaming
from mlebench.runs.contract import make_home, public_data
from mlebench.runs.instructions import Conditions, Variant
from mlebench.runs.work_folders import hidden_work_folder

# Forbidden names in code of obfuscated descriptions: names of files and columns, and values. Values stay with --rename.
IN_FILE_AND_COLUMN_NAMES = {
    "herbarium-2020-fgvc7": ["NYBG"],
    "hotel-id-2021-fgvc8": ["hotel-id"],
    "hubmap-kidney-segmentation": ["HuBMAP"],
    "inaturalist-2019-fgvc6": ["Kaggle"],
    "iwildcam-2020-fgvc7": ["iWildCam", "MegaDetector"],
    "ml2021spring-hw2": ["TIMIT"],
    "multi-modal-gesture-recognition": ["mmrgc"],
    "new-york-city-taxi-fare-prediction": ["GCP"],
    "nfl-player-contact-detection": ["NFL"],
    "petfinder-pawpularity-score": ["Pawpularity"],
    "random-acts-of-pizza": ["RAOP"],
    "rsna-miccai-brain-tumor-radiogenomic-classification": ["BraTS"],
    "tabular-playground-series-dec-2021": ["cover type"],
    "tensorflow2-question-answering": ["simplified-nq"],
}
IN_VALUES = {
    "champs-scalar-coupling": ["dsgdb9nsd"],
    "google-quest-challenge": ["Stack Overflow", "StackOverflow"],
    "siim-isic-melanoma-classification": ["ISIC"],
}
# The largest shares of the 82 that may be named right, as docs/obfuscation.md states them.
MOST_IDENTIFIED = {
    (Knowledge.NAMES, "obfuscated"): 0.46,
    (Knowledge.NAMES, "renamed"): 0.43,
    (Knowledge.SUMMARIES, "obfuscated"): 0.83,
    (Knowledge.SUMMARIES, "renamed"): 0.82,
}
SAMPLED = ["siim-isic-melanoma-classification", "spooky-author-identification"]


def readable(competition: LocalCompetition, folder: Path, variant: Variant) -> dict[str, str]:
    """Everything that we write for an agent of an obfuscated run, by where it reads it."""
    conditions = Conditions(obfuscate=True, variant=variant)
    agent = command_agent("true")
    home = make_home(folder / "home", competition, agent, conditions, python=Path(sys.executable), environment={})
    texts = {path.relative_to(folder).as_posix(): path.read_text() for path in home.folder.rglob("*") if path.is_file()}
    texts["paths"] = "\n".join([*texts, str(hidden_work_folder(Path("group"), "run")), home.competition_id])
    texts["environment"] = "\n".join(f"{name}={value}" for name, value in home.environment.items())
    texts["command"] = "\n".join(home.command)
    description = public_data(competition, conditions, folder / "data") / "description.md"
    texts["description.md"] = prose(description.read_text(encoding="utf-8"))
    return texts


@pytest.mark.parametrize("competition_id", COVERED)
def test_nothing_that_an_agent_reads_names_the_competition(competition_id: str, tmp_path: Path) -> None:
    competition = Registry(tmp_path).get_competition(competition_id)
    competition.public_dir.mkdir(parents=True)
    (competition.public_dir / "description.md").write_text(competition.description, encoding="utf-8")
    texts = readable(competition, tmp_path / "run", "lite")
    assert {"home/instructions.txt", "home/validate_submission.sh", "description.md"} <= texts.keys()
    texts["description.md of v2"] = prose(competition.in_edition("v2").obfuscated_description())
    assert [str(told) for told in told_names(texts, forbidden_names(competition))] == []


@pytest.mark.parametrize("competition_id", COVERED)
def test_names_of_files_and_columns_that_tell_are_known(competition_id: str, tmp_path: Path) -> None:
    competition = registry.get_competition(competition_id)
    names, text = forbidden_names(competition), competition.obfuscated_description()
    values = IN_VALUES.get(competition_id, [])
    assert names_within(code(text), names) == [*IN_FILE_AND_COLUMN_NAMES.get(competition_id, []), *values]
    renamed = choose_renaming(text, tmp_path, sample=competition.declaration.sample).description(text)
    assert names_within(code(renamed), names) == values


def test_the_check_finds_a_name_that_comes_back() -> None:
    competition = registry.get_competition("hubmap-kidney-segmentation")
    names = forbidden_names(competition)
    for sentence in ("as\nin Hacking the\nKidney", "see kaggle.com", "by HuBMAP.", competition.id):
        assert told_names({"description.md": f"One line.\n{sentence}"}, names), sentence
    assert told_names({"description.md": "`HuBMAP`"}, names)
    assert prose("`HuBMAP` is\n```csv\nHuBMAP\n```\nno more") == " is\n\n\n\nno more"


@cache
def shown(how: str) -> dict[str, str]:
    texts = {name: registry.get_competition(name).obfuscated_description() for name in COVERED}
    if how == "obfuscated":
        return texts
    nowhere = Path(__file__).with_name("no such folder")
    return {name: choose_renaming(text, nowhere).description(text) for name, text in texts.items()}


def test_share_of_competitions_that_are_identified() -> None:
    competitions = [registry.get_competition(name) for name in COVERED]
    found = {}
    for knowledge, how in MOST_IDENTIFIED:
        known = {competition.id: knowledge.of(competition) for competition in competitions}
        found[knowledge, how] = share_identified(identified(shown(how), known))
    assert all(found[case] <= most for case, most in MOST_IDENTIFIED.items()), found


def test_the_attack_works_where_there_is_something_to_find() -> None:
    """The control: whoever knows the descriptions, or is shown the names, identifies nearly all."""
    competitions = [registry.get_competition(name) for name in COVERED]
    known = {competition.id: Knowledge.DESCRIPTIONS.of(competition) for competition in competitions}
    assert share_identified(nearest(shown("obfuscated"), known, by_words)) == 1.0
    titles = {competition.id: Knowledge.NAMES.of(competition) for competition in competitions}
    named = {competition.id: competition.description for competition in competitions}
    assert share_identified(nearest(named, titles, by_words)) > 0.95


def rows() -> dict[str, str]:
    lines = obfuscation_page.PAGE.read_text(encoding="utf-8").splitlines()
    return {line.split(" | ")[0].removeprefix("| "): line for line in lines if line.startswith("| ")}


def test_the_page_lists_every_competition_as_it_is() -> None:
    found = rows()
    assert [name for name in found if name != "competition"] == COVERED
    for name in COVERED:
        last = found[name].rsplit(" | ", 1)[1].removesuffix(" |")
        expected = obfuscation_page.row(registry.get_competition(name), last)
        assert found[name] == expected, "run python scripts/obfuscation_page.py"


@pytest.mark.parametrize("competition_id", COVERED if WHOLE else SAMPLED)
def test_the_page_lists_what_stays(competition_id: str, prepared_twin: Callable[[str], LocalCompetition]) -> None:
    expected = obfuscation_page.row(prepared_twin(competition_id))
    assert rows()[competition_id] == expected, "run python scripts/obfuscation_page.py"


def test_words_in_names_of_items(tmp_path: Path) -> None:
    for name in ("ISIC_1.jpg", "ISIC_2.jpg", "ISIC_33.jpg", "deadbeef.jpg", "Google7.txt", "known_thing.csv"):
        (tmp_path / name).touch()
    assert item_words(tmp_path, ["known_thing"], ["Google"]) == {"ISIC", "Google7"}
