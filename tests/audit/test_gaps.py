"""Inputs that items to predict lack: rows of a table, cells, and files with a content of their own."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from PIL import Image
from test_values import searched

from mlebench.audit.finding import Found


def with_parts(world: World) -> World:
    """A competition with tables of parts, three rows of each item."""
    rng = np.random.default_rng(4)
    for side, table in (("train", world.train), ("test", world.test)):
        parts = pd.DataFrame({world.key: np.repeat(table[world.key].to_numpy(), 3)})
        parts["length"] = rng.normal(size=len(parts)).round(3)
        world.files[f"{side}_parts.csv"] = parts.to_csv(index=False).encode()
    return world


def places(found: list[Found]) -> list[tuple[str, str, str]]:
    return [(one.kind, one.severity, one.where) for one in found]


@pytest.mark.parametrize("name", ["test.csv", "test_parts.csv"])
def test_items_without_a_row_that_those_of_train_have_are_suspicious(name: str, tmp_path: Path) -> None:
    world = with_parts(make(tmp_path, "regression", 5, n=200))
    assert searched(world, "gaps") == []
    gone = set(world.test[world.key].iloc[::5])
    if name == "test.csv":
        world.test = world.test[~world.test[world.key].isin(gone)]
    else:
        parts = pd.read_csv(io.BytesIO(world.files[name]))
        world.files[name] = parts[~parts[world.key].isin(gone)].to_csv(index=False).encode()
    assert places(searched(world, "gaps")) == [("missing_inputs", "suspicious", name)]


@pytest.mark.parametrize("value", [None, "[removed]"])
@pytest.mark.parametrize("in_train", [False, True])
def test_texts_that_say_nothing_in_test_alone_are_suspicious(value: str | None, in_train: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "texts", 5, n=300)
    for table, is_changed in ((world.test, True), (world.train, in_train)):
        # Texts of their own, as most are: where many repeat, one more that does says nothing.
        table["text"] = [f"{text} {number}" for number, text in enumerate(table["text"])]
        if is_changed:
            table.loc[table.index[::4], "text"] = value
    expected = [] if in_train else [("missing_inputs", "suspicious", "test.csv: text")]
    assert places(searched(world, "gaps")) == expected


@pytest.mark.parametrize("in_train", [False, True])
def test_pictures_that_are_all_the_same_in_test_alone_are_suspicious(in_train: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 5, n=120)
    assert searched(world, "gaps") == []
    black = io.BytesIO()
    Image.new("L", (16, 16)).save(black, "PNG")
    for side in ("test", "train") if in_train else ("test",):
        for name in [name for name in world.files if name.startswith(f"{side}_files/")][::4]:
            world.files[name] = black.getvalue()
    found = searched(world, "gaps")
    assert [one.severity for one in found] == ([] if in_train else ["suspicious"])
