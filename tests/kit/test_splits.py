"""Splits: scikit-learn's shuffle with seed 0, and nothing lost."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.data import group_split, random_split
from mlebench.errors import PreparationError
from mlebench.kit import group_mask, rows_where


def test_is_the_split_of_scikit_learn() -> None:
    from sklearn.model_selection import train_test_split

    frame = pd.DataFrame({"x": range(50), "y": list("ab") * 25})
    for options in ({}, {"seed": 7}, {"stratify": frame["y"]}):
        train, test = random_split(frame, 0.1, **options)
        settings = {"random_state": options.get("seed", 0), "stratify": options.get("stratify")}
        expected_train, expected_test = train_test_split(frame, test_size=0.1, **settings)
        pd.testing.assert_frame_equal(train, expected_train)
        pd.testing.assert_frame_equal(test, expected_test)


def test_the_shuffle_itself() -> None:
    assert random_split(list(range(10)), 0.3) == ([9, 1, 6, 7, 3, 0, 5], [2, 8, 4])


def test_a_share_is_rounded_up_and_a_number_is_exact() -> None:
    assert len(random_split(list(range(11)), 0.1)[1]) == 2
    assert len(random_split(list(range(11)), 4)[1]) == 4


def test_stratified_parts_have_the_same_shares() -> None:
    labels = ["a"] * 80 + ["b"] * 20
    train, test = random_split(labels, 0.1, stratify=labels)
    assert Counter(train) == {"a": 72, "b": 18}
    assert Counter(test) == {"a": 8, "b": 2}


@pytest.mark.parametrize("items", [list(range(20)), np.arange(20), pd.DataFrame({"x": range(20)})])
def test_keeps_the_kind(items: Any) -> None:
    train, test = random_split(items, 0.25)
    assert type(train) is type(test) is type(items)
    assert (len(train), len(test)) == (15, 5)


@given(st.integers(2, 60), st.floats(0.05, 0.95), st.integers(0, 100))
def test_loses_nothing(count: int, share: float, seed: int) -> None:
    try:
        train, test = random_split(list(range(count)), share, seed=seed)
    except PreparationError:
        assert int((1 - share) * count + 1e-9) == 0, "only an empty train part is refused"
        return
    assert sorted(train + test) == list(range(count))
    assert (train, test) == random_split(list(range(count)), share, seed=seed)


@pytest.mark.parametrize(
    ("items", "size", "stratify"),
    [([], 0.1, None), ([1], 0.1, None), ([1, 2], 5, None), ([1, 2, 3], 1, ["a", "a", "b"])],
)
def test_impossible_splits_are_reported(items: list[int], size: float, stratify: list[str] | None) -> None:
    with pytest.raises(PreparationError, match="The raw data cannot be split: "):
        random_split(items, size, stratify=stratify)


groups = st.lists(st.sampled_from(["a", "b", "c", "d", "e", None]), min_size=2, max_size=40)


@given(groups.filter(lambda each: len(set(each)) > 1), st.floats(0.05, 0.5))
def test_groups_stay_together(group: list[str | None], share: float) -> None:
    frame = pd.DataFrame({"group": pd.Series(group, dtype=object), "x": range(len(group))})
    train, test = group_split(frame, "group", share)
    assert sorted([*train["x"], *test["x"]]) == list(range(len(group)))
    assert not set(train["group"]) & set(test["group"])
    assert train["x"].is_monotonic_increasing, "both parts keep the order of rows"
    assert test["x"].is_monotonic_increasing


named_groups = st.lists(st.sampled_from(["b", "a", "e", "d", "c"]), min_size=2, max_size=40)


@pytest.mark.parametrize("consume", [False, True])
@given(group=named_groups.filter(lambda each: len(set(each)) > 1), share=st.floats(0.05, 0.5))
def test_regrouped_parts_are_the_groups_of_a_groupby(consume: bool, group: list[str], share: float) -> None:
    frame = pd.DataFrame({"group": group, "x": range(len(group))})
    expected = random_split([each for _, each in frame.groupby("group")], share)
    found = group_split(frame.copy(), "group", share, consume=consume, regroup=True)
    for part, groups_of_part in zip(found, expected, strict=True):
        assert part["x"].tolist() == pd.concat(groups_of_part)["x"].tolist()


def test_regrouping_needs_a_group_for_every_row() -> None:
    frame = pd.DataFrame({"group": ["a", None, "b", "c"]})
    with pytest.raises(PreparationError, match="some rows have no group"):
        group_split(frame, "group", 0.5, regroup=True)


def test_groups_are_drawn_in_order_of_first_appearance() -> None:
    frame = pd.DataFrame({"group": [5, 3, 5, 9, 1, 3, 7]})
    _, drawn = random_split(np.array([5, 3, 9, 1, 7]), 0.4)
    _, test = group_split(frame, "group", 0.4)
    assert set(test["group"]) == set(drawn)


@given(group=named_groups.filter(lambda each: len(set(each)) > 1), share=st.floats(0.05, 0.5))
def test_a_mask_says_which_rows_are_in_the_test_part(group: list[str], share: float) -> None:
    frame = pd.DataFrame({"group": group, "x": range(len(group))})
    in_test = group_mask(frame, "group", share)
    for mask, part in zip((~in_test, in_test), group_split(frame, "group", share), strict=True):
        pd.testing.assert_frame_equal(rows_where(frame, mask), part.reset_index(drop=True))
