"""Lists to recommend: what is to be predicted is in a log that goes on for too long, or one of it in a column."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_values import searched


def shop(tmp_path: Path, *, shown: float = 0.0, is_last: bool = True) -> World:
    """Users with a log of purchases, to some of whom the log shows what they will buy, at its end or anywhere in it."""
    world = make(tmp_path, "lists", 5, n=60)
    rng = np.random.default_rng(2)
    [target] = world.targets
    users = np.array([f"u{number:04d}" for number in rng.permutation(300)])
    tastes = rng.integers(0, 50, (300, 6))
    bought = [
        " ".join(dict.fromkeys(f"item{rng.choice([*tastes[user], *rng.integers(0, 50, 6)])}" for _ in range(2)))
        for user in range(300)
    ]
    log = [
        (users[user], f"item{item}", int(day))
        for user in range(300)
        for item, day in zip(rng.choice(tastes[user], 8), rng.integers(0, 60, 8), strict=True)
    ]
    for user in range(200, 300):
        if rng.random() < shown:
            log += [
                (users[user], item, int(rng.integers(60, 65) if is_last else rng.integers(0, 60)))
                for item in bought[user].split()
            ]
    whole = pd.DataFrame({world.key: users, "age": rng.integers(18, 80, 300), target: bought})
    world.train, rest = whole[:200].copy(), whole[200:].reset_index(drop=True)
    world.test, world.answers = rest.drop(columns=target), rest[[world.key, target]].copy()
    world.sample = world.answers.assign(**{target: "item1 item2"})
    table = pd.DataFrame(log, columns=[world.key, "item", "day"]).sort_values("day", kind="stable")
    world.files = {"log.csv": table.to_csv(index=False).encode()}
    return world


@pytest.mark.parametrize(
    ("shown", "is_last", "expected"),
    [
        (0.0, True, set()),
        (0.4, True, {("leak", "log.csv: item in the order of day")}),
        (0.6, False, {("suspicious", "log.csv: item")}),
    ],
)
def test_purchases_to_predict_are_found_in_a_log(
    shown: float, is_last: bool, expected: set[tuple[str, str]], tmp_path: Path
) -> None:
    world = shop(tmp_path, shown=shown, is_last=is_last)
    found = {(one.severity, one.where) for one in searched(world, "lists", "contained")}
    assert found >= expected and bool(found) == bool(expected)


@pytest.mark.parametrize(
    ("in_test", "in_train", "severity"),
    [(1.0, 1.0, "suspicious"), (0.6, 0.0, "leak"), (1.0, None, "leak"), (0.4, 0.4, None), (0.0, 0.0, None)],
)
def test_a_column_with_one_of_the_answers_is_found(
    in_test: float, in_train: float | None, severity: str | None, tmp_path: Path
) -> None:
    world = shop(tmp_path)
    rng = np.random.default_rng(6)
    [target] = world.targets
    for table, answers, share in ((world.test, world.answers, in_test), (world.train, world.train, in_train)):
        if share is not None:
            table["latest"] = [
                rng.choice(bought.split()) if rng.random() < share else f"item{rng.integers(0, 50)}"
                for bought in answers[target]
            ]
    expected = [] if severity is None else [(severity, "test.csv: latest")]
    assert [(one.severity, one.where) for one in searched(world, "contained")] == expected


@pytest.mark.parametrize("form", ["log", "log with other ids", "lists", "some", "favourites"])
@pytest.mark.parametrize("has_train", [True, False])
def test_nothing_but_purchases_to_predict_is_found_without_an_order(form: str, has_train: bool, tmp_path: Path) -> None:
    world = shop(tmp_path)
    rng = np.random.default_rng(6)
    [target] = world.targets
    if not has_train:
        world.train = world.train.drop(columns=target)
    bought = dict(zip(world.answers[world.key], world.answers[target].str.split(), strict=True))
    log = pd.read_csv(io.BytesIO(world.files["log.csv"]))
    if form.startswith("log"):
        pairs = [
            (user if form == "log" else f"user:{user}:x", item) for user, items in bought.items() for item in items
        ]
        rng.shuffle(pairs)
        world.files["more/export.csv"] = pd.DataFrame(pairs, columns=["who", "what"]).to_csv(index=False).encode()
        where = "more/export.csv: what"
    elif form == "favourites":
        most = log.groupby(world.key)["item"].agg(lambda items: " ".join(items.value_counts().index[:2]))
        world.test["slot"] = world.test[world.key].map(most)
    else:
        world.test["slot"] = [str(items[:2] if form == "some" else items) for items in bought.values()]
        where = "test.csv: slot"
    found = [(one.severity, one.where) for one in searched(world, "contained")]
    assert found == ([] if form == "favourites" else [("leak", where)])
