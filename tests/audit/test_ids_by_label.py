"""Ids that were given after the items were sorted by their answers, shuffled within a class, and ids that were not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import make, picture
from test_values import searched

_FORMS: dict[str, Callable[[int, int], str | int]] = {
    "numbers": lambda number, drawn: number,
    "words and numbers": lambda number, drawn: f"item_{number:05d}",
    "a year and a number": lambda number, drawn: f"T2019-{number:05d}",
    "a number and another": lambda number, drawn: f"x{number:05d}_{drawn}",
}


@pytest.mark.parametrize("family", ["binary", "multiclass", "regression"])
@pytest.mark.parametrize("form", list(_FORMS))
@pytest.mark.parametrize(("by_answer", "whole"), [(True, True), (True, False), (False, True)])
def test_ids_that_were_given_class_by_class(
    family: str, form: str, by_answer: bool, whole: bool, tmp_path: Path
) -> None:
    world = make(tmp_path, family, 3, n=300)
    world.files = {}
    rng = np.random.default_rng(1)
    [target] = world.targets
    sides = [frame[[world.key, target]] for frame in (world.train, world.answers)]
    names: dict[object, str | int] = {}
    for number, frame in enumerate([pd.concat(sides)] if whole else sides):
        shuffled = frame.sample(frac=1, random_state=number)
        if by_answer and (whole or frame is sides[1]):
            classes = shuffled[target].astype(str) if family != "regression" else shuffled[target] // 8
            shuffled = shuffled.assign(block=classes).sort_values("block", kind="stable")
        places = 40_000 * (number + 1) + np.cumsum(rng.integers(1, 4, len(shuffled)))
        drawn = rng.integers(10, 99, len(shuffled))
        given = zip(shuffled[world.key], places.tolist(), drawn.tolist(), strict=True)
        names |= {item: _FORMS[form](place, other) for item, place, other in given}
    for frame in (world.train, world.test, world.answers, world.sample):
        frame[world.key] = frame[world.key].map(names)
    world.train, world.test, world.sample = (
        frame.sample(frac=1, random_state=seed).reset_index(drop=True)
        for seed, frame in enumerate((world.train, world.test, world.sample))
    )
    found = [one.where for one in searched(world, "columns") if one.severity == "leak"]
    assert bool(found) is by_answer
    assert all(where.startswith("the ids") for where in found)


@pytest.mark.parametrize(("family", "n"), [("binary", 90), ("multiclass", 90), ("regression", 300)])
@pytest.mark.parametrize("by_answer", [True, False])
def test_files_that_were_written_class_by_class(family: str, n: int, by_answer: bool, tmp_path: Path) -> None:
    world = make(tmp_path, family, 3, n=n)
    world.files = {}
    rng = np.random.default_rng(1)
    for side, frame in (("train", world.train), ("test", world.answers)):
        shuffled = frame.sample(frac=1, random_state=1)
        if by_answer and side == "test":
            shuffled = shuffled.sort_values(world.targets[0], kind="stable")
        for second, item in enumerate(shuffled[world.key]):
            world.files[f"{side}/{item}.png"] = picture(rng, 0.0)
            world.times[f"{side}/{item}.png"] = 1.65e9 + second
    found = [one.where for one in searched(world, "columns") if one.severity == "leak"]
    assert bool(found) is by_answer
