"""Columns that were made from the answers of other moments: of any lag, or over any stretch of days."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_defects import with_sides
from test_values import searched

from mlebench.audit.detectors.ahead import _correlated
from mlebench.audit.stretches import _best

DAYS, CUT = 90, 76
MADE = {
    "lag of 15": lambda sales: sales.shift(-15),
    "lag in thousands": lambda sales: (sales.shift(-15) / 1000).round(4),
    "change in two weeks": lambda sales: sales.shift(-14) - sales,
    "growth": lambda sales: (sales.shift(-14) / sales - 1).round(4),
    "week to come": lambda sales: sales[::-1].rolling(7).mean()[::-1].shift(-1).round(2),
    "total of the month around": lambda sales: sales.rolling(29, center=True).sum(),
    "logarithm of the week to come": lambda sales: np.log1p(sales[::-1].rolling(7).mean()[::-1].shift(-1)).round(6),
    "whole numbers": lambda sales: sales[::-1].rolling(14).mean()[::-1].shift(-1).round(0),
    "past week": lambda sales: sales.rolling(7).mean().shift(1).round(2),
    "lag of the past": lambda sales: sales.shift(15),
    "near": lambda sales: sales.shift(-15) + np.random.default_rng(7).normal(0, 3, len(sales)),
    "own": lambda sales: 3 * sales + np.random.default_rng(8).normal(0, 1, len(sales)),
    "weekday": lambda sales: pd.Series(np.arange(len(sales)) % 7 * 1.5),
}


def shops(world: World, made: str, *, until_cut: bool) -> pd.DataFrame:
    rng, [target] = np.random.default_rng(3), world.targets
    parts = []
    for shop in range(6):
        sales = pd.Series(rng.normal(100 + 10 * shop, 20, DAYS)).round(1)
        shown = sales.where(sales.index < CUT) if until_cut else sales
        dates = pd.date_range("2021-03-01", periods=DAYS).strftime("%Y-%m-%d")
        part = {world.key: 1000 * shop + np.arange(DAYS), "date": dates, "shop": f"s{shop}", "promo": rng.random(DAYS)}
        parts.append(pd.DataFrame({**part, "made": MADE[made](shown), target: sales}))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize("made", list(MADE))
def test_train_that_has_later_answers_is_a_leak(made: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    whole = shops(world, made, until_cut=False)
    with_sides(world, whole, (whole["date"] >= whole["date"].unique()[CUT]).to_numpy())
    world.test = world.test.drop(columns="made")
    is_leak = list(MADE).index(made) < 8
    found = searched(world, "ahead")
    assert [(one.where, one.severity) for one in found] == ([("train.csv: made", "leak")] if is_leak else [])
    if is_leak:
        [given] = found[0].predictions
        truth = world.answers[world.targets[0]].to_numpy()[given.rows]
        assert np.mean(np.abs(given.values.astype(float) - truth)) < 15


@pytest.mark.parametrize("made", ["lag of 15", "total of the month around"])
def test_what_train_alone_tells_is_none(made: str, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 5, n=60)
    whole = shops(world, made, until_cut=True)
    with_sides(world, whole, (whole["date"] >= whole["date"].unique()[CUT]).to_numpy())
    assert searched(world, "ahead") == []


@pytest.mark.parametrize("seed", range(4))
def test_the_lag_is_that_with_the_largest_correlation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    answers = rng.normal(size=(3, 60)) + 1e6
    cells = np.roll(answers, 4, axis=1) * (-1) ** seed + rng.normal(0, 0.01, answers.shape)
    answers[:, :30] = np.nan
    cells[rng.random(cells.shape) < 0.2] = np.nan
    straight, lag = _correlated(cells, answers)
    x, y = cells[:, 34:].ravel(), answers[:, 30:56].ravel()
    is_there = np.isfinite(x)
    assert lag == -4
    assert straight == pytest.approx(abs(np.corrcoef(x[is_there], y[is_there])[0, 1]), abs=1e-8)


@pytest.mark.parametrize(("first", "last"), [(-9, -3), (1, 7), (-5, 5), (0, 1)])
def test_the_stretch_is_that_whose_mean_goes_with_the_column(first: int, last: int) -> None:
    rng, most = np.random.default_rng(first + 10), 10
    series = rng.normal(1e4, 3.0, (4, 80))
    totals = np.pad(np.cumsum(series, axis=1), ((0, 0), (1, 0)))
    group, place = (part.ravel() for part in np.meshgrid(np.arange(4), np.arange(most, 80 - most)))
    x = np.array([series[g, p + first : p + last + 1].mean() for g, p in zip(group, place, strict=True)])
    assert _best(totals, (group, place), x, most) == (first, last)
    assert _best(totals, (group, place), rng.normal(size=len(x)), most) == (0, 0)
    flat = np.pad(np.cumsum(np.full((4, 80), 0.1), axis=1), ((0, 0), (1, 0)))
    assert _best(flat, (group, place), x, most) == (0, 0)
