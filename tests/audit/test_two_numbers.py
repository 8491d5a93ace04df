"""Places to predict that stand in a table without ids, beside a map that has those of train as well."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import make
from test_values import searched


@pytest.mark.parametrize("shown", ["test", "both", "apart"])
def test_pairs_of_answers_in_a_table_without_ids_are_a_leak(shown: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    rng = np.random.default_rng(3)
    whole = pd.DataFrame({world.key: [f"fix{number:04d}" for number in rng.permutation(300)]})
    whole["satellites"] = rng.integers(4, 12, 300)
    whole["lat"], whole["lng"] = rng.uniform(46, 48, 300).round(7), rng.uniform(7, 9, 300).round(7)
    world.targets = ["lat", "lng"]
    world.train, rest = whole[:180], whole[180:].reset_index(drop=True)
    world.test, world.answers = rest.drop(columns=["lat", "lng"]), rest[[world.key, "lat", "lng"]]
    world.sample = world.answers.assign(lat=47.0, lng=8.0)
    places = (rest if shown != "both" else whole)[["lat", "lng"]].sample(frac=0.6, random_state=1)
    if shown == "apart":
        places["lng"] = rng.permutation(places["lng"])
    world.files["rover.csv"] = places.rename(columns={"lat": "y", "lng": "x"}).to_csv(index=False).encode()
    expected = [("leak", "rover.csv: y, x")] if shown == "test" else []
    assert [(one.severity, one.where) for one in searched(world, "places")] == expected
