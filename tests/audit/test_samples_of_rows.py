"""Of large data a sample is looked at, which must not look like a leak; nor must what is alike at any size."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_values import searched

from mlebench.audit import targets, train_items
from mlebench.audit.column_values import Values
from mlebench.audit.evidence import dependence, serial_dependence
from mlebench.audit.table import texts


def replaced(world: World, train: pd.DataFrame, test: pd.DataFrame) -> World:
    """A world with other rows, of which the last column is the answer."""
    target = train.columns[-1]
    world.train, world.test = train, test.drop(columns=target)
    world.answers = test[[world.key, target]].copy()
    world.sample = world.answers.assign(**{target: 0.0})
    world.files, world.targets = {}, [target]
    return world


@pytest.fixture
def few_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (targets, train_items):
        monkeypatch.setattr(module, "MOST_ITEMS", 1500)


@pytest.mark.usefixtures("few_are_looked_at")
@pytest.mark.parametrize("takes_turns", [False, True])
def test_rows_that_are_like_the_next_are_so_in_a_smaller_sample_of_train(takes_turns: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)

    def side(n: int, start: int, is_smooth: bool) -> pd.DataFrame:
        noise = rng.normal(size=n + 20)
        level = np.convolve(noise, np.ones(8), "valid")[:n] if is_smooth else noise[:n] * 3
        ids = [f"row_{number}" for number in rng.permutation(np.arange(start, start + n))]
        return pd.DataFrame({"item": ids, "x": rng.normal(size=n), "level": level})

    world = make(tmp_path, "regression", 3, n=60)
    world.key = "item"
    world = replaced(world, side(7_000, 1, not takes_turns), side(2600, 50_000, True))
    found = [one for one in searched(world, "weak") if "(order of rows)" in one.where]
    assert bool(found) is takes_turns


@pytest.mark.usefixtures("few_are_looked_at")
def test_rows_of_train_that_are_not_looked_at_are_train_all_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)

    def side(n: int, start: int) -> pd.DataFrame:
        """Rows of few kinds, which recur in train as often as in test, each with an answer of its own."""
        x, y = rng.integers(0, 60, n), rng.integers(0, 60, n)
        kind = [f"a kind of thing number {one}" for one in x * 60 + y]
        ids = [f"item_{number:06d}" for number in rng.permutation(np.arange(start, start + n))]
        return pd.DataFrame({"item": ids, "x": x, "y": y, "kind": kind, "price": x * 7.5 + y})

    world = make(tmp_path, "regression", 4, n=60)
    world.key = "item"
    world = replaced(world, side(20_000, 0), side(400, 30_000))
    assert not searched(world, "rows_elsewhere")


def test_of_a_sample_those_rows_count_that_follow_one_another() -> None:
    rng = np.random.default_rng(5)
    level = np.convolve(rng.normal(size=20_100), np.ones(30), "valid")[:20_000]
    taken = np.sort(rng.permutation(20_000)[:4000])
    whole = serial_dependence(np.arange(20_000.0), level, 0)
    some = serial_dependence(taken.astype(float), level[taken], 0)
    assert whole is not None
    assert some is not None
    assert some.count < 1200
    assert some.per_item > 0.9 * whole.per_item


def test_items_that_share_a_large_number_are_one_observation() -> None:
    rng = np.random.default_rng(6)
    recordings = rng.integers(1, 10**9, 500)
    classes = rng.integers(0, 4, 500)
    of_each = np.repeat(np.arange(500), 6)
    found = dependence(Values(texts(recordings[of_each].tolist())), classes[of_each].astype(float), 4)
    assert found is None or found.digits < 6


@pytest.mark.parametrize("knows", [False, True])
def test_a_number_that_follows_answers_in_train_may_know_them_in_test(knows: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 7, n=500)
    [target] = world.targets
    rng = np.random.default_rng(7)
    for frame, answers, noise in ((world.train, world.train, 1.2), (world.test, world.answers, 0.2 if knows else 1.2)):
        values = answers[target].astype(float)
        frame["score"] = (values / values.std() + rng.normal(0, noise, len(frame))).round(4).to_numpy()
    world.train = world.train[[*world.test.columns, target]]
    world.files = {}
    found = [one.severity for one in searched(world, "columns") if one.where.endswith(": score")]
    assert found == ["leak"] * knows


def test_hours_that_are_numbered_are_ids_of_one_form_on_both_sides(tmp_path: Path) -> None:
    rng = np.random.default_rng(8)
    hours = np.arange(1, 1601)
    load = 400 + 80 * np.sin(hours * 2 * np.pi / 168) + rng.normal(0, 5, len(hours))
    frame = pd.DataFrame({"hour": hours, "weekday": hours // 24 % 7, "load": load.round(2)})
    world = make(tmp_path, "regression", 8, n=60)
    world.key = "hour"
    world = replaced(world, frame[:1200], frame[1200:].reset_index(drop=True))
    assert not [one for one in searched(world, "columns") if one.where.startswith("the ids")]


@pytest.mark.parametrize("grows", [True, False])
def test_shops_that_drift_apart_are_learnt_at_the_end_of_train(grows: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    days, shops = np.repeat(np.arange(140), 9), np.tile(np.arange(9), 140)
    rates = rng.normal(0, 1, 9)
    apart = rates[shops] * np.where(days < 60, 0, days - 60) * 0.6
    if not grows:  # only from the first day of test on
        apart = rates[shops] * np.where(days < 110, 0, 40)
    units = 100 + apart + rng.normal(0, 7, len(days))
    names = [f"S{shop:02d}_{day:03d}" for shop, day in zip(shops, days, strict=True)]
    columns = {"row": names, "shop": [f"S{shop:02d}" for shop in shops], "promo": rng.integers(0, 2, len(days))}
    frame = pd.DataFrame({**columns, "day": days, "units": units.round(1)})
    is_test = days >= 110
    world = make(tmp_path, "regression", 9, n=60)
    world.key = "row"
    world = replaced(world, frame[~is_test].reset_index(drop=True), frame[is_test].reset_index(drop=True))
    assert bool(searched(world, "joint")) is not grows


@pytest.mark.parametrize("follow", [True, False])
def test_rows_of_a_recording_follow_one_another_in_the_sample_submission(follow: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(10)

    def side(n: int, start: int) -> pd.DataFrame:
        recording = np.arange(n) // 8
        votes = rng.integers(0, 5, n // 8 + 1)[recording]
        ids = [f"row_{number}" for number in rng.permutation(np.arange(start, start + n))]
        names = recording + start if follow else rng.permutation(recording + start)
        return pd.DataFrame({"item": ids, "recording": [f"r{name}" for name in names], "votes": votes})

    world = make(tmp_path, "regression", 10, n=60)
    world.key = "item"
    train = side(1600, 0).sample(frac=1, random_state=0).reset_index(drop=True)
    world = replaced(world, train, side(800, 5000))
    hints = [one for one in searched(world, "sample") if "(order of rows)" in one.where]
    assert bool(hints) is not follow


def test_a_raised_digit_is_no_number(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 11, n=80)
    world.files = {"notes/²": b"a", "codes.csv": "code,n\n²,1\n³,2\n¹,3\n²,4\n".encode()}
    world.test["area"] = ["²" if number % 2 else "7" for number in range(len(world.test))]
    world.train["area"] = "²"
    assert isinstance(searched(world, "columns", "missing", "weak"), list)
