"""Answers that are numbers in arrays of the items to predict, with a little noise."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from numpy.typing import NDArray
from test_samples_of_rows import replaced
from test_values import searched


def npy(array: NDArray[Any]) -> bytes:
    np.save(out := io.BytesIO(), array)
    return out.getvalue()


def noisy(values: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    found: NDArray[Any] = values + rng.normal(0, 0.1 * values.std(), values.shape)
    return found


def leaks(world: World) -> list[str]:
    return [found.where for found in searched(world, "vectors") if found.severity == "leak"]


@pytest.mark.parametrize("shown", ["test", "both", "others"])
@pytest.mark.parametrize("name", ["cache/{}.npy", "cache/{}_y.npy"])
def test_an_answer_in_the_middle_of_an_array_is_a_leak_where_train_has_none(
    name: str, shown: str, tmp_path: Path
) -> None:
    world = make(tmp_path, "regression", 4, n=240)
    [target] = world.targets
    rng = np.random.default_rng(4)
    world.files = {}
    for frame in (world.answers, *([world.train] if shown == "both" else [])):
        values = noisy(frame[target].to_numpy(float), rng)
        values = rng.permutation(values) if shown == "others" else values
        for item, value in zip(frame[world.key], values, strict=True):
            array = np.insert(rng.normal(size=30), 12, value)
            world.files[name.format(item)] = npy(array)
    assert leaks(world) == ["cache/*.npy"] * (shown == "test")


def with_places(folder: Path) -> World:
    """Things with twelve places each, which have a row and two answers each."""
    rng = np.random.default_rng(7)
    world = make(folder, "regression", 7, n=60)
    world.key = "id_place"

    def side(start: int) -> pd.DataFrame:
        names = [f"th_{rng.bytes(3).hex()}{start}_{place}" for _ in range(12) for place in range(12)]
        things = np.repeat([name.rpartition("_")[0] for name in names[::12]], 12)
        ids = [f"{thing}_{number % 12}" for number, thing in enumerate(things)]
        frame = pd.DataFrame({"id_place": ids, "base": rng.choice(list("ACGU"), len(ids))})
        return frame.assign(decay=rng.normal(size=len(ids)).round(4))

    return replaced(world, side(1), side(2))


@pytest.mark.parametrize("form", ["each", "each, longer", "turned", "stack"])
@pytest.mark.parametrize("shown", ["test", "features", "others"])
def test_arrays_with_the_answers_of_several_rows(form: str, shown: str, tmp_path: Path) -> None:
    world = with_places(tmp_path)
    rng = np.random.default_rng(8)
    values = noisy(world.answers["decay"].to_numpy(float), rng)
    values = rng.permutation(values) if shown == "others" else values
    table = np.column_stack([rng.normal(size=len(values)), values]).reshape(12, 12, 2)
    things = [str(name).rpartition("_")[0] for name in world.test["id_place"][::12]]
    if shown == "features":
        for name in world.train["id_place"][::12]:
            world.files[f"y/{str(name).rpartition('_')[0]}.npy"] = npy(rng.normal(size=(12, 2)))
    if form == "stack":
        world.files["y/all.npy" if shown != "features" else "y.npy"] = npy(table)
    for thing, array in zip(things, table, strict=True) if form != "stack" else ():
        longer = np.vstack([array, rng.normal(size=(3, 2))]) if form == "each, longer" else array
        world.files[f"y/{thing}.npy"] = npy(longer.T if form == "turned" else longer)
    is_leak = shown == "test" or (shown == "features" and form == "stack")
    assert bool(leaks(world)) is is_leak
