"""AUCs that reveal bias: by hand, against their definition with scikit-learn, and by their properties."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlebench.metrics import bias_auc, roc_auc

shares = st.integers(0, 16).map(lambda each: each / 16)
rows = st.lists(st.tuples(st.booleans(), shares, st.booleans(), st.booleans()), max_size=40)


def arrays(drawn: list[tuple[bool, float, bool, bool]]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Truth, scores and two groups; every set of rows has both classes."""
    corners = [(truth, 0.5, group, group) for truth in (True, False) for group in (True, False)]
    truth, scores, *groups = zip(*corners, *drawn, strict=True)
    return np.array(truth), np.array(scores), np.array(groups).T


def test_by_hand() -> None:
    # Overall 3 of 4 pairs are in order. The members are in order (1); the member that is negative beats the positive
    # of the rest (0, so this power mean is 0); the positive member beats the negative of the rest (1).
    assert bias_auc([1, 0, 1, 0], [0.9, 0.6, 0.5, 0.1], [[1], [1], [0], [0]]) == pytest.approx((0.75 + 1 + 0 + 1) / 4)
    assert bias_auc([1, 0, 1, 0], [0.9, 0.1, 0.8, 0.2], [[1], [1], [0], [0]]) == 1.0
    assert bias_auc([1, 0, 1, 0], [0.5] * 4, [[1], [1], [0], [0]]) == pytest.approx(0.5)
    assert bias_auc([1, 0, 1, 0], [0, 1, 0, 1], [[1], [1], [0], [0]]) == 0.0


def test_the_worst_group_weighs_most() -> None:
    # Members have an AUC of 1 in one group and 0.5 in the other: ((1 + 2 ** 5) / 2) ** (-1 / 5) instead of 0.75.
    truth, scores, groups = [1, 0, 1, 0], [1.0, 0.0, 0.5, 0.5], [[1, 0], [1, 0], [0, 1], [0, 1]]
    members = (33 / 2) ** (-1 / 5)
    assert members < 0.75
    # Across the groups every positive is above every negative.
    assert bias_auc(truth, scores, groups) == pytest.approx((roc_auc(truth, scores) + members + 1 + 1) / 4)


@given(rows)
def test_is_the_published_definition(drawn: list[tuple[bool, float, bool, bool]]) -> None:
    from sklearn.metrics import roc_auc_score

    truth, scores, groups = arrays(drawn)
    kinds: dict[str, list[float]] = {"subgroup": [], "bpsn": [], "bnsp": []}
    for group in groups.T:
        chosen = {
            "subgroup": group,
            "bpsn": (~truth & group) | (truth & ~group),
            "bnsp": (truth & group) | (~truth & ~group),
        }
        for kind, mask in chosen.items():
            kinds[kind].append(float(roc_auc_score(truth[mask], scores[mask])))
    means = [0.0 if 0.0 in each else np.mean(np.array(each) ** -5.0) ** -0.2 for each in kinds.values()]
    expected = 0.25 * (roc_auc_score(truth, scores) + sum(means))
    assert bias_auc(truth, scores, groups) == pytest.approx(expected)


@given(rows)
def test_is_bounded_and_sees_the_order_alone(drawn: list[tuple[bool, float, bool, bool]]) -> None:
    truth, scores, groups = arrays(drawn)
    value = bias_auc(truth, scores, groups)
    assert 0.0 <= value <= 1.0
    assert bias_auc(truth, 7 * scores - 3, groups) == value
    assert bias_auc(truth, scores, groups[:, ::-1]) == pytest.approx(value)
    assert bias_auc(truth, truth, groups) == 1.0
