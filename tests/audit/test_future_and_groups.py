"""Values that know the future or the group: totals, averages and marks that the answers to predict went into."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_answers_elsewhere import as_csv
from test_defects import with_sides
from test_values import searched

from mlebench.audit.finding import Found
from mlebench.audit.table import as_numbers, texts


def told(found: list[Found]) -> list[tuple[str, str]]:
    return [(one.where, one.severity) for one in found]


def test_one_answer_out_of_all_proportion_hides_no_column(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=300)
    [target] = world.targets
    world.answers.loc[3, target] = 1e9
    rng = np.random.default_rng(1)
    for side, truth in ((world.train, world.train[target]), (world.test, world.answers[target])):
        side["level"] = (np.clip(truth, -1e6, 1e6).rank() / len(truth) + rng.normal(0, 1e-4, len(truth))).round(5)
    assert told(searched(world, "columns")) == [("test.csv: level", "leak")]


@pytest.mark.parametrize("answers_went_in", [True, False])
@pytest.mark.parametrize("is_named", [True, False])
def test_a_mean_of_few_rows_of_both_sides_is_unrolled(is_named: bool, answers_went_in: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=450)
    [target] = world.targets
    whole = pd.concat([world.train, world.test.assign(**{target: world.answers[target]})])
    street = pd.Series(np.random.default_rng(1).permutation(len(whole)) // 3, index=whole.index)
    known = whole[target].where(np.arange(len(whole)) < len(world.train)) if not answers_went_in else whole[target]
    whole["level"] = known.groupby(street.to_numpy()).transform("mean").round(3).to_numpy()
    if is_named:
        whole["street"] = [f"st{number}" for number in street]
    world.train, rest = whole[: len(world.train)], whole[len(world.train) :]
    world.test = rest.drop(columns=target)
    found = searched(world, "aggregates")
    assert told(found) == ([("test.csv: level", "leak")] if answers_went_in else [])
    if answers_went_in:
        [given] = found[0].predictions
        assert np.mean(np.abs(given.values.astype(float) - world.answers[target]) < 0.01) > 0.3  # alone in its group


@pytest.mark.parametrize("place", ["test.csv", "totals.csv", "streets.csv"])
@pytest.mark.parametrize("answers_went_in", [True, False])
def test_totals_with_one_unknown_row_each_are_unrolled(answers_went_in: bool, place: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=450)
    rng, [target] = np.random.default_rng(1), world.targets
    for table, values in ((world.train, world.train[target]), (world.answers, world.answers[target])):
        table[target] = values.rank(pct=True).mul(6).astype(int) + 1  # grades, which are numbers and classes
    names = np.array([f"st{number}" for number in range(len(world.test))])
    world.train["street"], world.test["street"] = rng.choice(names, len(world.train)), names
    known = world.train.groupby("street")[target].sum().reindex(names, fill_value=0).to_numpy()
    totals = known + (world.labels().to_numpy() if answers_went_in else 0)
    if place == "test.csv":
        of_street = dict(zip(names, totals, strict=True))
        for table in (world.train, world.test):
            table["total"] = table["street"].map(of_street)
    else:
        name = "street" if place == "totals.csv" else "where"
        world.files[place] = pd.DataFrame({name: names, "total": totals}).to_csv(index=False).encode()
    found = told(searched(world, "aggregates"))
    assert set(found) == ({(f"{place}: total", "leak")} if answers_went_in else set())


@pytest.mark.parametrize(("mistakes", "severity"), [(0.0, "leak"), (0.1, "suspicious"), (0.5, "")])
def test_groups_most_of_whose_items_share_the_label(mistakes: float, severity: str, tmp_path: Path) -> None:
    world = make(tmp_path, "multiclass", 5, n=450)
    rng, [target] = np.random.default_rng(1), world.targets
    labels = pd.concat([world.train[target], world.labels().reset_index(drop=True)], ignore_index=True)
    place = labels.sample(frac=1, random_state=1).groupby(labels).cumcount().sort_index() // 6
    herds = (labels.astype(str) + place.astype(str)).to_numpy()
    is_mixed = rng.random(len(herds)) < mistakes
    herds[is_mixed] = rng.permutation(herds)[is_mixed]
    codes = {name: f"h{number:03d}" for number, name in enumerate(rng.permutation(sorted(set(herds))))}
    column = [codes[name] for name in herds]
    world.train["herd"], world.test["herd"] = column[: len(world.train)], column[len(world.train) :]
    assert told(searched(world, "groups")) == ([("test.csv: herd", severity)] if severity else [])


@pytest.mark.parametrize(("agreed", "expected"), [(0.75, ["suspicious"]), (0.35, [])])
def test_a_second_mark_on_both_sides_is_suspicious(agreed: float, expected: list[str], tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=450)
    rng, [target] = np.random.default_rng(1), world.targets
    for table in (world.train, world.answers):
        table[target] = table[target].rank(pct=True).mul(5).astype(int).clip(0, 4) + 1
    for table, marks in ((world.train, world.train[target]), (world.test, world.labels())):
        same = rng.random(len(table)) < agreed
        table["second"] = np.where(same, marks.to_numpy(), rng.integers(1, 6, len(table)))
    found = [one for one in searched(world, "columns") if one.where == "test.csv: second"]
    assert [one.severity for one in found] == expected


def shops_by_day(world: World, column: str) -> pd.DataFrame:
    """The sales of six shops on sixty days, and a column that was or was not computed from them."""
    rng, days, [target] = np.random.default_rng(3), 60, world.targets
    rows = []
    for shop in range(6):
        sales = pd.Series(rng.normal(100 + 10 * shop, 20, days)).round(1)
        made = {
            "total": sales.cumsum(),
            "centred": sales.rolling(3, center=True, min_periods=1).mean(),
            "change": sales.diff().fillna(0),
            "until the cut": sales[:45].mean() + pd.Series(rng.normal(size=days)),
            "strong": sales + rng.normal(0, 4, days),
            "day": pd.Series(range(days)) ** 2,
        }[column]
        dates = pd.date_range("2021-03-01", periods=days).strftime("%Y-%m-%d")
        rows += list(zip(1000 * shop + np.arange(days), dates, [f"s{shop}"] * days, made.round(2), sales, strict=True))
    return pd.DataFrame(rows, columns=[world.key, "date", "shop", "made", target])


@pytest.mark.parametrize(
    ("column", "is_leak"),
    [("total", True), ("centred", True), ("change", True), ("until the cut", False), ("strong", False), ("day", False)],
)
def test_a_column_that_answers_of_the_rows_around_went_into_is_a_leak(
    column: str, is_leak: bool, tmp_path: Path
) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    whole = shops_by_day(world, column)
    with_sides(world, whole, (whole["date"] >= "2021-04-15").to_numpy())
    assert told(searched(world, "series")) == ([("test.csv: made", "leak")] if is_leak else [])


@pytest.mark.parametrize("answers_went_in", [True, False])
@pytest.mark.parametrize("period", ["number", "week", "last day"])
def test_means_of_periods_are_unrolled_whatever_they_are_called(
    period: str, answers_went_in: bool, tmp_path: Path
) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    [target] = world.targets
    whole = shops_by_day(world, "day").drop(columns="made")
    is_test = (whole["date"] >= "2021-04-15").to_numpy()
    with_sides(world, whole, is_test)
    when = pd.to_datetime(whole["date"])
    named = {
        "number": (when - when.min()).dt.days // 2,
        "week": when.dt.strftime("%G-W%V"),
        "last day": when.dt.to_period("W").dt.end_time.dt.strftime("%Y-%m-%d"),
    }[period]
    shown = whole if answers_went_in else whole.assign(**{target: np.random.default_rng(2).permutation(whole[target])})
    means = shown.groupby(["shop", named.rename("period")])[target].mean().round(2).rename("level")
    world.files["old/board.csv"] = as_csv(means.reset_index())
    found = searched(world, "aggregates")
    assert sorted(set(told(found))) == ([("old/board.csv: level", "leak")] if answers_went_in else [])


def test_dates_are_seconds() -> None:
    moments = as_numbers(texts(["2021-04-02", "2021-04-03", None, "2021-04-03 00:00:01.5"]))
    assert moments is not None
    assert moments[[0, 1, 3]].tolist() == [1617321600.0, 1617408000.0, 1617408001.5]
    assert np.isnan(moments[2])


@pytest.mark.parametrize("kind", ["sites", "regions", "shops", "chance", "phrases"])
def test_coordinates_that_both_sides_share_are_groups(kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    rng, [target] = np.random.default_rng(2), world.targets
    size, each = 600, 5
    site = np.arange(size) // each
    places = rng.uniform(40, 50, (size // each, 2)).round(4)
    level = {"regions": places.sum(axis=1), "chance": rng.normal(size=size)}.get(kind, rng.normal(size=size // each))
    columns = {
        world.key: 5000 + rng.permutation(size),
        "depth": rng.normal(size=size).round(3),
        "north": places[site, 0],
        "east": places[site, 1],
        target: (50 + 10 * (level if kind == "chance" else level[site]) + rng.normal(size=size)).round(2),
    }
    if kind == "shops":  # of which each has a row per month
        columns["month"] = [f"2021-0{1 + number % each}-01" for number in range(size)]
    if kind == "phrases":  # whose meanings are what is to be compared
        words = [first + second for first in "abcdefgh" for second in "klmnopqr"]
        columns |= {"north": [f"grey {words[place % 60]}" for place in site]}
        columns |= {"east": [f"tall {words[place // 2]}" for place in site]}
    found = searched(with_sides(world, pd.DataFrame(columns), rng.random(size) < 0.3), "sites")
    assert told(found) == ([("test.csv: north and east", "leak")] if kind == "sites" else [])


@pytest.mark.parametrize("kind", ["fee", "answered", "strong feature", "mostly the class", "rare"])
def test_a_column_that_follows_from_the_outcome_is_suspicious(kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 5, n=600)
    [target] = world.targets
    rng = np.random.default_rng(4)
    if kind == "rare":  # nearly all have the same answer, whatever the column says
        for side in (world.train, world.answers):
            side[target] = (np.arange(len(side)) % 12 == 0).astype(int)
    for table, truth in ((world.train, world.train[target]), (world.test, world.answers[target])):
        had = truth.to_numpy() == truth.max()
        mostly = had & (rng.random(len(had)) > 0.03)
        table["made"] = {
            "fee": np.where(mostly, rng.gamma(3, 20, len(had)).round(1), 0.0),
            "answered": np.array(["by letter" if one else None for one in mostly], dtype=object),
            "strong feature": (rng.normal(size=len(had)) + 2.7 * had).round(3),
            "mostly the class": np.where(had ^ (rng.random(len(had)) < 0.06), "red", "blue"),
            "rare": np.where(rng.random(len(had)) < 0.02, 1.5, 0.0),
        }[kind]
    found = [(one.kind, one.severity) for one in searched(world, "outcomes")]
    assert found == ([("predictive_artifact", "suspicious")] if kind in ("fee", "answered") else [])


@pytest.mark.parametrize(("family", "kind"), [("binary", "runs"), ("regression", "runs"), ("binary", "trend")])
def test_neighbours_in_time_that_share_the_answer_are_suspicious(family: str, kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, family, 5, n=60)
    rng, [target], size = np.random.default_rng(3), world.targets, 500
    when = pd.date_range("2021-01-01", periods=size, freq="17min").strftime("%Y-%m-%d %H:%M:%S")
    if family == "regression":
        truth = (np.cumsum(rng.normal(size=size)) + rng.normal(0, 0.3, size)).round(3)
    elif kind == "runs":
        truth = np.repeat(rng.random(size // 10) < 0.5, 10).astype(int)
    else:
        truth = (rng.random(size) < np.linspace(0.1, 0.9, size)).astype(int)
    whole = pd.DataFrame({world.key: 3000 + rng.permutation(size), "f": rng.normal(size=size), "at": when})
    whole = whole.assign(**{target: truth}).sample(frac=1, random_state=1).reset_index(drop=True)
    with_sides(world, whole, rng.random(size) < 0.35)
    found = [(one.kind, one.severity) for one in searched(world, "times")]
    assert found == ([("time", "suspicious")] if kind == "runs" else [])


@pytest.mark.parametrize("kind", ["overlapping", "apart", "unlike answers"])
def test_files_that_overlap_on_both_sides_are_suspicious(kind: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    rng, [target], size = np.random.default_rng(3), world.targets, 120
    recording = rng.normal(size=(80 * size, 2)).round(3)
    step = 80 if kind == "apart" else 40
    truth = np.linspace(0, 900, size).round(1)
    truth = rng.permutation(truth) if kind == "unlike answers" else truth
    ids = np.array([f"seg{name}" for name in rng.permutation(size) + 400])
    whole = pd.DataFrame({world.key: ids, "site": rng.integers(0, 3, size), target: truth})
    is_test = rng.random(size) < 0.35
    for number, name in enumerate(ids):
        piece = pd.DataFrame(recording[step * number : step * number + 80], columns=["a", "b"])
        world.files[f"{'test' if is_test[number] else 'train'}/{name}.csv"] = as_csv(piece)
    found = [(one.kind, one.severity) for one in searched(with_sides(world, whole, is_test), "overlaps")]
    assert found == ([("duplicates", "suspicious")] if kind == "overlapping" else [])


def test_steps_in_a_column_are_not_taken_for_something_computed(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    rng, size = np.random.default_rng(3), 400
    steps = np.repeat(np.arange(size // 10), 10) * 86400.0 + 1.6e9
    whole = pd.DataFrame(
        {world.key: np.arange(size), "step": steps, world.targets[0]: rng.normal(50, 9, size).round(1)}
    )
    assert searched(with_sides(world, whole, np.arange(size) >= 250), "series") == []


def test_a_list_of_some_items_of_train_stops_no_search(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=300)
    features = world.train.drop(columns=world.targets)
    for table, name in (
        (features, "train/part.csv"),
        (features.head(60), "training/part.csv"),
        (world.test, "test/part.csv"),
    ):
        world.files[name] = table.to_csv(index=False).encode()
    assert searched(world, "sites", "gaps") == []
