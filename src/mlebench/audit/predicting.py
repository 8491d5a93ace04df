"""What one would submit who knew a relation between a column and the answers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import Relation, few
from mlebench.audit.finding import Prediction
from mlebench.audit.strength import groups_of
from mlebench.audit.table import Texts, as_numbers, canonical, texts
from mlebench.audit.targets import Target

_FAR = 10.0  # spreads of the middle half from the middle, beyond which a number is an outlier


def predictions(target: Target, rows: NDArray[np.int64], values: Texts | None) -> tuple[Prediction, ...]:
    """What a finding predicts: these values in these rows of the sample submission, where there are any."""
    return () if values is None else (Prediction(target.name, target.column, rows, values),)


def predicted_values(values: Texts, found: Relation, target: Target) -> Texts | None:
    """What one would submit who knew the relation: what the column says, or what it stands for."""
    if found.spoken is not None and found.strength.form in ("equal", "sequence"):
        return found.spoken
    if found.strength.form in ("order", "neighbours") and not _are_codes(values, target):
        return _along(values, target, found)
    source = found.groups if found.groups is not None and len(found.groups) == len(values) else values
    if target.numbers is not None and target.n_classes == 0:
        codes = groups_of(source)
        mean = np.bincount(codes, weights=tamed(target.numbers)) / np.bincount(codes)
        return texts(mean[codes].tolist())
    return most_common(source, target)


def tamed(y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Numbers without the reach of a few that are far from all others."""
    low, middle, high = np.nanquantile(y, (0.25, 0.5, 0.75))
    reach = _FAR * (high - low)
    return np.clip(y, middle - reach, middle + reach) if reach > 0 else y


def _are_codes(values: Texts, target: Target) -> bool:
    """Whether each of a few numbers stands for a class: that between two others in their order is none of both."""
    return target.n_classes > 2 and few(groups_of(values), target.n_classes, len(values))


def most_common(source: NDArray[np.object_], target: Target) -> Texts:
    """For each row the most common answer of those with the same value."""
    import pandas as pd

    frame = pd.DataFrame({"group": groups_of(source), "value": target.values})
    modes = frame.groupby("group")["value"].agg(lambda part: part.value_counts(sort=True, dropna=False).index[0])
    return texts(modes.loc[frame["group"]].tolist())


def _along(values: Texts, target: Target, found: Relation) -> Texts | None:
    numbers = as_numbers(values)
    if numbers is None:
        return None
    filled = np.where(np.isnan(numbers), np.nanmedian(numbers), numbers)
    truth = target.numbers
    if truth is None:
        coded = target.coded
        if coded is None:
            return None
        names = sorted(target.classes)
        shown = {str(canonical(value)): value for value in target.values}
        fitted = _fitted(filled, coded, found.strength.form)
        return texts(shown[names[int(place)]] for place in np.clip(np.rint(fitted), 0, len(names) - 1))
    return texts(_fitted(filled, truth, found.strength.form).tolist())


def _fitted(x: NDArray[np.float64], y: NDArray[np.float64], form: str) -> NDArray[np.float64]:
    if form == "order":
        from sklearn.isotonic import IsotonicRegression

        fitted: NDArray[np.float64] = IsotonicRegression(increasing="auto", out_of_bounds="clip").fit_transform(x, y)
        return fitted
    order = np.argsort(x, kind="stable")
    guess = np.empty(len(y))
    smooth = np.convolve(np.pad(y[order], 2, mode="edge"), np.array([1, 1, 0, 1, 1]) / 4, mode="valid")
    guess[order] = smooth
    return guess
