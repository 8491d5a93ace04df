"""Amounts as people write them: 90s, 24h, 400M, 16G."""

from __future__ import annotations

import re

from mlebench.errors import MlebenchError

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_FEWEST_BYTES = 1 << 20  # of a size without a unit: whoever writes 4 or 16 means gigabytes


def parse_seconds(value: float | str) -> float:
    """A duration such as 90s, 15m or 24h; a plain number is seconds."""
    if isinstance(value, int | float):
        amount = float(value)
    else:
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*", value.lower())
        amount = float(match[1]) * _SECONDS[match[2]] if match else 0.0
    if not 0.0 < amount < float("inf"):
        raise MlebenchError(f"{value!r} is not a duration such as 90s, 15m or 24h.")
    return amount


def parse_bytes(value: float | str, *, as_docker: bool = False) -> int:
    """A size such as 400M or 16G, in powers of 1024; a plain number is bytes.

    A text that is a small plain number is refused, since 4 hardly ever means 4 bytes; `4B` does. With `as_docker` it is
    taken as Docker takes it, and so is 0.
    """
    unit = "b"
    if isinstance(value, int | float):
        amount = float(value)
    else:
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?(?:i?b)?)\s*", value.lower())
        unit = match[2] if match else "b"
        amount = float(match[1]) * _BYTES[unit.rstrip("ib")] if match else -1.0
    if not 0.0 <= amount < float("inf") or (amount == 0.0 and not as_docker):
        raise MlebenchError(f"{value!r} is not a size such as 400M or 16G.")
    if not as_docker and not unit and amount < _FEWEST_BYTES:
        number = str(value).strip()
        raise MlebenchError(f"{value!r} has no unit.", hint=f"Write {number}G for gigabytes, or {number}B for bytes.")
    return int(amount)
