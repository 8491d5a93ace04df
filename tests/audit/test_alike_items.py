"""Items of test that are in train: pictures however small they are, and among items that are equal by chance."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from PIL import Image

from mlebench.audit.auditing import audit
from mlebench.audit.finding import Found

_SIDE = 8


def saved(pixels: np.ndarray, form: str = "PNG") -> bytes:
    memory = io.BytesIO()
    Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8)).save(memory, form)
    return memory.getvalue()


def pictured(tmp_path: Path, draw: Callable[[np.random.Generator], np.ndarray]) -> tuple[World, dict[str, np.ndarray]]:
    """A contest of single pictures, of which some of test are given back."""
    world = make(tmp_path, "multiclass", 5, n=300)
    pixels = {}
    for side in (world.train, world.test):
        for name in side[world.key]:
            drawn = draw(world.rng)
            folder = "train" if side is world.train else "test"
            world.files[f"{folder}_images/{name}.png"] = saved(drawn)
            if folder == "test":
                pixels[str(name)] = drawn
    return world, pixels


def copy_to_train(world: World, pixels: dict[str, np.ndarray], changed: Callable[[np.ndarray], np.ndarray]) -> None:
    """Half of the pictures of test, under other names and with their labels."""
    [target] = world.targets
    answers = world.answers.astype({world.key: str}).set_index(world.key)[target]
    kind = world.train[world.key].dtype
    rows = []
    for number, (name, drawn) in enumerate(list(pixels.items())[::2]):
        other = 700000 + number if kind.kind in "iu" else f"copy_{number:04d}"
        world.files[f"train_images/{other}.png"] = saved(changed(drawn))
        rows.append({**world.train.iloc[number].to_dict(), world.key: other, target: answers[name]})
    joined = pd.concat([world.train, pd.DataFrame(rows)], ignore_index=True)
    world.train = joined.sample(frac=1, random_state=1).astype({world.key: kind})


def of_copies(world: World) -> list[Found]:
    return [found for found in audit(world.write()).findings if found.kind == "duplicates"]


@pytest.mark.parametrize(
    "changed",
    [lambda drawn: drawn + 3.0, lambda drawn: drawn[:, ::-1], lambda drawn: drawn.repeat(2, 0).repeat(2, 1)],
    ids=["brighter", "mirrored", "larger"],
)
def test_copies_of_tiny_pictures_are_seen(changed: Callable[[np.ndarray], np.ndarray], tmp_path: Path) -> None:
    world, pixels = pictured(tmp_path, lambda rng: 100 + 20 * rng.normal(size=(_SIDE, _SIDE, 3)))
    copy_to_train(world, pixels, changed)
    assert [found.severity for found in of_copies(world)] == ["leak"]


def test_tiny_pictures_that_nobody_copied_are_none(tmp_path: Path) -> None:
    world, _ = pictured(tmp_path, lambda rng: 100 + 20 * rng.normal(size=(_SIDE, _SIDE, 3)))
    assert not of_copies(world)


@pytest.mark.parametrize("is_copied", [True, False])
def test_copies_show_in_the_answers_where_pictures_are_equal_by_chance(is_copied: bool, tmp_path: Path) -> None:
    world, pixels = pictured(tmp_path, lambda rng: 2 * rng.integers(1, 120) * np.eye(_SIDE))
    if is_copied:
        copy_to_train(world, pixels, lambda drawn: drawn)
    severities = [found.severity for found in of_copies(world)]
    assert severities[0] == ("suspicious" if is_copied else "note")


def test_a_file_with_the_name_of_a_train_item_is_no_further_file_of_an_equal_one_of_test(tmp_path: Path) -> None:
    from mlebench.audit.survey import survey
    from mlebench.audit.targets import read_task

    world, pixels = pictured(tmp_path, lambda rng: 100 + 20 * rng.normal(size=(_SIDE, _SIDE, 3)))
    copy_to_train(world, pixels, lambda drawn: drawn)
    found = survey(read_task(world.write()))
    assert {file.entry.name.split("/")[0] for file in found.test_files} == {"test_images"}
    assert len(found.test_files) == len(pixels)
