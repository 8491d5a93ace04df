"""Metrics for masks: by hand, and by their properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics import intersection_over_union, share_of_thresholds_passed
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
