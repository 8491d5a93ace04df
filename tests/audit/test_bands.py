"""Bins of the numbers to predict, and categories that only have numbers of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from clean_worlds import World, make
from numpy.typing import NDArray
from test_values import searched

CASES = {
    "terciles": True,
    "halves": True,
    "with mistakes": True,
    "of a feature": False,
    "natural": False,
    "random": False,
}


def with_bands(folder: Path, case: str) -> World:
    world = make(folder, "regression", 5, n=900)
    rng, [target] = np.random.default_rng(4), world.targets
    world.files = {}

    def bands(y: NDArray[np.float64]) -> NDArray[np.object_]:
        limits = np.quantile(whole, [0.5] if case == "halves" else [0.33, 0.66])
        if case == "of a feature":  # R² 0.97
            y = y + rng.normal(0, 0.17 * whole.std(), len(y))
        found = np.array(["low", "mid", "top"], dtype=object)[np.searchsorted(limits, y)]
        if case in ("with mistakes", "random"):
            wrong = rng.random(len(y)) < (0.02 if case == "with mistakes" else 0.5)
            found[wrong] = rng.choice(["low", "mid", "top"], int(wrong.sum()))
        return found

    whole = world.train[target].to_numpy(float)
    for side, answers in ((world.train, world.train), (world.test, world.answers)):
        if case == "natural":  # three makes, at prices far apart
            make_of = rng.integers(0, 3, len(side))
            answers[target] = (100 * make_of + rng.normal(0, 5, len(side))).round(2)
            side["stratum"] = np.array(["low", "mid", "top"], dtype=object)[make_of]
        else:
            side["stratum"] = bands(answers[target].to_numpy(float))
    world.train = world.train[[*world.test.columns, target]]
    return world


@pytest.mark.parametrize(("case", "is_leak"), list(CASES.items()))
def test_bins_of_the_answers_are_a_leak_on_both_sides(case: str, is_leak: bool, tmp_path: Path) -> None:
    found = searched(with_bands(tmp_path, case), "bands")
    assert [(one.severity, one.where) for one in found] == [("leak", "test.csv: stratum")] * is_leak
