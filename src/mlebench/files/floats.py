"""Numbers as pandas 2 reads them by default, which is not always to the last digit.

Its parser adds up at most 17 digits in floating point and then scales by a power of ten. pandas 3 reads numbers
correctly whatever it is asked for, so the published values can only be had by doing the same steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

_MOST_DIGITS = 17
_LARGEST = 308
_POWERS = np.array([float(f"1e{exponent}") for exponent in range(_LARGEST + 1)])
# Up to 15 digits and a power of ten that is exact leave nothing to round but the result.
_NEEDS_CARE = r"^\s*[+-]?(?:[\d.]{17,}|[\d.]+[eE][+-]?\d+)\s*$"


def as_pandas_2(correct: pd.Series[Any], texts: pd.Series[Any]) -> pd.Series[Any]:
    """A column of correctly read floats, changed where pandas 2 reads their text otherwise."""
    careful = texts.str.contains(_NEEDS_CARE, na=False).to_numpy(dtype=bool)
    if not careful.any():
        return correct
    values = correct.to_numpy(copy=True)
    values[careful] = parsed(texts[careful].to_numpy())
    return correct.__class__(values, index=correct.index, name=correct.name)


def parsed(texts: NDArray[Any]) -> NDArray[np.float64]:
    """Numbers in decimal notation, with or without an exponent, by the steps of pandas 2.

    >>> parsed(np.array(["0.1", "37.904611315634504", "-1e-5"])).tolist()
    [0.1, 37.9046113156345, -1e-05]
    """
    mantissas, _, exponents = np.char.partition(np.char.lower(np.char.strip(texts.astype(np.str_))), "e").T
    exponent = np.where(exponents == "", "0", exponents).astype(np.int64)
    characters = mantissas.astype(np.bytes_)
    codes = characters.view(np.uint8).reshape(len(texts), -1)
    number = np.zeros(len(texts))
    taken = np.zeros(len(texts), np.int64)
    behind_point = np.zeros(len(texts), bool)
    for column in codes.T:
        is_digit = (column >= ord("0")) & (column <= ord("9"))
        is_taken = is_digit & (taken < _MOST_DIGITS)
        number = np.where(is_taken, number * 10 + (column - np.float64(ord("0"))), number)
        taken += is_taken
        exponent += (is_digit & ~is_taken & ~behind_point).astype(np.int64) - (is_taken & behind_point)
        behind_point |= column == ord(".")
    number[np.char.startswith(mantissas, "-")] *= -1
    return _scaled(number, exponent)


def _scaled(number: NDArray[np.float64], exponent: NDArray[np.int64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore", under="ignore"):
        scaled: NDArray[np.float64] = number * _POWERS[np.clip(exponent, 0, _LARGEST)]
        # A power beyond the largest one takes two steps, the small one first.
        scaled /= _POWERS[np.clip(-exponent - _LARGEST, 0, _LARGEST)]
        scaled /= _POWERS[np.clip(-exponent, 0, _LARGEST)]
    return scaled
