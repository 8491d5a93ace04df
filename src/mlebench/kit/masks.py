"""Masks as submissions carry them: run lengths, "start length start length …", pixels numbered from 1.

Decoded, a mask is an array of runs, each a row (first pixel, pixel after the last) counted from 0, ascending and
disjoint. The metrics of `mlebench.metrics.segmentation` take masks in this form, which is small however large the
image is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mlebench.base.codes import RefusalCode
from mlebench.base.wording import quote
from mlebench.errors import InvalidSubmissionError, in_cell

Runs = NDArray[np.int64]
_SHOWN = 40  # characters of a code that a message quotes


def decode_runs(code: str, size: int, *, in_pairs: bool = False, inside: bool = False) -> Runs:
    """The runs of a mask of `size` pixels; a blank code has none. What reaches past the last pixel is cut off.

    Refuses words and decimal numbers, starts that do not ascend, starts and lengths below 1, and pixels named twice.
    As published, one number alone is an empty mask, and of three numbers the only length serves both runs: `in_pairs`
    refuses every odd count, and `inside` what reaches past the last pixel.

    >>> decode_runs("1 3 10 5", size=12).tolist()
    [[0, 3], [9, 12]]
    """
    try:
        return _decoded(code, size, in_pairs, inside)
    except InvalidSubmissionError as refusal:
        raise InvalidSubmissionError(refusal.sentence, code=refusal.code, where=in_cell(code)) from None


def _decoded(code: str, size: int, in_pairs: bool, inside: bool) -> Runs:
    values = _integers(code)
    starts, lengths = values[::2], values[1::2]
    if in_pairs and len(values) % 2:
        raise _malformed(f"{_shown(code)} has a start without a length; numbers must come in pairs.")
    if len(values) == 3:
        lengths = lengths.repeat(2)  # As published: the one length counts for both runs.
    elif len(values) % 2 and len(values) > 1:  # As published: a lone number is an empty mask.
        raise _malformed(f"{_shown(code)} has a start without a length; numbers must come in pairs.")
    if (starts <= 0).any():
        raise _malformed("A run starts before pixel 1; pixels are numbered from 1.")
    if (lengths <= 0).any():
        raise _malformed("A run has no length; every length must be at least 1.")
    if (starts[1:] < starts[:-1]).any():
        raise _malformed("The runs of a mask are not in ascending order; sort them by their starts.")
    first = np.minimum(starts - 1, size)[: len(lengths)]
    end = first + np.minimum(lengths, size - first)
    if (first[1:] < end[:-1]).any():
        raise _malformed("Two runs of a mask overlap; every pixel may be listed once.")
    if inside and (starts[: len(lengths)] - 1 + lengths > size).any():
        raise _malformed(f"A run reaches past the last pixel; the image has {size} pixels.")
    runs = np.column_stack([first, end])
    return runs[first < size]


def _integers(code: str) -> NDArray[np.int64]:
    try:
        return np.array(code.split(), dtype=np.int64)
    except OverflowError:
        raise _malformed(f"{_shown(code)} has a number of more than 18 digits, and no mask is so large.") from None
    except ValueError:
        raise _malformed(
            f"{_shown(code)} is not a list of whole numbers separated by blanks (start length start length …)."
        ) from None


def _malformed(sentence: str) -> InvalidSubmissionError:
    return InvalidSubmissionError(sentence, code=RefusalCode.MALFORMED_VALUE)


def _shown(code: str) -> str:
    return quote(code, _SHOWN)


def encode_runs(mask: NDArray[np.bool_]) -> str:
    """The run lengths of a flat mask, whose pixels are in the order of their numbers.

    >>> encode_runs(np.array([True, True, False, True]))
    '1 2 4 1'
    """
    edges = np.flatnonzero(np.diff(mask.astype(np.int8), prepend=0, append=0))
    return " ".join(f"{first + 1} {end - first}" for first, end in edges.reshape(-1, 2).tolist())


def fill_runs(runs: Runs, size: int) -> NDArray[np.bool_]:
    """The flat mask that runs stand for.

    >>> fill_runs(np.array([[0, 2], [3, 4]]), size=5).tolist()
    [True, True, False, True, False]
    """
    # Each run adds 1 at its first pixel and takes it back after its last.
    change = np.zeros(size + 1, dtype=np.int8)
    change[runs[:, 0]] += 1
    change[runs[:, 1]] -= 1
    return np.cumsum(change[:-1], dtype=np.int8).view(np.bool_)
