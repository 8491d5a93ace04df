"""Long answers that stand in a public table as they are: without ids, with ids of wholes, or of one item alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_values import searched


def masks(folder: Path, count: int) -> tuple[World, list[str]]:
    """A world with so many masks to predict, and as many others."""
    world = make(folder, "masks", 5, n=240)
    rng, [target] = np.random.default_rng(1), world.targets
    drawn = [" ".join(map(str, np.cumsum(rng.integers(1, 9, 24)))) for _ in range(2 * count)]
    world.files = {}
    world.test, world.answers, world.sample = (
        side.head(count).reset_index(drop=True) for side in (world.test, world.answers, world.sample)
    )
    world.answers[target] = drawn[:count]
    return world, drawn[count:]


@pytest.mark.parametrize("is_planted", [True, False])
@pytest.mark.parametrize(
    ("form", "count"), [("lines", 30), ("parts of one id", 30), ("one item", 1), ("a log of one", 1)]
)
def test_long_answers_are_found_as_they_are(form: str, count: int, is_planted: bool, tmp_path: Path) -> None:
    world, others = masks(tmp_path, count)
    said = world.answers[world.targets[0]].tolist() if is_planted else others
    shuffled = [said[place] for place in np.random.default_rng(2).permutation(count)]
    if form == "lines":
        world.files["masks.txt"] = "\n".join(shuffled).encode()
    elif form == "parts of one id":
        names = [f"scan_{number // 3}" for number in range(count)]
        frame = pd.DataFrame({"scan": names, "mask": shuffled})
        world.files["masks.txt"] = frame.to_csv(index=False).encode()
    elif form == "one item":
        world.files["masks.txt"] = f"name\trle\n{world.answers[world.key][0]}\t{said[0]}\n".encode()
    else:
        world.files["masks.txt"] = f'{{"split": "test", "at": 17.5, "value": "{said[0]}"}}\n'.encode()
    found = searched(world, "written_out")
    assert {(one.severity, one.where.partition(":")[0]) for one in found} == (
        {("leak", "masks.txt")} if is_planted else set()
    )


def test_texts_that_are_given_and_those_of_train_are_no_answers(tmp_path: Path) -> None:
    world, _ = masks(tmp_path, 30)
    [target] = world.targets
    world.train[target] = np.resize(world.answers[target].to_numpy(), len(world.train))
    world.test["draft"] = world.answers[target].to_numpy()
    assert searched(world, "written_out") == []
