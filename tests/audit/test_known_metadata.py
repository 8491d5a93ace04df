"""What has no honest reason to tell the answers is a leak where train shows the same relation, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from clean_worlds import World, make
from test_values import searched


def world_with(share: float, folder: Path, place: str) -> World:
    """Ids, or a column, whose last character is that of the class so often, on both sides."""
    world = make(folder, "binary", 7, n=1500)
    rng, [target] = np.random.default_rng(3), world.targets
    world.files = {}
    marks = np.array(["3", "a"])
    for side, answers in ((world.train, world.train), (world.test, world.answers)):
        truth = answers[target].to_numpy(int)
        shown = np.where(rng.random(len(side)) < share, truth, rng.integers(0, 2, len(side)))
        names = [
            f"{number:08x}{mark}"
            for number, mark in zip(rng.integers(0, 1 << 32, len(side)), marks[shown], strict=True)
        ]
        if place == "ids":
            side[world.key] = names
        else:
            side[place] = marks[shown]
    if place == "ids":
        world.answers[world.key] = world.sample[world.key] = world.test[world.key]
    world.train = world.train[[*world.test.columns, target]]
    return world


@pytest.mark.parametrize(
    ("share", "severity"), [(0.9, {"leak"}), (0.5, {"suspicious"}), (0.15, set())], ids=["most", "half", "few"]
)
def test_ids_that_tell_the_class_on_both_sides(share: float, severity: set[str], tmp_path: Path) -> None:
    found = searched(world_with(share, tmp_path, "ids"), "columns")
    assert {one.severity for one in found if one.where.startswith("the ids")} == severity


@pytest.mark.parametrize(("share", "severity"), [(0.9, {"suspicious"}), (0.75, set())], ids=["most", "many"])
def test_a_column_that_tells_nearly_all_on_both_sides_is_no_leak(
    share: float, severity: set[str], tmp_path: Path
) -> None:
    assert {one.severity for one in searched(world_with(share, tmp_path, "office"), "columns")} == severity


def test_numbers_with_some_mistakes_are_told_as_they_are(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 7, n=600)
    rng, [target] = np.random.default_rng(5), world.targets
    frame = world.answers.sample(frac=1.0, random_state=1)
    wrong = rng.random(len(frame)) < 0.15
    frame.loc[wrong, target] = rng.permutation(frame.loc[wrong, target].to_numpy())
    world.files = {"notes.txt": "\n".join(f"{key}  {value}" for key, value in frame.to_numpy().tolist()).encode()}
    [told] = [one for one in searched(world, "columns") if one.severity == "leak" and "word 2" in one.where]
    assert told.kind == "answers_in_public"
    [prediction] = told.predictions
    right = prediction.values.astype(float) == world.answers[target].to_numpy()[prediction.rows]
    assert right.mean() > 0.8
