"""What train shows beyond doubt is a leak in a test of a few items, too, and what chance could do there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make, picture, zipped
from test_values import searched

_Make = Callable[[np.random.Generator, "np.ndarray[Any, Any]"], list[str]]


def small(folder: Path, family: str, n_test: int, *, n: int = 260) -> World:
    """A competition with few items to predict."""
    world = make(folder, family, 7, n=n)
    world.files = {}
    for name in ("test", "answers", "sample"):
        setattr(world, name, getattr(world, name).iloc[:n_test].reset_index(drop=True))
    return world


def with_column(world: World, name: str, values: _Make) -> World:
    """The same column on both sides, made from the classes by their numbers."""
    rng, target = np.random.default_rng(3), world.targets[0]
    classes = sorted(set(world.train[target]))
    for side, answers in ((world.train, world.train), (world.test, world.answers)):
        side[name] = values(rng, np.array([classes.index(label) for label in answers[target]]))
    world.train = world.train[[*world.test.columns, target]]
    return world


def in_a_month_of_its_own(rng: np.random.Generator, classes: np.ndarray[Any, Any]) -> list[str]:
    right = np.where(rng.random(len(classes)) < 0.98, classes, rng.integers(0, 5, len(classes)))
    months = (7 * right) % 12 + 1
    return [f"2016-{month:02d}-{rng.integers(1, 29):02d}" for month in months]


def in_any_month(rng: np.random.Generator, classes: np.ndarray[Any, Any]) -> list[str]:
    return in_a_month_of_its_own(rng, rng.permutation(classes))


def with_its_own_decimals(rng: np.random.Generator, classes: np.ndarray[Any, Any]) -> list[str]:
    return [f"{rng.normal(40, 12):.{1 if one else 4}f}" for one in classes]


def of_a_score_that_knows(rng: np.random.Generator, classes: np.ndarray[Any, Any]) -> list[str]:
    return [f"{1 / (1 + np.exp(-5 * (2 * one - 1) - rng.uniform(-2, 2))):.4f}" for one in classes]


def of_a_good_feature(rng: np.random.Generator, classes: np.ndarray[Any, Any]) -> list[str]:
    """One with an area of 0.97 under its curve."""
    return [f"{one + rng.normal() * 0.375:.4f}" for one in classes]


def of_a_good_category(rng: np.random.Generator, classes: np.ndarray[Any, Any]) -> list[str]:
    """One that is the class but for one of a hundred items, and makes no mistake in these by chance."""
    return [f"kind {one + 3}" for one in classes]


def of_a_good_category_in_a_code(rng: np.random.Generator, classes: np.ndarray[Any, Any]) -> list[str]:
    return [f"K{one + 3}-{rng.integers(1000, 10000)}" for one in classes]


def of_persons(rng: np.random.Generator, classes: np.ndarray[Any, Any]) -> list[str]:
    right = np.where(rng.random(len(classes)) < 0.98, classes, 1 - classes)
    return [f"p-{2 * rng.integers(0, 15) + one}" for one in right]


def of_persons_with_any_class(rng: np.random.Generator, classes: np.ndarray[Any, Any]) -> list[str]:
    return of_persons(rng, rng.permutation(classes))


@pytest.mark.parametrize(
    ("values", "family", "n_test", "is_found"),
    [
        (in_a_month_of_its_own, "multiclass", 20, True),
        (in_any_month, "multiclass", 20, False),
        (with_its_own_decimals, "binary", 16, True),
        (of_a_score_that_knows, "binary", 14, True),
        (of_a_good_feature, "binary", 14, False),
        (of_a_good_category, "binary", 14, False),
        (of_a_good_category_in_a_code, "binary", 14, False),
        (of_persons, "binary", 40, True),
        (of_persons_with_any_class, "binary", 40, False),
    ],
)
def test_a_column_that_train_shows_to_be_certain(
    values: _Make, family: str, n_test: int, is_found: bool, tmp_path: Path
) -> None:
    world = with_column(small(tmp_path, family, n_test), "noted", values)
    found = [one.where for one in searched(world, "columns", "groups", "foretold") if one.severity == "leak"]
    assert ("test.csv: noted" in found) is is_found
    assert is_found or not found


def test_recordings_in_which_classes_take_turns_are_a_suspicion(tmp_path: Path) -> None:
    world = small(tmp_path, "multiclass", 25)
    rng, [target] = np.random.default_rng(3), world.targets
    whole = pd.concat([world.train, world.answers])[target]
    starts = {label: np.flatnonzero(np.arange(40) % 5 == place) for place, label in enumerate(sorted(set(whole)))}
    for side, answers in ((world.train, world.train), (world.test, world.answers)):
        hours = [int(rng.choice(starts[label])) for label in answers[target]]
        side["recorded_at"] = [f"2019-03-{1 + hour // 24:02d} {hour % 24:02d}:{rng.integers(10, 50)}" for hour in hours]
    world.train = world.train[[*world.test.columns, target]]
    assert {(one.where, one.severity) for one in searched(world, "foretold")} == {
        ("test.csv: recorded_at", "suspicious")
    }


@pytest.mark.parametrize("by_class", [True, False])
def test_archives_whose_members_lie_class_by_class(by_class: bool, tmp_path: Path) -> None:
    world = small(tmp_path, "pictures", 20)
    rng, [target] = np.random.default_rng(5), world.targets
    for side, answers in (("train", world.train), ("test", world.answers)):
        lying = answers.sample(frac=1.0, random_state=2)
        lying = lying.sort_values(target, kind="stable") if by_class else lying
        names = lying[world.key]
        world.files[f"{side}.zip"] = zipped({f"{side}/{name}.png": picture(rng, 0.0) for name in names})
    found = [one.where for one in searched(world, "foretold") if one.severity == "leak"]
    assert any(where.endswith(": order") for where in found) is by_class


@pytest.mark.parametrize("by_class", [True, False])
def test_dates_of_files_that_were_written_class_by_class(by_class: bool, tmp_path: Path) -> None:
    """Of so many classes that hardly any has two items to predict."""
    world = make(tmp_path, "pictures", 7, n=240)
    rng, [target] = np.random.default_rng(5), world.targets
    world.files, names = {}, [f"class {number:02d}" for number in range(60)]
    for side, answers in (("train", world.train), ("test", world.answers)):
        labels = rng.permutation(np.resize(np.arange(60), len(answers)))
        answers[target] = [names[label] for label in labels]
        moments = labels if by_class else rng.permutation(labels)
        for name, moment in zip(answers[world.key], moments, strict=True):
            path = f"{side}_files/{name}.png"
            world.files[path] = picture(rng, 0.0)
            world.times[path] = 1.4e9 + 900 * int(moment) + int(rng.integers(0, 600))
    world.sample = pd.DataFrame({world.key: world.answers[world.key], target: names[0]})
    found = [one.where for one in searched(world, "foretold") if one.severity == "leak"]
    assert any(where.endswith(": mtime") for where in found) is by_class
