"""Sizes and times as people write them: 400M, 16G, 90s, 24h."""

from __future__ import annotations

import re

from mlebench.sandbox.interface import SandboxError

_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def parse_bytes(text: str) -> int:
    """A size such as 400M or 16G (powers of 1024); a plain number is bytes."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    if match is None:
        raise SandboxError(f"{text} is not a size.", hint="Write it as 400M or 16G.")
    return int(float(match[1]) * _BYTES[match[2]])


def parse_seconds(text: str) -> float:
    """A time such as 90s, 15m or 24h; a plain number is seconds."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([smhd]?)\s*", text.lower())
    if match is None:
        raise SandboxError(f"{text} is not a time.", hint="Write it as 90s, 15m or 24h.")
    return float(match[1]) * _SECONDS[match[2]]
