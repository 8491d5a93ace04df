"""Run lengths of masks: what is decoded, what is refused, and what it says then."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mlebench.errors import InvalidSubmissionError
from mlebench.kit import decode_runs, encode_runs, fill_runs

masks = st.lists(st.booleans(), max_size=60).map(lambda pixels: np.array(pixels, dtype=bool))


def pixels(code: str, size: int = 12) -> list[int]:
    """The pixels, from 1, that a code sets."""
    mask = fill_runs(decode_runs(code, size), size)
    assert mask.shape == (size,)
    assert mask.dtype == bool
    return (np.flatnonzero(mask) + 1).tolist()


@pytest.mark.parametrize("code", ["", " ", "\t \n"])
def test_blank_codes_are_empty_masks(code: str) -> None:
    assert pixels(code) == []


def test_decoding() -> None:
    assert pixels("1 3 10 2") == [1, 2, 3, 10, 11]
    assert pixels(" 1  3\t10 2 ") == [1, 2, 3, 10, 11]
    assert pixels("1 2 3 2") == [1, 2, 3, 4], "runs may touch"
    assert pixels("+1 1_0") == list(range(1, 11)), "whatever Python takes for a whole number"
    assert pixels("12 1") == [12]


@pytest.mark.parametrize("far", [20, 2**31, 2**62, 2**63 - 1])
def test_what_is_past_the_end_is_cut_off(far: int) -> None:
    assert pixels(f"11 {far}") == [11, 12]
    assert pixels(f"1 1 {far} {far}") == [1]
    assert pixels(f"1 1 {far} 3 {far} 3") == [1], "behind the last pixel even twice"


def test_odd_counts_as_published() -> None:
    assert pixels("7") == []
    assert pixels("1 3 10") == [1, 2, 3, 10, 11, 12]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("1 x", "whole numbers separated by blanks"),
        ("1.0 2", "whole numbers"),
        ("1,2", "whole numbers"),
        ("nan", "whole numbers"),
        (f"1 {10**30}", "more than 18 digits"),
        ("x " * 100, "…"),
        ("1 2 5 2 9", "in pairs"),
        ("0 2", "before pixel 1"),
        ("-3", "before pixel 1"),
        ("1 0", "no length"),
        ("1 -2", "no length"),
        ("5 1 1 1", "ascending order"),
        ("1 3 3 1", "overlap"),
        ("2 1 2 1", "overlap"),
        (f"2 {2**63 - 1} 9 1", "overlap"),
        ("1 9 2", "overlap"),
    ],
)
def test_refused(code: str, words: str) -> None:
    with pytest.raises(InvalidSubmissionError, match=words):
        decode_runs(code, 12)


@given(masks)
def test_encoding_and_decoding_are_inverse(mask: NDArray[np.bool_]) -> None:
    assert fill_runs(decode_runs(encode_runs(mask), len(mask)), len(mask)).tolist() == mask.tolist()


@given(st.lists(st.integers(-1, 30), max_size=8), st.integers(1, 25))
def test_decodes_as_the_published_graders_do(values: list[int], size: int) -> None:
    code = " ".join(map(str, values))
    expected = published(values, size)
    if expected is None:
        with pytest.raises(InvalidSubmissionError):
            decode_runs(code, size)
    else:
        assert pixels(code, size) == expected


def published(values: list[int], size: int) -> list[int] | None:
    """The pixels that the published loop sets, run by run; None where it raises."""
    starts, lengths = np.array(values[::2], dtype=int), np.array(values[1::2], dtype=int)
    if len(starts) - len(lengths) == 1 and len(starts) > 2:
        return None
    if sorted(starts) != starts.tolist() or (starts <= 0).any() or (lengths <= 0).any():
        return None
    mask = np.zeros(size, bool)
    ends = starts - 1 + lengths  # arrays of one and of no or two elements are broadcast
    for first, end in zip(starts - 1, ends, strict=False):
        if mask[first:end].any():
            return None
        mask[first:end] = True
    return (np.flatnonzero(mask) + 1).tolist()
