"""Answers of so few items that chance might give them, and what train or the whole of them says to that."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make, picture
from numpy.typing import NDArray
from PIL.PngImagePlugin import PngInfo
from test_values import searched

from mlebench.audit.likeness import of_array, seen_again


def small(folder: Path, family: str, positives: int, negatives: int) -> World:
    """A world with a few items to predict, so many of which are positive."""
    world = make(folder, family, 7, n=240)
    [target] = world.targets
    chosen = [
        row
        for label, count in ((1, positives), (0, negatives))
        for row in np.flatnonzero(world.answers[target].to_numpy() == label)[:count]
    ]
    world.answers = world.answers.iloc[np.random.default_rng(2).permutation(chosen)].reset_index(drop=True)
    names = world.answers[world.key]
    world.test = world.test.set_index(world.key).loc[names].reset_index()
    world.sample = world.sample.set_index(world.key).loc[names].reset_index()
    world.files = {}
    return world


def severities(world: World, name: str) -> set[str]:
    return {found.severity for found in searched(world, "columns") if found.where.startswith(name)}


@pytest.mark.parametrize("is_planted", [True, False])
def test_labels_of_all_items_that_are_right_in_train_are_a_leak_in_a_small_test(
    is_planted: bool, tmp_path: Path
) -> None:
    world = small(tmp_path, "binary", 3, 5)
    both = pd.concat([side[[world.key, *world.targets]] for side in (world.train, world.answers)])
    both.columns = pd.Index(["name", "outcome"])
    if not is_planted:
        both["outcome"] = both["outcome"].to_numpy() ^ (np.random.default_rng(3).random(len(both)) < 0.1)
    world.files["old/report.csv"] = both.sample(frac=1.0, random_state=1).to_csv(index=False).encode()
    assert severities(world, "old/report.csv") == ({"leak"} if is_planted else set())


@pytest.mark.parametrize("wrong", [0, 1])
def test_all_answers_of_a_small_test_are_suspicious_where_train_has_nothing_to_compare(
    wrong: int, tmp_path: Path
) -> None:
    world = small(tmp_path, "binary", 3, 7)
    said = world.answers[world.targets[0]].to_numpy() ^ (np.arange(10) < wrong)
    lines = [f"{label}/{name}.jpg" for name, label in zip(world.answers[world.key], said, strict=True)]
    world.files["MANIFEST.txt"] = "\n".join(lines).encode()
    assert severities(world, "MANIFEST.txt") == (set() if wrong else {"suspicious"})


@pytest.mark.parametrize("is_planted", [True, False])
def test_metadata_of_both_sides_are_a_leak_in_a_small_test(is_planted: bool, tmp_path: Path) -> None:
    world = small(tmp_path, "pictures", 5, 6)
    rng, [target] = np.random.default_rng(3), world.targets
    for side, answers in (("train", world.train), ("test", world.answers)):
        said = answers[target].to_numpy() if is_planted else rng.permutation(answers[target].to_numpy())
        for name, label in zip(answers[world.key], said, strict=True):
            info = PngInfo()
            info.add_text("Protocol", ["negative", "positive"][label])
            world.files[f"{side}_files/{name}.png"] = picture(rng, 0.0, info)
    assert severities(world, "test_files/") == ({"leak"} if is_planted else set())


@pytest.mark.parametrize("is_planted", [True, False])
def test_a_further_column_of_the_sample_has_the_lists_of_a_few_items(is_planted: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "lists", 7, n=240)
    rng, [target] = np.random.default_rng(1), world.targets
    world.test, world.answers, world.sample = (
        side.head(8).reset_index(drop=True) for side in (world.test, world.answers, world.sample)
    )
    for side in (world.test, world.answers, world.sample):
        side[world.key] = [f"{number:04d}" for number in range(100, 108)]
    truth = world.answers[target].to_numpy()
    world.sample["truth"] = truth if is_planted else rng.permutation(truth)
    found = [one for one in searched(world, "sample") if "truth" in one.where]
    assert [one.severity for one in found] == (["leak"] if is_planted else [])


@pytest.mark.parametrize("is_planted", [True, False])
def test_a_word_in_the_tags_of_test_alone_is_a_leak_in_a_small_test(is_planted: bool, tmp_path: Path) -> None:
    world = small(tmp_path, "pictures", 11, 12)
    rng, [target] = np.random.default_rng(3), world.targets
    for side, answers in (("train", world.train), ("test", world.answers)):
        said = answers[target].to_numpy() if is_planted else rng.permutation(answers[target].to_numpy())
        for name, label in zip(answers[world.key], said, strict=True):
            info = PngInfo()
            if side == "test":
                info.add_text("comment", f"op{3 + label}-{rng.integers(1000):03d}")
            world.files[f"{side}_files/{name}.png"] = picture(rng, 0.0, info)
    assert severities(world, "test_files/") == ({"leak"} if is_planted else set())


@pytest.mark.parametrize("is_planted", [True, False])
def test_long_lists_of_a_dozen_items_that_lack_what_the_answers_have_between_their_parts(
    is_planted: bool, tmp_path: Path
) -> None:
    world = make(tmp_path, "lists", 7, n=240)
    rng, [target] = np.random.default_rng(1), world.targets
    world.test, world.answers, world.sample = (
        side.head(12).reset_index(drop=True) for side in (world.test, world.answers, world.sample)
    )
    boxes = [" ".join(f"{number:.6f}" for number in rng.normal(2000, 50, (3, 7)).ravel()) for _ in range(12)]
    parts = [[f"{' '.join(text.split()[start : start + 7])} car" for start in (0, 7, 14)] for text in boxes]
    world.answers[target] = [" ".join(f"1.0 {part}" for part in mine) for mine in parts]
    copied = [" ".join(mine) for mine in parts]
    names = world.answers[world.key]
    table = pd.DataFrame({world.key: names, target: copied if is_planted else copied[1:] + copied[:1]})
    world.files["old/train.csv"] = table.to_csv(index=False).encode()
    found = [one for one in searched(world, "contained") if one.where.startswith("old/train.csv")]
    assert [one.severity for one in found] == (["leak"] if is_planted else [])


@pytest.mark.parametrize("is_planted", [True, False])
def test_rows_of_a_sample_that_begin_with_those_without_an_answer(is_planted: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "lists", 7, n=240)
    rng, [target] = np.random.default_rng(1), world.targets
    world.answers.loc[rng.random(len(world.answers)) < 0.25, target] = None
    if is_planted:
        order = np.argsort(world.answers[target].notna().to_numpy(), kind="stable")
        world.sample = world.sample.iloc[order].reset_index(drop=True)
    found = [one for one in searched(world, "sample") if "order of rows" in one.where]
    assert [one.severity for one in found] == (["leak"] if is_planted else [])


@pytest.mark.parametrize("is_planted", [True, False])
def test_some_answers_in_a_sample_are_found_beside_numbers_of_another_form(is_planted: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 7, n=1200)
    rng, [target] = np.random.default_rng(1), world.targets
    whole = rng.integers(20, 90, len(world.answers))
    world.answers[target] = whole
    guessed = np.round(rng.normal(55, 20, len(whole)), 2)
    is_told = rng.random(len(whole)) < 0.4
    shown = whole if is_planted else rng.permutation(whole)
    world.sample[target] = [
        str(one) if told else str(other) for told, one, other in zip(is_told, shown, guessed, strict=True)
    ]
    found = [one for one in searched(world, "sample") if one.where.endswith(f": {target}")]
    assert [one.severity for one in found] == (["leak"] if is_planted else [])


@pytest.mark.parametrize(("right", "severity"), [(5, ["suspicious"]), (2, [])])
def test_a_few_ones_in_a_sample_of_zeros_are_odd_where_all_are_right(
    right: int, severity: list[str], tmp_path: Path
) -> None:
    world = small(tmp_path, "binary", 12, 34)
    [target] = world.targets
    known = np.flatnonzero(world.answers[target].to_numpy() == 1)[:right]
    others = np.flatnonzero(world.answers[target].to_numpy() == 0)[: 5 - right]
    world.sample[target] = 0
    world.sample.loc[[*known, *others], target] = 1
    assert [one.severity for one in searched(world, "sample") if one.where.endswith(f": {target}")] == severity


@pytest.mark.parametrize("is_planted", [True, False])
def test_classes_that_follow_one_another_in_a_small_sample(is_planted: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 7, n=240)
    world.test, world.answers, world.sample = (
        side.head(20).reset_index(drop=True) for side in (world.test, world.answers, world.sample)
    )
    if is_planted:
        order = np.argsort(world.labels().to_numpy(), kind="stable")
        world.sample = world.sample.iloc[order].reset_index(drop=True)
    found = [one for one in searched(world, "sample") if "order of rows" in one.where]
    assert [one.severity for one in found] == (["leak"] if is_planted else [])


def test_small_arrays_that_are_nearly_equal_are_seen_again() -> None:
    def saved(array: NDArray[np.float32]) -> bytes:
        buffer = io.BytesIO()
        np.save(buffer, array)
        return buffer.getvalue()

    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=(3, 20)).astype(np.float32) for _ in range(30)]
    copied = [saved(np.float32(1.001) * array) for array in arrays[:10]]
    items = np.arange(30)
    pairs = seen_again(copied, [saved(array) for array in arrays], items[:10], items, of_array)
    assert pairs is not None
    assert pairs.test == {item: [item] for item in range(10)}
    assert of_array(saved(arrays[0][:1])) == [], "so few numbers are alike by chance"


@pytest.mark.parametrize(("others", "found"), [(1, {"leak"}), (6, set())])
def test_a_code_in_a_short_list_of_a_dozen_items(others: int, found: set[str], tmp_path: Path) -> None:
    world = small(tmp_path, "binary", 5, 10)
    [target] = world.targets
    rng = np.random.default_rng(4)
    listed = pd.DataFrame({"id": world.answers[world.key], "y": world.answers[target].map({0: "p", 1: "q"})})
    for number in range(others):
        listed[f"other {number}"] = rng.normal(size=len(listed)).round(3)
    world.files["old/list.csv"] = listed.sample(frac=1, random_state=1).to_csv(index=False).encode()
    assert severities(world, "old/list.csv: y") == found
