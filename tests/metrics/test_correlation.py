"""Correlations: by hand, against SciPy, and by their properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlebench.metrics import pearson, spearman

# Eighths add up exactly, and ties are likely.
eighths = st.integers(-80, 80).map(lambda each: each / 8)
pairs = st.lists(st.tuples(eighths, eighths), min_size=2, max_size=40)


def varied(rows: list[tuple[float, float]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    left, right = (np.array(side) for side in zip(*rows, strict=True))
    assume(np.ptp(left) > 0 and np.ptp(right) > 0)
    return left, right


def test_pearson_by_hand() -> None:
    assert pearson([0, 1, 2], [5, 7, 9]) == pytest.approx(1.0)
    assert pearson([0, 1], [3, -3]) == pytest.approx(-1.0)
    # Deviations (-1, 0, 1) and (-10, 10, 0): their product sums to 10, their lengths are √2 and √200.
    assert pearson([1, 2, 3], [10, 30, 20]) == pytest.approx(0.5)
    assert pearson([0, 0, 1, 1], [0, 1, 0, 1]) == 0.0


def test_spearman_by_hand() -> None:
    assert spearman([1, 2, 3], [0.1, 5, 1e9]) == pytest.approx(1.0)
    # Ranks 1, 2, 3, 4 against 1, 3, 2, 4: 1 - 6 · (0 + 1 + 1 + 0) / (4 · 15).
    assert spearman([1, 2, 3, 4], [1, 100, 10, 1000]) == pytest.approx(0.8)
    # The tie shares rank 1.5: deviations (-1, 0, 1) and (-0.5, -0.5, 1).
    assert spearman([1, 2, 3], [4, 4, 9]) == pytest.approx(1.5 / math.sqrt(2 * 1.5))


@pytest.mark.parametrize("metric", [pearson, spearman])
@pytest.mark.parametrize("constant", [[0.1] * 3, [1e300] * 3, [0.0] * 3])
def test_a_constant_side_has_no_correlation(metric: object, constant: list[float]) -> None:
    assert callable(metric)
    assert math.isnan(metric([1, 2, 3], constant))
    assert math.isnan(metric(constant, [1, 2, 3]))


def test_spearman_ranks_infinities_and_texts() -> None:
    assert spearman([1, 2, 3], [-math.inf, 0, math.inf]) == pytest.approx(1.0)
    assert spearman([3, 1, 2], np.array(["high", "0.1", "0.25"], dtype=object)) == pytest.approx(1.0)


@pytest.mark.parametrize("factor", [1e-200, 1e200])
def test_pearson_neither_overflows_nor_vanishes(factor: float) -> None:
    assert pearson([1, 2, 3], np.array([10, 30, 20]) * factor) == pytest.approx(0.5)


@given(pairs)
def test_both_agree_with_scipy(rows: list[tuple[float, float]]) -> None:
    from scipy.stats import pearsonr, spearmanr

    left, right = varied(rows)
    assert pearson(left, right) == pytest.approx(pearsonr(left, right).statistic, abs=1e-12)
    assert spearman(left, right) == pytest.approx(spearmanr(left, right).statistic, abs=1e-12)


@given(pairs)
def test_both_are_symmetric_and_bounded(rows: list[tuple[float, float]]) -> None:
    left, right = varied(rows)
    for metric in (pearson, spearman):
        value = metric(left, right)
        assert -1.0 <= value <= 1.0
        assert metric(right, left) == pytest.approx(value, abs=1e-12)
        assert metric(left, -right) == pytest.approx(-value, abs=1e-12)
        assert metric(left, 3 * right - 8) == pytest.approx(value, abs=1e-12)
        assert metric(left, left) == pytest.approx(1.0)


@given(pairs)
def test_spearman_sees_the_order_alone(rows: list[tuple[float, float]]) -> None:
    left, right = varied(rows)
    assert spearman(left, np.exp(right)) == spearman(left, right)
