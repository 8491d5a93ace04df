"""Label-weighted label-ranking average precision: by hand, by its properties, and against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlebench.metrics import lwlrap

Tables = tuple[NDArray[np.int64], NDArray[np.float64]]


@st.composite
def tables(draw: Any) -> Tables:
    """Labels, at least one of them true, and scores with ties."""
    rows, labels = draw(st.integers(1, 8)), draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    truth = rng.integers(0, 2, (rows, labels))
    truth[0, 0] = 1
    return truth, rng.integers(0, 5, (rows, labels)) / 4


def test_by_hand() -> None:
    assert lwlrap([[0, 1, 0]], [[0.1, 0.9, 0.5]]) == 1.0
    assert lwlrap([[1, 0, 0]], [[0.1, 0.9, 0.5]]) == pytest.approx(1 / 3)
    assert lwlrap([[1, 1, 0]], [[0.1, 0.9, 0.5]]) == pytest.approx((2 / 3 + 1) / 2)
    # A wrong label that ties counts as if it were ranked above.
    assert lwlrap([[1, 0, 0]], [[0.5, 0.5, 0.1]]) == 0.5
    # Three true labels weigh three times as much as one.
    assert lwlrap([[1, 1, 1, 0], [1, 0, 0, 0]], [[3, 2, 1, 0], [0, 1, 2, 3]]) == pytest.approx((3 + 1 / 4) / 4)


@given(tables())
def test_agrees_with_scikit_learn(case: Tables) -> None:
    from sklearn.metrics import label_ranking_average_precision_score

    truth, scores = case
    expected = label_ranking_average_precision_score(truth, scores, sample_weight=truth.sum(axis=1))
    assert lwlrap(truth, scores) == pytest.approx(expected)


@given(tables(), st.floats(0.5, 3), st.floats(-5, 5))
def test_only_the_ranking_within_a_row_matters(case: Tables, factor: float, shift: float) -> None:
    truth, scores = case
    assert lwlrap(truth, scores * factor + shift) == pytest.approx(lwlrap(truth, scores))
    shifted = scores + np.arange(len(scores))[:, None]
    assert lwlrap(truth, shifted) == pytest.approx(lwlrap(truth, scores))


@given(tables())
def test_rows_without_labels_do_not_count(case: Tables) -> None:
    truth, scores = case
    kept = truth.any(axis=1)
    assert lwlrap(truth, scores) == pytest.approx(lwlrap(truth[kept], scores[kept]))
    assert 0 < lwlrap(truth, scores) <= lwlrap(truth, truth) == 1.0
