"""Masks and lists that are like the answers without being equal to them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from clean_worlds import World, make
from test_baskets import shop
from test_values import searched

from mlebench.audit.runs import overlap, runs_of
from mlebench.audit.table import LONGEST

_SIZE = 40


def disc(row: float, column: float, radius: float) -> str:
    """The runs of a disc."""
    rows, columns = np.mgrid[:_SIZE, :_SIZE]
    flat = ((rows - row) ** 2 + (columns - column) ** 2 <= radius**2).ravel(order="F").astype(int)
    edges = np.flatnonzero(np.diff(np.concatenate([[0], flat, [0]])))
    return " ".join(f"{start + 1} {end - start}" for start, end in zip(edges[::2], edges[1::2], strict=True))


def segmented(tmp_path: Path) -> tuple[World, np.ndarray]:
    """A world whose answers are discs, and where these are: row, column and radius."""
    world = make(tmp_path, "masks", 5, n=240)
    [target] = world.targets
    rng = np.random.default_rng(3)
    for table in (world.train, world.answers):
        places = rng.uniform([8, 8, 3], [32, 32, 7], (len(table), 3))
        table[target] = [disc(*place) for place in places]
    world.sample[target] = "1 1"
    return world, places


@pytest.mark.parametrize(
    ("change", "is_leak"),
    [
        ((0, 0, 2), True),  # dilated
        ((0, 0, -1), True),  # eroded
        ((3, -2, 0), True),  # shifted
        (None, False),  # those of other items
    ],
)
def test_masks_of_the_sample_that_are_like_the_answers_are_found(
    change: tuple[float, float, float] | None, is_leak: bool, tmp_path: Path
) -> None:
    world, places = segmented(tmp_path)
    told = np.roll(places, 1, axis=0) if change is None else places + np.array(change)
    world.sample[world.targets[0]] = [disc(*place) for place in told]
    assert [one.severity for one in searched(world, "alike")] == ["leak"] * is_leak


@pytest.mark.parametrize("in_train", [False, True])
def test_a_column_of_masks_is_a_leak_where_train_has_none_like_it(in_train: bool, tmp_path: Path) -> None:
    world, places = segmented(tmp_path)
    [target] = world.targets
    world.test["outline"] = [disc(*place) for place in places + np.array([1, 1, 1])]
    if in_train:
        world.train["outline"] = world.train[target]
    assert {one.kind for one in searched(world, "alike")} == (set() if in_train else {"answers_in_public"})


@pytest.mark.parametrize(("right", "is_leak"), [(1.0, True), (0.6, True), (0.0, False)])
def test_lists_of_the_sample_that_have_a_right_one_are_found(right: float, is_leak: bool, tmp_path: Path) -> None:
    world = shop(tmp_path)
    rng = np.random.default_rng(0)
    firsts = [answer.split()[0] for answer in world.answers[world.targets[0]]]
    told = [first if rng.random() < right else str(rng.choice(firsts)) for first in firsts]
    world.sample[world.targets[0]] = [f"{first} item1 item2" for first in told]
    assert [one.severity for one in searched(world, "alike")] == ["leak"] * is_leak


def test_a_sample_that_repeats_the_given_text_is_no_hint(tmp_path: Path) -> None:
    world = shop(tmp_path)
    [target] = world.targets
    world.test[target] = [f"{answer.split()[0]} item1 item2" for answer in world.answers[target]]
    world.sample[target] = world.test[target].to_numpy()
    assert not list(searched(world, "alike"))


def test_runs_overlap_and_are_read_where_they_were_cut() -> None:
    one, other = runs_of("1 4 11 4"), runs_of("3 4 11 4")
    assert one is not None and other is not None and overlap(one, other) == 6 / 10
    assert overlap(one, one) == 1.0
    long = " ".join(f"{10 * place} 5" for place in range(1, 1000))
    assert runs_of("7") is None and runs_of(long[:LONGEST]) is not None
