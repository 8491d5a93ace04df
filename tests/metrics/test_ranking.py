"""Metrics of ranked lists: by hand, by their properties, and against SciPy."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlebench.metrics import pooled_kendall_tau

orders = st.integers(2, 12).flatmap(lambda n: st.permutations(range(n)))


def test_kendall_tau_by_hand() -> None:
    assert pooled_kendall_tau(["abc"], ["abc"]) == 1.0
    assert pooled_kendall_tau(["abc"], ["cba"]) == -1.0
    assert pooled_kendall_tau(["abcd"], ["bacd"]) == pytest.approx(1 - 4 * 1 / 12)
    assert pooled_kendall_tau(["abcd"], ["dabc"]) == pytest.approx(1 - 4 * 3 / 12)


def test_kendall_tau_is_pooled_and_not_averaged() -> None:
    assert pooled_kendall_tau(["ab", "wxyz"], ["ba", "wxyz"]) == pytest.approx(1 - 4 * 1 / (2 + 12))


def test_a_row_of_one_item_has_no_pairs() -> None:
    assert pooled_kendall_tau(["a", "xyz"], ["a", "xzy"]) == pooled_kendall_tau(["xyz"], ["xzy"])


@given(orders)
def test_kendall_tau_agrees_with_scipy(order: list[int]) -> None:
    from scipy.stats import kendalltau

    truth = list(range(len(order)))
    places = [order.index(item) for item in truth]
    assert pooled_kendall_tau([truth], [order]) == pytest.approx(kendalltau(truth, places).statistic)


@given(orders)
def test_kendall_tau_is_symmetric_and_reversal_negates_it(order: list[int]) -> None:
    truth = sorted(order)
    tau = pooled_kendall_tau([truth], [order])
    assert pooled_kendall_tau([order], [truth]) == pytest.approx(tau)
    assert pooled_kendall_tau([truth], [order[::-1]]) == pytest.approx(-tau)
