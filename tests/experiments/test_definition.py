"""The file of an experiment: what it says, and what is wrong with one is one sentence before anything runs."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from experiments.files import THREE_ARMS, WINE, write

from mlebench.competition.registry import Registry
from mlebench.errors import MlebenchError
from mlebench.experiments.definition import OPTIONS, changes, load_experiment
from mlebench.experiments.planning import plan_arms
from mlebench.runs.options import RunOptions


def test_an_arm_has_the_options_of_a_run() -> None:
    """All of them, apart from what an experiment decides for all arms."""
    assert set(OPTIONS) == {field.name for field in fields(RunOptions)} - {"seeds", "seed", "workers", "config"}


def test_arms_have_what_is_shared_and_what_is_their_own(tmp_path: Path) -> None:
    experiment = load_experiment(write(tmp_path))
    assert [arm.name for arm in experiment.arms] == ["a", "b", "c"]
    assert experiment.varied == ["time_limit"]
    assert [arm.options["time_limit"] for arm in experiment.arms] == ["2m", "3m", "4m"]
    assert (experiment.seeds, experiment.competitions) == ((0, 1, 2), (WINE,))


def test_paths_are_relative_to_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    text = THREE_ARMS.replace('name = "b"', 'name = "b"\nmaterial = "kernels/{competition}"\nagents_dir = "mine"')
    experiment = load_experiment(write(tmp_path, text))
    options = experiment.resolved(experiment.arms[1])
    assert options["material"] == str(tmp_path / "kernels/{competition}")
    assert options["agents_dir"] == [tmp_path / "mine"]


ARM = '[[arms]]\nname = "b"\n'
WRONG = {
    "no TOML": ("name = three", "three.toml:1:8 is not valid TOML."),
    "an unknown key": (THREE_ARMS.replace("seeds", "sedes"), "it has the unknown key 'sedes'. Do you mean seeds?"),
    "an unknown key of an arm": (
        THREE_ARMS.replace('time_limit = "3m"', 'time = "3m"'),
        "the arm b has the unknown key 'time'. Do you mean time_limit?",
    ),
    "a key that is not an arm's": (
        THREE_ARMS.replace('time_limit = "3m"', "workers = 3"),
        "the arm b has the unknown key 'workers'.",
    ),
    "an unknown default": (
        THREE_ARMS.replace("[defaults]", "[defaults]\nshoes = 2"),
        "defaults has the unknown key 'shoes'. It may have agent,",
    ),
    "two arms of one name": (THREE_ARMS.replace('name = "c"', 'name = "b"'), "two arms have the name b."),
    "arms that are the same": (THREE_ARMS.replace("4m", "3m"), "the arms b and c are the same."),
    "no arms": (THREE_ARMS.partition("[[arms]]")[0], "it has no arms."),
    "an arm without a name": (THREE_ARMS.replace('name = "b"', ""), "arm 2 has no name."),
    "a name that is a path": (
        THREE_ARMS.replace('"three"', '"../three"'),
        "its name cannot be '../three': it has only letters",
    ),
    "no split": (
        THREE_ARMS.replace(f'competitions = ["{WINE}"]', ""),
        "it needs a split",
    ),
    "a split that does not exist": (
        THREE_ARMS.replace(f'competitions = ["{WINE}"]', 'split = "light"'),
        "there is no split 'light', and no file of that name beside it. Splits are",
    ),
    "a time that is a list": (THREE_ARMS.replace('"3m"', "[3]"), "time_limit of the arm b must be a number or a text"),
    "half a GPU": (THREE_ARMS.replace(ARM, f"{ARM}gpus = 0.5\n"), "gpus of the arm b must be a whole number."),
    "a truth that is a text": (THREE_ARMS.replace(ARM, f'{ARM}obfuscate = "no"\n'), "must be true or false."),
    "seeds that are texts": (THREE_ARMS.replace("seeds = 3", 'seeds = "3"'), "seeds must be a whole number or a list"),
    "a seed twice": (THREE_ARMS.replace("seeds = 3", "seeds = [1, 1]"), "A seed is given twice."),
    "no edition": (THREE_ARMS.replace("seeds", 'edition = "v9"\nseeds'), "there is no edition 'v9'."),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_with_a_file_is_one_sentence(wrong: str, tmp_path: Path) -> None:
    text, sentence = WRONG[wrong]
    with pytest.raises(MlebenchError) as refused:
        load_experiment(write(tmp_path, text))
    assert sentence in str(refused.value)
    assert str(tmp_path / "three.toml") in str(refused.value)


NOT_RUNNABLE = {
    "an unknown agent": (THREE_ARMS.replace(ARM, f'{ARM}agent = "aidee"\n'), "aidee"),
    "an unknown competition": (THREE_ARMS.replace(WINE, "practice-beer"), "practice-beer"),
    "an unknown executor": (THREE_ARMS.replace(ARM, f'{ARM}executor = "moon"\n'), "moon"),
    "no amount": (THREE_ARMS.replace("3m", "long"), "long"),
    "material that is not there": (THREE_ARMS.replace(ARM, f'{ARM}material = "papers"\n'), "papers"),
    "a model without a key": (THREE_ARMS.replace(ARM, f'{ARM}model = "gpt-4o"\n'), "OPENAI_API_KEY"),
}


@pytest.mark.parametrize("wrong", NOT_RUNNABLE)
def test_an_arm_that_cannot_be_run_is_named_before_anything_is_made(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    text, about = NOT_RUNNABLE[wrong]
    experiment = load_experiment(write(tmp_path, text))
    with pytest.raises(MlebenchError) as refused:
        plan_arms(experiment, Registry(tmp_path / "data"))
    assert about in str(refused.value)
    assert wrong == "an unknown competition" or "The arm b of" in str(refused.value)


def test_changes_are_named(tmp_path: Path) -> None:
    before = load_experiment(write(tmp_path)).to_dict()
    with_comment = load_experiment(write(tmp_path, f"# The same.\n{THREE_ARMS}")).to_dict()
    assert changes(before, with_comment) == []
    after = load_experiment(write(tmp_path, THREE_ARMS.replace("3m", "5m").replace("seeds = 3", "seeds = 2"))).to_dict()
    assert changes(before, after) == [
        "seeds was [0, 1, 2] and is [0, 1]",
        "arms.b.time_limit was '3m' and is '5m'",
    ]


def test_a_split_may_be_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text(f"{WINE}  # one\n")
    text = THREE_ARMS.replace(f'competitions = ["{WINE}"]', 'split = "mine.txt"')
    experiment = load_experiment(write(tmp_path, text))
    assert [competition.id for competition in experiment.chosen(Registry(tmp_path))] == [WINE]
    (tmp_path / "mine.txt").write_text("practice-digits\n")
    assert changes(experiment.to_dict(), load_experiment(experiment.path).to_dict()), "other competitions"
