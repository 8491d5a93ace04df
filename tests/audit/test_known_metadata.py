"""What has no honest reason to tell the answers is a leak where train shows the same relation, too."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from clean_worlds import World, make
from test_values import searched

from mlebench.audit.survey import survey
from mlebench.audit.targets import read_task


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


@pytest.mark.parametrize(("mark", "is_found"), [(" ", True), ("\u200b", True), ("!", False)], ids=ascii)
def test_what_nobody_sees_in_a_text_tells_the_answers_on_both_sides(mark: str, is_found: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 7, n=600)
    rng, [target] = np.random.default_rng(5), world.targets
    world.files = {}
    for side, answers in ((world.train, world.train[target]), (world.test, world.answers[target])):
        is_high = answers.to_numpy() > world.train[target].median()
        is_high ^= rng.random(len(is_high)) < 0.03
        words = rng.choice(["good", "bad", "slow", "fast", "box", "late"], (len(side), 9))
        side["review"] = [" ".join(row) + mark * int(high) for row, high in zip(words, is_high, strict=True)]
    world.train = world.train[[*world.test.columns, target]]
    found = {one.where for one in searched(world, "columns") if one.severity == "leak"}
    assert ("test.csv: review" in found) is is_found


@pytest.mark.parametrize("by_class", [True, False])
def test_folders_of_both_sides_that_are_of_one_class_each(by_class: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 7, n=240)
    rng, [target] = np.random.default_rng(5), world.targets
    kept, world.files = world.files, {}
    for side, answers in (("train", world.train), ("test", world.answers)):
        for name, label in zip(answers[world.key], answers[target], strict=True):
            folder = int(label) if by_class and rng.random() < 0.95 else int(rng.integers(0, 2))
            [content] = [data for path, data in kept.items() if str(name) in path]
            world.files[f"{side}_files/part{folder + 3}/{name}.png"] = content
    found = {one.where for one in searched(world, "columns") if one.severity == "leak"}
    assert any(": folder" in where for where in found) is by_class
    assert by_class or not found


@pytest.mark.parametrize(("family", "is_amount"), [("regression", True), ("multiclass", False)])
def test_whole_numbers_are_amounts_to_a_grader_that_prefers_near_ones(
    family: str, is_amount: bool, tmp_path: Path
) -> None:
    world = make(tmp_path, family, 7, n=600)
    rng, [target] = np.random.default_rng(5), world.targets
    world.files = {}
    for side in (world.train, world.answers):
        side[target] = rng.integers(0, 12, len(side))
    world.sample[target] = 4
    surveyed = survey(read_task(world.write()))
    assert surveyed.train is not None
    kinds = {side.targets[0].n_classes for side in (surveyed.test, surveyed.train)}
    assert kinds == ({0} if is_amount else {12})


@pytest.mark.parametrize("by_class", [True, False])
def test_a_property_of_more_values_than_are_looked_at(by_class: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 7, n=14_000)
    rng, [target] = np.random.default_rng(3), world.targets
    world.files = {}
    for side, answers in ((world.train, world.train), (world.test, world.answers)):
        truth = answers[target].to_numpy(int)
        marks = np.where(truth if by_class else rng.permutation(truth), "4", "7")
        parts = rng.integers(10**4, 10**5, (2, len(side)))
        side["tag"] = [f"S{one}{mark}{other}" for one, mark, other in zip(parts[0], marks, parts[1], strict=True)]
    world.train = world.train[[*world.test.columns, target]]
    found = {one.where for one in searched(world, "columns") if one.severity == "leak"}
    assert found == ({"test.csv: tag"} if by_class else set())


@pytest.mark.parametrize(("noise", "severity"), [(0.05, {"leak"}), (3.0, set())])
def test_rows_that_both_sides_sort_by_the_answers(noise: float, severity: set[str], tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 3, n=600)
    rng, [target] = np.random.default_rng(1), world.targets
    order = np.argsort(world.answers[target] + rng.normal(0, noise, len(world.answers)), kind="stable")
    world.test = world.test.iloc[order].reset_index(drop=True)
    world.train = world.train.iloc[np.argsort(world.train[target] + rng.normal(0, noise, len(world.train)))]
    found = [one for one in searched(world, "columns") if one.where == "test.csv: (order of rows)"]
    assert {one.severity for one in found} == severity
