"""The metrics that authors look for first, against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as reference

from mlebench.metrics import (
    balanced_accuracy,
    f1,
    macro_f1,
    mape,
    mask_dice,
    mean_absolute_error,
    mean_squared_error,
    median_absolute_error,
    ndcg_at_k,
    r2,
    smape,
    top_k_accuracy,
    weighted_f1,
)

numbers = st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=2, max_size=40)
classes = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=40)
REGRESSION = {
    mean_absolute_error: reference.mean_absolute_error,
    mean_squared_error: reference.mean_squared_error,
    median_absolute_error: reference.median_absolute_error,
    mape: reference.mean_absolute_percentage_error,
    r2: reference.r2_score,
}


@pytest.mark.parametrize("metric", REGRESSION, ids=lambda metric: metric.__name__)
@given(rows=numbers)
def test_numbers_agree_with_scikit_learn(metric: object, rows: list[tuple[float, float]]) -> None:
    truth, predicted = (np.array(side) for side in zip(*rows, strict=True))
    assert callable(metric)
    # The coefficient of determination divides by the spread of the truth, where digits may cancel.
    assert metric(truth, predicted) == pytest.approx(REGRESSION[metric](truth, predicted), rel=1e-6)


@given(rows=classes)
def test_classes_agree_with_scikit_learn(rows: list[tuple[int, int]]) -> None:
    truth, predicted = zip(*rows, strict=True)
    assert weighted_f1(truth, predicted) == pytest.approx(
        reference.f1_score(truth, predicted, average="weighted", zero_division=0)
    )
    assert macro_f1(truth, predicted) == pytest.approx(reference.f1_score(truth, predicted, average="macro"))
    positive = [each == 1 for each in truth], [each == 1 for each in predicted]
    assert f1(truth, predicted) == pytest.approx(reference.f1_score(*positive, zero_division=0))
    recalls = reference.recall_score(truth, predicted, labels=sorted(set(truth)), average="macro", zero_division=0)
    assert balanced_accuracy(truth, predicted) == pytest.approx(recalls)


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=3), min_size=1, max_size=6),
    st.integers(1, 4),
)
def test_ndcg_agrees_with_scikit_learn(rows: list[list[tuple[int, int]]], k: int) -> None:
    relevance, scores = (np.array([[pair[side] for pair in row] for row in rows]) for side in (0, 1))
    assert ndcg_at_k(relevance, scores, k) == pytest.approx(reference.ndcg_score(relevance, scores, k=k))


def test_smape_by_hand() -> None:
    assert smape([100.0, 100.0], [100.0, 300.0]) == 0.5, "0, and 200 of a mean of 200"
    assert smape([1.0], [-1.0]) == 2.0
    assert smape([0.0], [0.0]) == 0.0


@given(numbers)
def test_smape_is_symmetric_and_bounded(rows: list[tuple[float, float]]) -> None:
    truth, predicted = zip(*rows, strict=True)
    assert smape(truth, predicted) == smape(predicted, truth)
    assert 0 <= smape(truth, predicted) <= 2


def test_r2_of_a_constant_truth() -> None:
    assert (r2([2.0, 2.0], [2.0, 2.0]), r2([2.0, 2.0], [2.0, 3.0])) == (1.0, 0.0)


def test_f1_of_another_class() -> None:
    assert f1(["a", "b", "b"], ["b", "b", "a"], positive="b") == 0.5
    assert f1([0, 0], [1, 1]) == 0.0


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=20))
def test_dice_of_masks_is_f1_of_pixels(rows: list[tuple[bool, bool]]) -> None:
    truth, predicted = zip(*rows, strict=True)
    expected = f1(truth, predicted) if any(truth) or any(predicted) else 1.0
    assert mask_dice(truth, predicted) == pytest.approx(expected)


def test_top_k_accuracy_by_hand() -> None:
    ranked = [["a", "b"], ["a", "b"], ["c"]]
    assert [top_k_accuracy(["a", "b", "b"], ranked, k) for k in (1, 2)] == [pytest.approx(1 / 3), pytest.approx(2 / 3)]
