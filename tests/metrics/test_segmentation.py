"""Metrics for masks: by hand, and by their properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from mlebench.metrics import (
    dice,
    f_beta,
    hausdorff_distance,
    intersection_over_union,
    share_of_thresholds_passed,
)
from mlebench.metrics.segmentation import IOU_THRESHOLDS

masks = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60)


def test_intersection_over_union_by_hand() -> None:
    assert intersection_over_union([[1, 1], [0, 0]], [[1, 0], [1, 0]]) == pytest.approx(1 / 3)
    assert intersection_over_union([1, 1, 0], [1, 1, 0]) == 1.0
    assert intersection_over_union([1, 0], [0, 1]) == 0.0


def test_empty_masks() -> None:
    assert intersection_over_union([0, 0], [0, 0]) == 1.0
    assert intersection_over_union([0, 0], [0, 1]) == 0.0
    assert intersection_over_union([0, 1], [0, 0]) == 0.0


@given(masks)
def test_intersection_over_union_agrees_with_scikit_learn(pixels: list[tuple[bool, bool]]) -> None:
    from sklearn.metrics import jaccard_score

    truth, predicted = (np.array(side) for side in zip(*pixels, strict=True))
    expected = jaccard_score(truth, predicted) if (truth | predicted).any() else 1.0
    assert intersection_over_union(truth, predicted) == pytest.approx(expected)
    assert intersection_over_union(predicted, truth) == intersection_over_union(truth, predicted)


def test_thresholds_are_strict() -> None:
    assert pytest.approx([0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95]) == IOU_THRESHOLDS
    assert share_of_thresholds_passed([0.0, 0.5, 0.51, 0.56, 0.951, 1.0]).tolist() == [0, 0, 0.1, 0.2, 1, 1]
    assert share_of_thresholds_passed([0.5, 0.6, 0.75], thresholds=[0.5, 0.75]).tolist() == [0, 0.5, 0.5]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_share_of_thresholds_grows_with_the_overlap(overlaps: list[float]) -> None:
    shares = share_of_thresholds_passed(sorted(overlaps))
    assert (np.diff(shares) >= 0).all()
    assert ((shares >= 0) & (shares <= 1)).all()


def runs(mask: Any) -> NDArray[np.int64]:
    """The runs of a flat mask."""
    return np.flatnonzero(np.diff(np.asarray(mask, dtype=int), prepend=0, append=0)).reshape(-1, 2)


def test_dice_by_hand() -> None:
    assert dice(runs([1, 1, 0, 0]), runs([0, 1, 1, 1])) == pytest.approx(2 / 5)
    assert dice(runs([1, 0, 1]), runs([1, 0, 1])) == 1.0
    assert dice([[0, 5_000_000_000]], [[2_500_000_000, 5_000_000_000]]) == pytest.approx(2 / 3)


def test_dice_of_empty_masks() -> None:
    assert dice([], [[0, 1]]) == dice([[0, 1]], []) == 0.0
    assert dice([], []) == 1.0
    assert dice([], [], both_empty=0.0) == 0.0


@given(masks)
def test_dice_and_f_beta_agree_with_scikit_learn(pixels: list[tuple[bool, bool]]) -> None:
    from sklearn.metrics import f1_score, fbeta_score

    truth, predicted = (np.array(side) for side in zip(*pixels, strict=True))
    left, right = runs(truth), runs(predicted)
    assert dice(left, right, both_empty=0) == pytest.approx(f1_score(truth, predicted, zero_division=0))
    assert dice(left, right) == dice(right, left)
    assert f_beta(left, right, beta=1) == pytest.approx(dice(left, right, both_empty=0))
    for beta in (0.5, 2.0):
        expected = fbeta_score(truth, predicted, beta=beta, zero_division=0)
        assert f_beta(left, right, beta=beta) == pytest.approx(expected)


def test_f_beta_by_hand() -> None:
    # Of four pixels with ink two are found, and one more that has none: precision 2/3, recall 1/2.
    assert f_beta([[0, 4]], [[2, 5]], beta=0.5) == pytest.approx(1.25 * (2 / 3) * 0.5 / (0.25 * (2 / 3) + 0.5))
    assert f_beta([], [], beta=0.5) == f_beta([[0, 1]], [], beta=0.5) == f_beta([[0, 1]], [[1, 2]], beta=0.5) == 0.0


def test_hausdorff_by_hand() -> None:
    one, other = np.zeros((2, 5, 5), bool), np.zeros((2, 5, 5), bool)
    one[0, 0, 0] = other[0, 3, 4] = True
    assert hausdorff_distance(one, other) == pytest.approx(5.0)
    assert hausdorff_distance(one, other, lengths=(1, 3, 4)) == pytest.approx(np.sqrt(2))
    assert hausdorff_distance(one, one) == 0.0
    assert hausdorff_distance(one, one[:1, :1, :1]) == 0.0, "shapes may differ"
    assert hausdorff_distance(one | other, one) == pytest.approx(5.0)
    assert hausdorff_distance(one, one | other) == pytest.approx(5.0)


@given(
    hnp.arrays(bool, st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 5))).filter(np.any),
    hnp.arrays(bool, st.tuples(st.integers(1, 4), st.integers(1, 5), st.integers(1, 5))).filter(np.any),
)
def test_hausdorff_agrees_with_scipy(truth: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> None:
    from scipy.spatial.distance import directed_hausdorff

    left, right = (np.argwhere(each) / truth.shape for each in (truth, predicted))
    expected = max(directed_hausdorff(left, right)[0], directed_hausdorff(right, left)[0])
    assert hausdorff_distance(truth, predicted, truth.shape) == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
def test_hausdorff_of_larger_volumes_agrees_with_scipy(seed: int) -> None:
    from scipy.spatial.distance import directed_hausdorff

    rng = np.random.default_rng(seed)
    depth, row, column = np.mgrid[:8, :40, :50]
    truth = (depth - 4) ** 2 + (row - 8) ** 2 + (column - 8) ** 2 < 30
    predicted = (depth - 3) ** 2 + (row - 11) ** 2 + (column - 7) ** 2 < 40
    predicted |= rng.random(predicted.shape) < 0.01 * seed
    left, right = (np.argwhere(each) / truth.shape for each in (truth, predicted))
    expected = max(directed_hausdorff(left, right)[0], directed_hausdorff(right, left)[0])
    assert hausdorff_distance(truth, predicted, truth.shape) == expected
    assert hausdorff_distance(predicted, truth, truth.shape) == expected
