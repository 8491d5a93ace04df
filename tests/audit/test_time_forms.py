"""Dates in all the forms that files and tables have them in, where train is later than what is to be predicted."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make, picture
from PIL import Image
from test_values import searched

FORMS = {
    "date": "%d/%m/%Y",
    "day": "%m/%d/%Y",
    "made": "%Y%m%d%H%M%SZ",
    "stamp": "%Y%m%d",
    "file": "cam1_%Y-%m-%d_a.png",
    "created_utc": "%s",
    "taken": "%d %b %Y",
    "month": "%Y%m",
}


def days(world: World, split: str) -> tuple[pd.DatetimeIndex, pd.DatetimeIndex]:
    """The days of train and test: test first, train first, or both at random."""
    rng = np.random.default_rng(2)
    starts = {"backwards": ("2020-01-01", "2018-01-01"), "forwards": ("2018-01-01", "2020-01-01")}
    first, second = starts.get(split, ("2018-01-01", "2018-01-01"))
    train, test = (rng.integers(0, 700, len(table)) for table in (world.train, world.test))
    return pd.Timestamp(first) + pd.to_timedelta(train, unit="D"), pd.Timestamp(second) + pd.to_timedelta(test, "D")


def written(moments: pd.DatetimeIndex, form: str) -> list[str]:
    return [str(int(one.timestamp())) if form == "%s" else one.strftime(form) for one in moments]


@pytest.mark.parametrize("split", ["backwards", "forwards", "random"])
def test_dates_are_known_however_they_are_written(split: str, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=120)
    train, test = days(world, split)
    for name, form in FORMS.items():
        world.train[name], world.test[name] = written(train, form), written(test, form)
    found = {one.where for one in searched(world, "times")}
    assert found == ({f"test.csv: {name}" for name in FORMS} if split == "backwards" else set())


@pytest.mark.parametrize("has_month", [False, True])
@pytest.mark.parametrize(("name", "is_time"), [("year", True), ("SaleYear", True), ("width", False)])
def test_years_are_known_by_their_name(name: str, is_time: bool, has_month: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=120)
    rng = np.random.default_rng(2)
    for table, first in ((world.train, 2019), (world.test, 2015)):
        table[name] = rng.integers(first, first + 4, len(table))
        if has_month:
            table[name.replace("Year", "Month").replace("year", "month")] = rng.integers(1, 13, len(table))
    if name != "width" or not has_month:
        assert [one.where for one in searched(world, "times")] == ([f"test.csv: {name}"] if is_time else [])


def test_numbers_of_the_size_of_seconds_are_no_moments(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=120)
    rng = np.random.default_rng(2)
    for table, first in ((world.train, 1_600_000_000), (world.test, 1_500_000_000)):
        table["serial"] = first + rng.integers(0, 10_000_000, len(table))
    assert searched(world, "times") == []


@pytest.mark.parametrize("split", ["backwards", "random"])
def test_dates_of_pictures_are_known(split: str, tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 5, n=80)
    rng = np.random.default_rng(2)
    world.files.clear()
    for side, table, moments in zip(("train", "test"), (world.train, world.test), days(world, split), strict=True):
        for item, moment in zip(table[world.key], moments, strict=True):
            exif = Image.Exif()
            exif[306] = moment.strftime("%Y:%m:%d %H:%M:%S")
            world.files[f"{side}_files/{item}.jpg"] = picture(rng, 0.0, exif=exif, form="JPEG")
    expected = ["test_files/*.jpg: EXIF DateTime"] if split == "backwards" else []
    assert [one.where for one in searched(world, "times")] == expected
