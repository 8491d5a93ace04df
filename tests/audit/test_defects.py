"""Defects of a split that are no leak of a file or column: time, files and labels that one side lacks, groups."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from numpy.typing import NDArray
from test_values import searched

from mlebench.audit.detectors import detectors
from mlebench.audit.survey import survey
from mlebench.audit.targets import read_task


def with_sides(world: World, whole: pd.DataFrame, is_test: NDArray[np.bool_]) -> World:
    """A competition whose items are the rows of a table."""
    [target] = world.targets
    world.train = whole[~is_test].reset_index(drop=True)
    rest = whole[is_test].reset_index(drop=True)
    world.test = rest.drop(columns=target)
    world.answers = rest[[world.key, target]].copy()
    world.sample = world.answers.assign(**{target: 0.0})
    return world


def shops(world: World, *, noisy: bool = False) -> pd.DataFrame:
    """The sales of five shops on ninety days; the days before and after tell much of one, or nothing."""
    rng, days = np.random.default_rng(3), 90
    rows = []
    for shop in range(5):
        steps = rng.normal(size=days)
        sales = 50 + 30 * shop + (10 * steps if noisy else 5 * np.cumsum(steps))
        for day, value in enumerate(sales):
            date = str((pd.Timestamp("2021-03-01") + pd.Timedelta(days=day)).date())
            rows.append((1000 * shop + day, date, shop, day, round(value, 2)))
    return pd.DataFrame(rows, columns=[world.key, "date", "shop", "day", world.targets[0]])


@pytest.mark.parametrize(
    ("split", "severity"),
    [("first days", "suspicious"), ("days between", "suspicious"), ("at random", "suspicious"), ("last days", None)],
)
def test_time_that_flows_backwards_is_suspicious(split: str, severity: str | None, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    whole = shops(world)
    day = whole.pop("day")
    chosen = {
        "first days": day < 20,
        "days between": (day >= 40) & (day < 60),
        "at random": pd.Series(np.random.default_rng(1).random(len(whole)) < 0.2),
        "last days": day >= 70,
    }[split]
    found = searched(with_sides(world, whole, chosen.to_numpy()), "times")
    assert [(one.kind, one.severity) for one in found] == ([("time", severity)] if severity else [])


def test_series_that_two_columns_name_together(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    whole = shops(world).drop(columns="day")
    whole["shop"], whole["ware"] = "shop " + (whole["shop"] // 2).astype(str), "ware " + (whole["shop"] % 2).astype(str)
    [found] = searched(with_sides(world, whole, np.random.default_rng(1).random(len(whole)) < 0.2), "times")
    assert found.severity == "suspicious"
    assert "series by shop and ware, split at random over date" in found.evidence


def test_dates_that_tell_nothing_of_their_neighbours_are_split_at_random_without_alarm(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    whole = shops(world, noisy=True).drop(columns="day")
    with_sides(world, whole, np.random.default_rng(1).random(len(whole)) < 0.2)
    surveyed = survey(read_task(world.write()))
    assert [found.severity for found in detectors()["times"](surveyed)] == ["note"]


def test_a_patient_that_only_the_id_names_is_a_group(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=60)
    rng = np.random.default_rng(2)
    patient = np.repeat(rng.permutation(100), 4)
    ids = [f"P{name:03d}_{number % 4}" for number, name in enumerate(patient)]
    sick = rng.random(100) < 0.4
    whole = pd.DataFrame(
        {world.key: ids, "age": rng.integers(20, 80, 400), world.targets[0]: sick[patient].astype(int)}
    )
    [found] = searched(with_sides(world, whole, rng.random(400) < 0.3), "groups")
    assert (found.kind, found.severity, found.where) == ("groups", "leak", "the ids: how they begin")
    assert searched(with_sides(world, whole, patient < 30), "groups") == []


@pytest.mark.parametrize("change", ["gone", "empty"])
def test_files_that_items_to_predict_lack_are_suspicious(change: str, tmp_path: Path) -> None:
    world = make(tmp_path, "pictures", 5, n=120)
    names = [name for name in world.files if name.startswith("test_files/")]
    assert len(names) == 40
    for name in names[:6]:
        if change == "gone":
            del world.files[name]
        else:
            world.files[name] = b""
    assert ("missing_inputs", "suspicious") in {(one.kind, one.severity) for one in searched(world, "missing")}


def test_a_tag_that_train_never_has_is_suspicious(tmp_path: Path) -> None:
    world = make(tmp_path, "lists", 5, n=300)
    assert searched(world, "labels") == []
    world.train["tags"] = [
        " ".join(tag for tag in tags.split() if tag != "7") or "1" for tags in world.train["tags"].astype(str)
    ]
    [found] = searched(world, "labels")
    assert (found.kind, found.severity) == ("unseen_labels", "suspicious")
    assert "'7'" in found.evidence


def test_a_label_with_many_rows_that_train_lacks_is_suspicious_and_a_rare_one_is_noted(tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 5, n=400)
    [target] = world.targets
    rare = world.train[target].value_counts().index[-1]
    kept = world.train[world.train[target] != rare]
    world.train = kept.reset_index(drop=True)
    assert [found.severity for found in searched(world, "labels")] == ["suspicious"]
    few = world.answers[target] == rare
    world.answers.loc[few[few].index[2:], target] = world.train[target].iloc[0]
    assert searched(world, "labels") == []


def _named_pictures(folder: Path, *, gone: int, n: int) -> World:
    """Tables that name a picture per item, which archives have; a few of train are nowhere, and no labels are known."""
    world = make(folder, "binary", 5, n=n)
    world.train = world.train.drop(columns=world.targets)
    for frame, side, lost in ((world.train, "train", 3), (world.test, "test", gone)):
        frame["file_name"] = [f"{side}{row:04d}shot.jpg" for row in range(len(frame))]
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name in frame.file_name[lost:]:
                archive.writestr(name, name)
        world.files[f"{side}_images.zip"] = packed.getvalue()
    return world


def test_an_archive_without_some_pictures_of_items_to_predict_is_suspicious(tmp_path: Path) -> None:
    assert searched(_named_pictures(tmp_path / "few", gone=2, n=300), "missing") == []
    [found] = searched(_named_pictures(tmp_path / "many", gone=30, n=300), "missing")
    assert (found.kind, found.severity) == ("missing_inputs", "suspicious")
    assert found.where == "test_images.zip (test.csv: file_name)"
