"""Two columns that make the answers without an error, in tests of few items."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from clean_worlds import World, make
from test_values import searched

_TREES = ("ash", "birch", "cedar", "elm", "fir")


def with_parts(folder: Path, family: str, *, error: float) -> World:
    """A small competition with two columns on both sides, the difference of which is the answer, but for an error."""
    world = make(folder, family, 4, n=60)
    [target] = world.targets
    world.test, world.answers, world.sample = (one.iloc[:14] for one in (world.test, world.answers, world.sample))
    rng = np.random.default_rng(2)
    for table, labels in ((world.train, world.train[target]), (world.test, world.answers[target])):
        codes = labels if family == "regression" else labels.map({name: place for place, name in enumerate(_TREES)})
        first = rng.uniform(500, 1500, len(table)).round(4)
        noise = rng.normal(0, max(error * float(np.std(codes)), 1e-12), len(table))
        table.insert(1, "opening", first)
        table.insert(1, "closing", (first + codes + noise).round(4))
    return world


@pytest.mark.parametrize("family", ["regression", "multiclass"])
@pytest.mark.parametrize(("error", "is_leak"), [(0.0, True), (0.3, False)])
def test_a_difference_that_is_the_answer_is_found_in_a_few_items(
    family: str, error: float, is_leak: bool, tmp_path: Path
) -> None:
    found = searched(with_parts(tmp_path, family, error=error), "together")
    assert [one.severity for one in found] == ["leak"] * is_leak
    assert all("closing" in one.where for one in found)
