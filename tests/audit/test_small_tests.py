"""Answers of so few items that chance might give them, and what train or the whole of them says to that."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make, picture
from PIL.PngImagePlugin import PngInfo
from test_values import searched


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
