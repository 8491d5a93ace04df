"""Example submissions where every row has one probability per class and the answers are one-hot."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlebench.twins.kit.case import Case


def leaning(case: Case) -> Any:
    """Random distributions that lean towards the truth."""
    chance = case.rng.dirichlet(np.full(len(case.targets), 0.3), case.n)
    mixed = chance * 0.6 + case.truth.to_numpy() * 0.4 * case.rng.random((case.n, 1))
    return (mixed / mixed.sum(axis=1, keepdims=True)).round(9)


def distributions(case: Case) -> dict[str, Any]:
    """Probabilities and sums at the limits of what is accepted, and beyond."""
    truth, guess = case.truth.to_numpy(), case.guess.to_numpy()
    half, gap, negative = truth.astype(float), truth.astype(float), guess.copy()
    half[: case.n // 2] = np.roll(half[: case.n // 2], 3, axis=1)
    gap[0, (truth[0].argmax() + 1) % truth.shape[1]] = np.nan
    negative[0, :2] += [-0.5, 0.5]
    return {
        "wrong_onehot": np.roll(truth, 1, axis=1),  # certain and wrong everywhere: clipped
        "half_wrong_onehot": half,
        "tiny": np.where(np.arange(truth.shape[1]) == 0, 1, np.full(truth.shape, 1e-20)),  # far below the clipping
        "sum_within_tolerance": guess * (1 + 1.05e-5),  # accepted and not rescaled
        "sum_outside_tolerance": guess * (1 + 1.2e-5),
        "sum_two": guess * 2 * 0.9,  # rows sum to 1.8: not rescaled
        "negative": negative,  # in a row that sums to 1
        "nan_row_sum_one": gap,  # in a row whose others sum to 1
    }
