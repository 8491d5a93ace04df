"""What a table says of both members of a pair: equal for pairs with one answer, whatever the table is written in."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_values import searched


def with_members(world: World, sides: tuple[str, ...], form: str, *, is_honest: bool) -> World:
    """Items that are pairs of articles, and a file that gives the work of each article; equal ones are of class 1."""
    rng, [target] = np.random.default_rng(2), world.targets
    articles = [f"art{number}" for number in rng.permutation(2 * (len(world.train) + len(world.test)))]
    work: dict[str, int] = {}
    pairs: list[list[str]] = []
    for side, table in (("train", world.train), ("test", world.test)):
        given = world.train[target] if side == "train" else world.labels()
        left, right = ([articles.pop() for _ in range(len(table))] for _ in range(2))
        table["article"], table["other"] = left, right
        for number, (one, two, label) in enumerate(zip(left, right, given.astype(int), strict=True)):
            if side in sides:
                is_same = rng.random() < 0.5 + 0.2 * (label - 0.5) if is_honest else label == 1
                work[one] = len(table) * len(pairs) + 7 * number
                work[two] = work[one] if is_same else work[one] + 3
                pairs += [[one, two]] if is_same else []
    if form == "json":
        world.files["works.json"] = json.dumps(work).encode()
    elif form == "csv":
        frame = pd.DataFrame({"article": list(work), "work": list(work.values())}).sample(frac=1, random_state=1)
        world.files["works.csv"] = frame.to_csv(index=False).encode()
    else:
        frame = pd.DataFrame([pair[::-1] for pair in pairs], columns=["newer", "older"])
        world.files["works.csv"] = frame.to_csv(index=False).encode()
    return world


@pytest.mark.parametrize("form", ["json", "csv", "pairs"])
@pytest.mark.parametrize("sides", [("test",), ("train", "test")])
def test_members_of_one_group_make_an_answer(sides: tuple[str, ...], form: str, tmp_path: Path) -> None:
    world = with_members(make(tmp_path, "binary", 5, n=240), sides, form, is_honest=False)
    [found] = searched(world, "members")
    assert (found.kind, found.severity) == ("answers_in_public", "leak")
    assert found.where.startswith("works.")


@pytest.mark.parametrize("form", ["json", "csv", "pairs"])
def test_what_two_members_share_may_tell_something(form: str, tmp_path: Path) -> None:
    world = with_members(make(tmp_path, "binary", 5, n=240), ("train", "test"), form, is_honest=True)
    assert searched(world, "members") == []


def test_pairs_of_common_values_are_in_train_and_no_members(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=700)
    [target] = world.targets
    for frame, values in ((world.train, world.train[target]), (world.test, world.labels())):
        rank = values.rank(pct=True).to_numpy()
        for name in ("rooms", "district"):
            frame[name] = (world.rng.geometric(0.03 + 0.3 * rank**3) % 60).astype(int)
    assert searched(world, "members") == []


def test_a_second_copy_of_the_items_says_nothing_of_their_members(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=700)
    [target] = world.targets
    for frame, values in ((world.train, world.train[target]), (world.test, world.labels())):
        is_far = (values.rank(pct=True) > 0.7).to_numpy()
        for name in ("left", "upper", "right", "lower"):
            frame[name] = np.where(is_far, 0.0, world.rng.normal(40, 1, len(frame)).round(5))
    world.train = world.train[world.train["left"] != 0]
    world.files["copy.tsv"] = world.test.to_csv(index=False, sep="\t").encode()
    assert [found for found in searched(world, "members") if found.severity != "note"] == []
