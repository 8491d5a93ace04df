"""Metrics of ranked scores: by hand, against scikit-learn, and by their properties."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlebench.metrics import roc_auc, weighted_auc

shares = st.integers(0, 64).map(lambda each: each / 64)
judged = st.lists(st.tuples(st.booleans(), shares), min_size=2, max_size=60)
inner_limits = st.lists(st.integers(1, 9).map(lambda each: each / 10), unique=True, max_size=3).map(sorted)


def both_classes(pairs: list[tuple[bool, float]]) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    truth = np.array([each for each, _ in pairs])
    assume(truth.any() and not truth.all())
    return truth, np.array([score for _, score in pairs])


def favouring_low_rates(truth: object, scores: object) -> float:
    return weighted_auc(truth, scores, limits=[0, 0.4, 1], weights=[2, 1])  # type: ignore[arg-type]


def test_weighted_auc_by_hand() -> None:
    assert favouring_low_rates([0, 1], [0.1, 0.9]) == pytest.approx(1)
    assert favouring_low_rates([0, 1], [0.9, 0.1]) == 0.0
    # One tie is the diagonal: 0.4 * 0.4 / 2 is missing below 0.4, and 0.6 * 0.6 / 2 is there above.
    assert favouring_low_rates([0, 1, 1], [0.5, 0.5, 0.5]) == pytest.approx((2 * (0.4 - 0.08) + 0.18) / 1.4)
    # The curve jumps to 1/2, goes right to 1 and up: the lower band is full, of the upper one a sixth is.
    assert favouring_low_rates([1, 0, 1], [3, 2, 1]) == pytest.approx((2 * 0.4 + 0.1) / 1.4)


def test_weighted_auc_with_a_corner_at_the_limit() -> None:
    truth, scores = [1, 1, 0, 1, 1, 1], [3, 3, 2, 1, 1, 1]
    assert favouring_low_rates(truth, scores) == pytest.approx(2 * 0.4 / 1.4)


@pytest.mark.parametrize("truth", [[0, 0], [1, 1]])
def test_weighted_auc_needs_both_classes(truth: list[int]) -> None:
    with pytest.raises(ValueError, match="both classes"):
        favouring_low_rates(truth, [0.1, 0.2])


@given(judged, inner_limits)
def test_weighted_auc_agrees_with_scikit_learn(pairs: list[tuple[bool, float]], inner: list[float]) -> None:
    truth, scores = both_classes(pairs)
    limits = [0.0, *inner, 1.0]
    weights = [1.0 + number for number in range(len(limits) - 1)]
    expected = reference(truth, scores, limits, weights)
    assert weighted_auc(truth, scores, limits=limits, weights=weights) == pytest.approx(expected)


def reference(
    truth: NDArray[np.bool_], scores: NDArray[np.float64], limits: list[float], weights: list[float]
) -> float:
    """The area band by band, with scikit-learn's curve and trapezoids."""
    from sklearn.metrics import auc, roc_curve

    false_rate, true_rate, _ = roc_curve(truth, scores)
    total = 0.0
    for (low, high), weight in zip(pairwise(limits), weights, strict=True):
        for limit in (low, high):
            if limit not in true_rate:
                where = int(np.argmax(true_rate > limit))
                between = np.interp(limit, true_rate[where - 1 : where + 1], false_rate[where - 1 : where + 1])
                false_rate, true_rate = np.insert(false_rate, where, between), np.insert(true_rate, where, limit)
        band = (true_rate >= low) & (true_rate <= high)
        total += weight * auc(np.append(false_rate[band], 1), np.append(true_rate[band], high) - low)
    return total / sum(w * (high - low) for (low, high), w in zip(pairwise(limits), weights, strict=True))


@given(judged, st.floats(0.5, 4))
def test_weighted_auc_with_equal_weights_is_the_area(pairs: list[tuple[bool, float]], weight: float) -> None:
    truth, scores = both_classes(pairs)
    area = roc_auc(truth, scores)
    assert weighted_auc(truth, scores, limits=[0, 1], weights=[weight]) == pytest.approx(area)
    assert weighted_auc(truth, scores, limits=[0, 0.3, 1], weights=[weight, weight]) == pytest.approx(area)


@given(judged)
def test_weighted_auc_sees_the_order_alone(pairs: list[tuple[bool, float]]) -> None:
    truth, scores = both_classes(pairs)
    score = favouring_low_rates(truth, scores)
    assert favouring_low_rates(truth, np.exp(3 * scores) - 7) == score
    assert -1e-12 <= score <= 1 + 1e-12
