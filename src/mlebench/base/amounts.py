"""Amounts as people write them (90s, 24h, 400M, 16G) and as they read them (1 min 30 s, 24 h, 400 MiB)."""

from __future__ import annotations

import math
import re

from mlebench.errors import MlebenchError

_SECONDS = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZES = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_LONG = 100 * 3600  # seconds; of a hundred hours, minutes do not matter
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


def format_seconds(seconds: float | None, *, none: str = "-") -> str:
    """A duration in its two largest units; `none` stands for one that is not known.

    >>> format_seconds(18.57), format_seconds(90), format_seconds(8640), format_seconds(86400)
    ('18.6 s', '1 min 30 s', '2 h 24 min', '24 h')
    >>> format_seconds(9_864_000), format_seconds(None)
    ('2,740 h', '-')
    """
    if seconds is None or not math.isfinite(seconds):
        return none
    if seconds < 59.95:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    rounded = round(seconds)
    if rounded < 3600:
        return _two_units(rounded // 60, "min", rounded % 60, "s")
    if rounded >= _LONG:
        return f"{rounded / 3600:,.0f} h"
    minutes = round(rounded / 60)
    return _two_units(minutes // 60, "h", minutes % 60, "min")


def _two_units(large: int, unit: str, small: int, small_unit: str) -> str:
    return f"{large} {unit} {small} {small_unit}" if small else f"{large} {unit}"


def format_clock(seconds: float) -> str:
    """A clock that runs: minutes and seconds, with hours once there are any.

    >>> format_clock(75.9), format_clock(3675)
    ('1:15', '1:01:15')
    """
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def format_bytes(size: float | None, *, none: str = "-") -> str:
    """A size in the units that limits are given in, powers of 1024; `none` stands for one that is not known.

    >>> format_bytes(512), format_bytes(8900), format_bytes(216899584), format_bytes(8 << 30)
    ('512 bytes', '8.7 KiB', '207 MiB', '8 GiB')
    """
    if size is None or not math.isfinite(size):
        return none
    for place, (unit, name) in enumerate(_SIZES):
        if size >= unit:
            amount = size / unit
            if amount >= 1023.5 and place:  # which would be written as 1,024
                return f"1 {_SIZES[place - 1][1]}"
            return f"{amount:.0f} {name}" if amount >= 99.95 else f"{amount:.1f} {name}".replace(".0 ", " ")
    return "1 byte" if size == 1 else f"{size:.0f} bytes"


def format_hours(hours: float) -> str:
    """A number of hours, where the unit is said elsewhere: two decimals, or two digits of less than an hour.

    >>> format_hours(24.0), format_hours(1.5), format_hours(150 / 3600)
    ('24', '1.5', '0.042')
    """
    return f"{hours:.2g}" if hours < 1 else f"{round(hours, 2):.15g}"


def format_mean(mean: float, error: float | None, seeds: int) -> str:
    """A mean with its standard error, which one seed does not have.

    >>> format_mean(34.2, 1.1, seeds=3), format_mean(34.2, 0.0, seeds=1)
    ('34.20 ± 1.10', '34.20')
    """
    return f"{mean:.2f} ± {error or 0.0:.2f}" if seeds > 1 else f"{mean:.2f}"
