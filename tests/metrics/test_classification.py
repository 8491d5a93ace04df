"""Metrics for classes and probabilities: by hand, against scikit-learn, and by their properties."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlebench.metrics import (
    accuracy,
    binary_log_loss,
    kl_divergence,
    log_loss,
    matthews,
    mean_column_auc,
    probabilistic_f1,
    quadratic_weighted_kappa,
    roc_auc,
    weighted_log_loss,
)
from mlebench.metrics.classification import EPSILON

# Multiples of 1/64 add up exactly, and leave ties and both ends likely.
shares = st.integers(0, 64).map(lambda each: each / 64)
judged = st.lists(st.tuples(st.booleans(), shares), min_size=2, max_size=60)
ratings = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=60)
distributions = st.lists(st.integers(0, 20), min_size=3, max_size=3).filter(any).map(lambda each: normalised(each))


def normalised(weights: list[int]) -> NDArray[np.float64]:
    return np.array(weights) / sum(weights)


def both_classes(pairs: list[tuple[bool, float]]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    truth = np.array([each for each, _ in pairs])
    assume(truth.any() and not truth.all())
    return truth, np.array([score for _, score in pairs])


def test_accuracy_by_hand() -> None:
    assert accuracy([1, 0, 1, 1], [1, 0, 1, 1]) == 1.0
    assert accuracy([1, 0, 1, 1], [0, 1, 0, 0]) == 0.0
    assert accuracy(["cat", "dog", "cat"], ["cat", "cat", "dog"]) == pytest.approx(1 / 3)
    assert accuracy([True, False], [1, 0]) == 1.0


@given(ratings)
def test_accuracy_agrees_with_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import accuracy_score

    truth, predicted = zip(*pairs, strict=True)
    assert accuracy(truth, predicted) == pytest.approx(accuracy_score(truth, predicted))


def test_roc_auc_by_hand() -> None:
    assert roc_auc([0, 1], [0.1, 0.9]) == 1.0
    assert roc_auc([0, 1], [0.9, 0.1]) == 0.0
    assert roc_auc([0, 1, 1, 0], [0.5, 0.5, 0.5, 0.5]) == 0.5
    # Of the six pairs of a positive and a negative four are in order, one is a tie.
    assert roc_auc([1, 0, 1, 0, 0], [0.9, 0.8, 0.5, 0.5, 0.1]) == pytest.approx(4.5 / 6)


@pytest.mark.parametrize("truth", [[0, 0], [1, 1]])
def test_roc_auc_needs_both_classes(truth: list[int]) -> None:
    with pytest.raises(ValueError, match="both classes"):
        roc_auc(truth, [0.1, 0.2])


@given(judged)
def test_roc_auc_agrees_with_scikit_learn(pairs: list[tuple[bool, float]]) -> None:
    from sklearn.metrics import roc_auc_score

    truth, scores = both_classes(pairs)
    assert roc_auc(truth, scores) == pytest.approx(roc_auc_score(truth, scores))


@given(judged)
def test_roc_auc_sees_the_order_alone(pairs: list[tuple[bool, float]]) -> None:
    truth, scores = both_classes(pairs)
    area = roc_auc(truth, scores)
    assert roc_auc(truth, np.exp(3 * scores) - 7) == area
    assert roc_auc(truth, -scores) == pytest.approx(1 - area)
    assert roc_auc(~truth, scores) == pytest.approx(1 - area)
    assert 0.0 <= area <= 1.0


def test_mean_column_auc_by_hand() -> None:
    truth = [[0, 1], [1, 0], [1, 1]]
    scores = [[0.1, 0.3], [0.2, 0.2], [0.9, 0.1]]
    # The first column is in order; of the second one's two pairs one is.
    assert mean_column_auc(truth, scores) == pytest.approx((1.0 + 0.5) / 2)


def test_log_loss_by_hand() -> None:
    assert log_loss([[1, 0]], [[0.25, 0.75]]) == pytest.approx(math.log(4))
    assert log_loss([[1, 0, 0], [0, 0, 1]], [[0.5, 0.25, 0.25], [0.0, 0.0, 1.0]]) == pytest.approx(math.log(2) / 2)
    assert binary_log_loss([0, 1], [0.5, 0.25]) == pytest.approx((math.log(2) + math.log(4)) / 2)


def test_log_loss_of_certainty() -> None:
    assert log_loss([[1, 0]], [[0, 1]]) == pytest.approx(-math.log(EPSILON))
    assert 0 < log_loss([[1, 0]], [[1, 0]]) < 1e-15
    assert binary_log_loss([1], [0]) == log_loss([[0, 1]], [[1, 0]])


@given(st.lists(st.tuples(st.integers(0, 2), distributions), min_size=1, max_size=30))
def test_log_loss_agrees_with_scikit_learn(pairs: list[tuple[int, NDArray[np.float64]]]) -> None:
    from sklearn.metrics import log_loss as reference

    truth = [label for label, _ in pairs]
    predicted = np.array([row for _, row in pairs])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rounding leaves some sums a bit off 1
        expected = reference(truth, predicted, labels=[0, 1, 2])
    assert log_loss(np.eye(3)[truth], predicted) == pytest.approx(expected)


@given(st.lists(st.tuples(st.booleans(), shares), min_size=1, max_size=30))
def test_binary_log_loss_agrees_with_scikit_learn(pairs: list[tuple[bool, float]]) -> None:
    from sklearn.metrics import log_loss as reference

    truth, predicted = zip(*pairs, strict=True)
    expected = reference(truth, predicted, labels=[False, True])
    assert binary_log_loss(truth, predicted) == pytest.approx(expected)


def test_kl_divergence_by_hand() -> None:
    assert kl_divergence([[1.0, 0.0]], [[0.5, 0.5]]) == pytest.approx(math.log(2))
    rows = [[0.5, 0.5], [1.0, 0.0]]
    assert kl_divergence(rows, [[0.5, 0.5], [0.25, 0.75]]) == pytest.approx(math.log(4) / 2)
    assert kl_divergence([[0.5, 0.5]], [[1.0, 0.0]]) == math.inf
    assert kl_divergence([[0.0, 1.0]], [[0.0, 1.0]]) == 0.0


@given(st.lists(distributions, min_size=1, max_size=10), st.lists(distributions, min_size=10, max_size=10))
def test_kl_divergence_is_never_negative(
    truth: list[NDArray[np.float64]], predicted: list[NDArray[np.float64]]
) -> None:
    assert kl_divergence(truth, predicted[: len(truth)]) >= -1e-12
    assert kl_divergence(truth, truth) == pytest.approx(0.0, abs=1e-12)


def test_kappa_by_hand() -> None:
    assert quadratic_weighted_kappa([1, 2, 3], [1, 2, 3]) == 1.0
    assert quadratic_weighted_kappa([1, 2, 3], [3, 2, 1]) == pytest.approx(-1.0)
    # Observed: one disagreement of distance 1. By chance: half of the four pairs.
    assert quadratic_weighted_kappa([0, 0, 1, 1], [0, 1, 1, 1]) == pytest.approx(1 - 1 / 2)


def test_kappa_counts_positions_among_ratings_that_occur() -> None:
    assert quadratic_weighted_kappa([0, 1, 9], [1, 1, 0]) == quadratic_weighted_kappa([0, 1, 2], [1, 1, 0])


def test_kappa_of_a_single_rating_is_not_a_number() -> None:
    assert math.isnan(quadratic_weighted_kappa([2, 2], [2, 2]))


@given(ratings)
def test_kappa_agrees_with_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import cohen_kappa_score

    truth, predicted = zip(*pairs, strict=True)
    assume(len({*truth, *predicted}) > 1)
    kappa = quadratic_weighted_kappa(truth, predicted)
    assert kappa == pytest.approx(cohen_kappa_score(truth, predicted, weights="quadratic"), abs=1e-12)
    assert kappa == pytest.approx(quadratic_weighted_kappa(predicted, truth), abs=1e-12)


def test_matthews_by_hand() -> None:
    assert matthews([1, 0, 1, 0], [1, 0, 1, 0]) == 1.0
    assert matthews([1, 0, 1, 0], [0, 1, 0, 1]) == -1.0
    assert matthews([1, 0, 1, 0], [1, 1, 1, 1]) == 0.0
    # TP 2, TN 1, FP 1, FN 0.
    assert matthews([1, 1, 0, 0], [1, 1, 1, 0]) == pytest.approx((2 * 1 - 1 * 0) / math.sqrt(3 * 2 * 2 * 1))


@given(ratings)
def test_matthews_agrees_with_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    from sklearn.metrics import matthews_corrcoef

    truth, predicted = zip(*pairs, strict=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a single class
        expected = matthews_corrcoef(truth, predicted)
    assert matthews(truth, predicted) == pytest.approx(expected, abs=1e-12)
    assert matthews(predicted, truth) == pytest.approx(expected, abs=1e-12)


def test_matthews_of_many_rows() -> None:
    truth = np.arange(400_000) % 2  # squares of squares of this count do not fit into an integer
    assert matthews(truth, truth) == pytest.approx(1.0)


def test_probabilistic_f1_by_hand() -> None:
    assert probabilistic_f1([1, 0], [1, 0]) == 1.0
    assert probabilistic_f1([1, 0], [0, 1]) == 0.0
    # Precision 0.6 / 0.8, recall 0.6 / 1.
    assert probabilistic_f1([1, 0], [0.6, 0.2]) == pytest.approx(2 * 0.75 * 0.6 / (0.75 + 0.6))
    assert probabilistic_f1([1, 0, 0], [7, -3, 0]) == 1.0


@pytest.mark.parametrize("predicted", [[0, 0], [math.nan, 0.5], [0.5, math.nan]])
def test_probabilistic_f1_of_nothing(predicted: list[float]) -> None:
    assert probabilistic_f1([1, 0], predicted) == 0.0


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40))
def test_probabilistic_f1_of_certain_predictions_is_f1(pairs: list[tuple[bool, bool]]) -> None:
    from sklearn.metrics import f1_score

    truth, predicted = zip(*pairs, strict=True)
    assert probabilistic_f1(truth, predicted) == pytest.approx(f1_score(truth, predicted, zero_division=0))


def test_weighted_log_loss_by_hand() -> None:
    assert weighted_log_loss([[1, 0]], [[0.5, 0.5]], [[14, 1]]) == pytest.approx(math.log(2))
    first, second = (2 * math.log(2) + math.log(4)) / 3, -math.log(0.75)
    assert weighted_log_loss([[1, 1], [0, 0]], [[0.5, 0.25], [0.25, 0.25]], [[2, 1], [1, 1]]) == pytest.approx(
        (first + second) / 2
    )
    assert weighted_log_loss([[1]], [[0]], [[1]], epsilon=1e-15) == pytest.approx(15 * math.log(10))


@given(judged)
def test_weighted_log_loss_of_one_label_is_the_log_loss(pairs: list[tuple[bool, float]]) -> None:
    truth, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    weights = np.arange(1, len(truth) + 1)[:, None]  # of the only label of a row: without effect
    assert weighted_log_loss(truth[:, None], predicted[:, None], weights) == pytest.approx(
        binary_log_loss(truth, predicted)
    )
