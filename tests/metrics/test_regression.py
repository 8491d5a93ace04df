"""Metrics for numbers: by hand, against scikit-learn, and by their properties."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics import mcrmse, mean_absolute_error, mean_log_group_error, modified_laplace, rmse, rmsle

pairs = st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6)), min_size=1, max_size=40)
positive = st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), min_size=1, max_size=40)


def test_rmse_by_hand() -> None:
    assert rmse([1, 2], [1, 2]) == 0.0
    assert rmse([0, 0], [3, 4]) == pytest.approx(math.sqrt(12.5))
    assert rmse([1], [-1]) == 2.0


def test_rmsle_by_hand() -> None:
    assert rmsle([0], [math.e - 1]) == pytest.approx(1.0)
    assert rmsle([1, 3], [3, 1]) == pytest.approx(math.log(2))


@pytest.mark.parametrize(("truth", "predicted"), [([1.0], [-0.5]), ([-0.5], [1.0])])
def test_rmsle_refuses_negative_numbers(truth: list[float], predicted: list[float]) -> None:
    with pytest.raises(ValueError, match="0 or more"):
        rmsle(truth, predicted)


@given(pairs)
def test_rmse_agrees_with_scikit_learn(rows: list[tuple[float, float]]) -> None:
    from sklearn.metrics import root_mean_squared_error

    truth, predicted = zip(*rows, strict=True)
    assert rmse(truth, predicted) == pytest.approx(root_mean_squared_error(truth, predicted))


@given(positive)
def test_rmsle_agrees_with_scikit_learn(rows: list[tuple[float, float]]) -> None:
    from sklearn.metrics import root_mean_squared_log_error

    truth, predicted = zip(*rows, strict=True)
    assert rmsle(truth, predicted) == pytest.approx(root_mean_squared_log_error(truth, predicted))


@given(pairs, st.floats(-100, 100))
def test_rmse_is_a_distance(rows: list[tuple[float, float]], factor: float) -> None:
    truth, predicted = (np.array(side) for side in zip(*rows, strict=True))
    error = rmse(truth, predicted)
    assert error == rmse(predicted, truth)
    assert rmse(truth, truth) == 0.0
    assert rmse(factor * truth, factor * predicted) == pytest.approx(abs(factor) * error, rel=1e-6, abs=1e-6)
    gaps = np.abs(truth - predicted)
    tolerance = 1e-9 * gaps.max() + 1e-100  # squares of the tiniest gaps lose digits
    assert gaps.mean() - tolerance <= error <= gaps.max() + tolerance


@given(positive)
def test_rmsle_is_the_rmse_of_logarithms(rows: list[tuple[float, float]]) -> None:
    truth, predicted = zip(*rows, strict=True)
    assert rmsle(truth, predicted) == rmse(np.log1p(truth), np.log1p(predicted))


def test_modified_laplace_by_hand() -> None:
    limits = {"least_deviation": 70.0, "largest_error": 1000.0}
    best = -math.log(70 * math.sqrt(2))
    assert modified_laplace([2500], [2500], [70], **limits) == pytest.approx(best)
    assert modified_laplace([2500], [2500], [-5], **limits) == pytest.approx(best)
    at_100 = -math.sqrt(2) * 2 - math.log(100 * math.sqrt(2))
    assert modified_laplace([2500], [2300], [100], **limits) == pytest.approx(at_100)
    far = -math.sqrt(2) * 10 - math.log(100 * math.sqrt(2))
    assert modified_laplace([2500, 2500], [9999, 2300], [100, 100], **limits) == pytest.approx((far + at_100) / 2)
    assert modified_laplace([0], [0], [math.inf], **limits) == -math.inf


@given(st.floats(1, 500))
def test_modified_laplace_is_best_at_the_size_of_the_error(error: float) -> None:
    def score(deviation: float) -> float:
        return modified_laplace([0], [error], [deviation], least_deviation=1e-9, largest_error=1e9)

    best = score(math.sqrt(2) * error)
    assert best >= score(1.3 * math.sqrt(2) * error)
    assert best >= score(0.7 * math.sqrt(2) * error)


def test_mcrmse_by_hand() -> None:
    assert mcrmse([[1, 2], [3, 4]], [[1, 2], [3, 4]]) == 0.0
    assert mcrmse([[0, 0], [0, 0]], [[3, 1], [4, -1]]) == pytest.approx((math.sqrt(12.5) + 1) / 2)


@given(st.lists(st.tuples(*[st.floats(-1e6, 1e6)] * 6), min_size=1, max_size=20))
def test_mcrmse_is_the_mean_of_the_columns(rows: list[tuple[float, ...]]) -> None:
    table = np.array(rows)
    truth, predicted = table[:, :3], table[:, 3:]
    columns = [rmse(truth[:, column], predicted[:, column]) for column in range(3)]
    assert mcrmse(truth, predicted) == pytest.approx(np.mean(columns))


def test_mean_log_group_error_by_hand() -> None:
    # Mean errors 2 and 0.5: the logarithms cancel.
    assert mean_log_group_error([0, 0, 1], [1, 3, 1.5], ["a", "a", "b"]) == pytest.approx(0.0)
    assert mean_log_group_error([0, 0], [math.e, -math.e], [1, 1]) == pytest.approx(1.0)
    assert mean_log_group_error([0, 5], [1, 5], ["a", "b"]) == -math.inf


@given(pairs)
def test_mean_log_group_error_is_that_of_each_group(rows: list[tuple[float, float]]) -> None:
    truth, predicted = (np.array(side) for side in zip(*rows, strict=True))
    predicted = np.where(predicted == truth, truth + 1, predicted)
    groups = np.arange(len(truth)) % 3
    expected = np.mean(
        [math.log(mean_absolute_error(truth[groups == each], predicted[groups == each])) for each in set(groups)]
    )
    assert mean_log_group_error(truth, predicted, groups) == pytest.approx(expected, abs=1e-9)
    assert mean_log_group_error(predicted, truth, groups) == pytest.approx(expected, abs=1e-9)
    one = mean_log_group_error(truth, predicted, np.zeros(len(truth)))
    assert one == pytest.approx(math.log(mean_absolute_error(truth, predicted)), abs=1e-9)
