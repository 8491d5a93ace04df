"""What tells the answers though nobody wrote it down is no leak."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from clean_worlds import World, make
from test_baskets import shop
from test_values import searched

from mlebench.audit.coincidences import says_the_same
from mlebench.audit.column_values import Values
from mlebench.audit.table import texts
from mlebench.audit.targets import Target


@pytest.mark.parametrize("is_right", [False, True])
def test_only_the_order_of_given_words_can_be_a_hint(is_right: bool, tmp_path: Path) -> None:
    world = shop(tmp_path)
    [target] = world.targets
    rng = np.random.default_rng(3)
    cells = [[f"c{item}x{place}" for place in range(8)] for item in range(len(world.answers))]
    world.answers[target] = [" ".join(rng.permutation(words)) for words in cells]
    given = world.answers[target] if is_right else [" ".join(rng.permutation(words)) for words in cells]
    world.sample[target] = list(given)
    assert [one.severity for one in searched(world, "alike")] == ["leak"] * is_right


@pytest.mark.parametrize("is_given", [True, False])
def test_a_text_to_be_completed_is_no_part_of_the_answers(is_given: bool, tmp_path: Path) -> None:
    world = shop(tmp_path)
    world.files = {}
    [target] = world.targets
    rng = np.random.default_rng(4)
    sentences = [[f"w{word}" for word in rng.integers(0, 400, 9)] for _ in range(len(world.answers))]
    world.answers[target] = [" ".join(words) for words in sentences]
    world.test["text"] = [" ".join([*words[:4], *words[5:]]) for words in sentences]
    world.sample[target] = world.test["text"].to_numpy() if is_given else "w1 w2"
    assert bool(searched(world, "contained")) is not is_given


def breaths(tmp_path: Path, *, is_sorted: bool) -> World:
    """Rows of breaths, one behind the other, with a pressure that each has of its own."""
    world = make(tmp_path, "regression", 6, n=60)
    [target] = world.targets
    rng = np.random.default_rng(5)
    sides = []
    for number, size in ((0, 600), (1000, 200)):
        breath = np.repeat(np.arange(size // 10), 10)
        levels = rng.normal(0, 10, size // 10)
        values = levels[breath] + rng.normal(0, 0.5, size)
        order = np.argsort(values) if is_sorted and number else np.arange(size)
        if not number:  # train in any order, so that it has nothing of the kind
            order = rng.permutation(size)
        rows = {"breath": breath + number, "x": rng.normal(size=size), target: values}
        sides.append(pd.DataFrame(rows).iloc[order].reset_index(drop=True))
    for frame, start in zip(sides, (0, 600), strict=True):
        frame.insert(0, world.key, [f"r{one}" for one in rng.permutation(np.arange(start, start + len(frame)))])
    world.train, rest = sides
    world.test, world.answers = rest.drop(columns=target), rest[[world.key, target]].copy()
    world.sample = world.answers.assign(**{target: 0.0})
    world.files = {}
    return world


@pytest.mark.parametrize("is_sorted", [False, True])
def test_rows_of_a_group_are_near_one_another(is_sorted: bool, tmp_path: Path) -> None:
    found = searched(breaths(tmp_path, is_sorted=is_sorted), "columns")
    assert bool([one for one in found if "(order of rows)" in one.where]) is is_sorted


def test_rows_of_train_with_the_same_numbers_are_other_items(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 7, n=60)
    [target] = world.targets
    wave = 10 * np.sin(np.arange(600) * 2 * np.pi / 50)
    rng = np.random.default_rng(8)
    world.train = pd.DataFrame(
        {world.key: range(1, 601), "x": rng.normal(size=600), target: wave + rng.normal(size=600)}
    )
    rest = pd.DataFrame(
        {world.key: range(1, 201), "x": rng.normal(size=200), target: wave[:200] + rng.normal(size=200)}
    )
    world.test, world.answers = rest.drop(columns=target), rest[[world.key, target]].copy()
    world.sample = world.answers.assign(**{target: 0.0})
    world.files = {}
    assert not [one for one in searched(world, "columns") if one.where == f"train.csv: {target}"]


def test_values_may_be_another_mix_than_in_train() -> None:
    rng = np.random.default_rng(9)

    def side(n: int, share: float, right: float) -> tuple[Values, Target]:
        """Whether an animal is seen, and which, of three."""
        seen = rng.random(n) < share
        animal = np.where(seen, rng.integers(1, 4, n), 0)
        told = np.where(rng.random(n) < right, seen, ~seen)
        return Values(texts(told.astype(int))), Target("animal", "animal", texts(animal))

    train, labels = side(300, 0.7, 1.0)
    test, answers = side(30, 0.3, 1.0)
    assert says_the_same(test, train, answers, labels)
    noisy, of_noisy = side(300, 0.7, 0.6)
    assert not says_the_same(test, noisy, answers, of_noisy)


def test_tenths_of_the_answers_under_their_own_name_are_no_groups_of_test(tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 8, n=400)
    [target] = world.targets
    tenths = pd.qcut(world.answers[target].astype(float), 10, labels=False)
    table = pd.DataFrame({world.key: world.answers[world.key], target: [f"Q{tenth + 1}" for tenth in tenths]})
    world.files["scores.csv"] = table.sample(frac=1, random_state=0).to_csv(index=False).encode()
    assert [one.severity for one in searched(world, "columns") if one.where.startswith("scores.csv")] == ["leak"]


def test_probabilities_by_row_number_are_found_in_a_small_test(tmp_path: Path) -> None:
    world = make(tmp_path, "binary", 9, n=250)
    [target] = world.targets
    world.files = {}
    rng = np.random.default_rng(1)
    world.answers[target] = (np.arange(len(world.answers)) % 6 == 1).astype(int)
    truth = world.answers[target].to_numpy()
    sure = np.where(truth == 1, 0.9, 0.1) + rng.uniform(-0.09, 0.09, len(truth))
    table = pd.DataFrame({"ref": np.arange(len(truth)), "verified": sure.round(4)}).sample(frac=1, random_state=2)
    world.files["master.dat"] = table.to_csv(index=False, sep="|").encode()
    assert "leak" in [one.severity for one in searched(world, "columns") if one.where.startswith("master.dat")]


@pytest.mark.parametrize(("fee", "is_leak"), [(2, False), (40, True)])
def test_far_away_is_as_dear_in_train_where_two_rows_are_so(fee: int, is_leak: bool, tmp_path: Path) -> None:
    world = make(tmp_path, "regression", 6, n=60)
    [target] = world.targets
    rng = np.random.default_rng(5)
    sides = []
    for start, size, far, in_south in ((0, 400, 2, 2), (1000, 5000, 50, fee)):
        is_far = rng.permutation(size) < far
        is_south = rng.random(size) < 0.1
        town = np.where(is_south, 40.6, 40.7) + rng.uniform(0.001, 0.09, size)
        place = np.where(is_far, np.where(np.cumsum(is_far) % 2, -1.25, 0.0), town)
        values = np.where(is_far, 50, 10 + in_south * is_south) + rng.normal(0, 3, size)
        sides.append(
            pd.DataFrame(
                {
                    world.key: np.arange(start, start + size),
                    "latitude": place.round(6),
                    target: values.round(2),
                }
            )
        )
    world.train, test = sides
    world.test = test.drop(columns=target)
    world.answers = test[[world.key, target]]
    world.sample = world.answers.assign(**{target: 0.0})
    found = {one.severity for one in searched(world, "columns") if one.where == "test.csv: latitude"}
    assert ("leak" in found) is is_leak, found
