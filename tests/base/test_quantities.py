"""Amounts as people write them."""

from __future__ import annotations

import pytest

from mlebench.base.amounts import parse_bytes, parse_seconds
from mlebench.errors import MlebenchError


@pytest.mark.parametrize(
    ("text", "size"),
    [("400M", 400 << 20), ("16G", 16 << 30), ("1.5k", 1536), ("80 GiB", 80 << 30), ("4B", 4), ("5000000", 5_000_000)],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_bytes(text) == size


def test_a_small_number_without_a_unit_is_no_size() -> None:
    with pytest.raises(MlebenchError, match=r"'4' has no unit. Write 4G for gigabytes, or 4B for bytes."):
        parse_bytes("4")
    assert parse_bytes("4", as_docker=True) == 4
    assert parse_bytes("0", as_docker=True) == 0
    assert parse_bytes(4) == 4, "a number in a program is what it is"


@pytest.mark.parametrize(("text", "seconds"), [("5", 5), ("90s", 90), ("15m", 900), ("24h", 86400), ("0.5h", 1800)])
def test_durations(text: str, seconds: float) -> None:
    assert parse_seconds(text) == seconds


@pytest.mark.parametrize("text", ["", "G", "-5", "5x", "nan", "0", 0, -1, float("nan"), float("inf")])
def test_what_is_neither(text: float | str) -> None:
    with pytest.raises(MlebenchError, match="is not a size such as"):
        parse_bytes(text)
    with pytest.raises(MlebenchError, match="is not a duration such as"):
        parse_seconds(text)
