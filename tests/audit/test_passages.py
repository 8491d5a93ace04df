"""Answers one after the other: tables with a column per day or per shop, arrays, lists that go on."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_defects import with_sides
from test_values import searched

DAYS, CUT = 60, 48


def shops(world: World, *, repeats: bool = False) -> pd.DataFrame:
    rng, [target] = np.random.default_rng(3), world.targets
    parts = []
    for shop in range(8):
        sales = rng.integers(50, 150, 12)[np.arange(DAYS) % 12] if repeats else rng.integers(50, 150, DAYS)
        dates = pd.date_range("2021-03-01", periods=DAYS).strftime("%Y-%m-%d")
        ids = [f"s{shop}_{date}" for date in dates]
        parts.append(pd.DataFrame({world.key: ids, "date": dates, "shop": f"s{shop}", target: sales}))
    return pd.concat(parts).sort_values(["date", "shop"]).reset_index(drop=True)


def as_file(wide: pd.DataFrame, form: str) -> tuple[str, bytes]:
    """A table with a row per shop and a column per day, in many forms."""
    names = {
        "dates in words": [pd.Timestamp(date).strftime("%d %b %Y") for date in wide.columns],
        "numbers of days": [f"d_{number}" for number in range(len(wide.columns))],
    }
    if form in names:
        return "more/matrix.csv", wide.set_axis(names[form], axis=1).reset_index().to_csv(index=False).encode()
    if form == "a column per shop":
        turned = wide.set_axis([f"unit {row}" for row in range(len(wide))]).T
        return "more/matrix.csv", turned.iloc[::-1].reset_index(drop=True).to_csv(index=False).encode()
    data = io.BytesIO()
    np.save(data, wide.to_numpy())
    return "more/matrix.npy", data.getvalue()


@pytest.mark.parametrize("form", ["dates in words", "numbers of days", "a column per shop", "array"])
@pytest.mark.parametrize("kind", ["answers", "train alone", "repeats"])
def test_series_of_answers_are_found_by_their_values(kind: str, form: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    whole = shops(world, repeats=kind == "repeats")
    cut = whole["date"].unique()[CUT]
    wide = whole.pivot_table(index="shop", columns="date", values=world.targets[0])
    shown = wide.loc[:, wide.columns < cut] if kind == "train alone" else wide
    with_sides(world, whole, (whole["date"] >= cut).to_numpy())
    where, data = as_file(shown, form)
    world.files[where] = data
    found = [(one.where.partition(" (")[0], one.severity) for one in searched(world, "passages")]
    assert set(found) == ({(where, "leak")} if kind == "answers" else set())
