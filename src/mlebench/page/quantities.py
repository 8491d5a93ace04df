"""Numbers as the page shows them."""

from __future__ import annotations

import math
from datetime import UTC, datetime

_MIB = 1 << 20
_LONG = 100 * 3600  # seconds; of so many hours, minutes do not matter
NONE = "–"


def number(value: float | None) -> str:
    """A score: six digits are enough to tell any two apart.

    >>> number(0.98919), number(None), number(float("inf") - float("inf"))
    ('0.98919', '–', '–')
    """
    return NONE if value is None or math.isnan(value) else f"{value:.6g}"


def percent(value: float | None, digits: int = 1) -> str:
    """A share that is in percent already.

    >>> percent(93.5065)
    '93.5 %'
    """
    return NONE if value is None else f"{value:.{digits}f} %"


def duration(seconds: float | None) -> str:
    """A time in the two largest units.

    >>> duration(18.57), duration(90), duration(8640), duration(86400), duration(9_864_000)
    ('18.6 s', '1 min 30 s', '2 h 24 min', '24 h', '2,740 h')
    """
    if seconds is None or not math.isfinite(seconds):
        return NONE
    if seconds < 60:
        return f"{seconds:.1f} s".replace(".0 s", " s")
    whole = round(seconds)
    if whole < 3600:
        return _two(whole // 60, "min", whole % 60, "s")
    if whole >= _LONG:
        return f"{whole / 3600:,.0f} h"
    return _two(whole // 3600, "h", whole % 3600 // 60, "min")


def _two(large: int, unit: str, small: int, small_unit: str) -> str:
    return f"{large} {unit} {small} {small_unit}" if small else f"{large} {unit}"


def period(start: str, end: str | None) -> str:
    """From when to when, in UTC, the day once where it is one; what is no time is shown as it is.

    >>> period("2026-01-01T00:00:00.250+00:00", "2026-01-01T13:30:00+00:00")
    '2026-01-01 00:00:00 to 13:30:00 UTC'
    """
    try:
        first, last = (datetime.fromisoformat(time).astimezone(UTC) for time in (start, end or start))
    except (ValueError, OverflowError):
        return f"{start} to {end or NONE}"
    until = f"{last:%H:%M:%S}" if last.date() == first.date() else f"{last:%Y-%m-%d %H:%M:%S}"
    return f"{first:%Y-%m-%d %H:%M:%S} to {until if end else NONE} UTC"


def memory(size: float | None) -> str:
    """A size in MiB or GiB.

    >>> memory(216899584), memory(8 << 30)
    ('207 MiB', '8 GiB')
    """
    if size is None or not math.isfinite(size):
        return NONE
    return f"{size / 1024 / _MIB:.4g} GiB" if size >= 1024 * _MIB else f"{size / _MIB:.0f} MiB"


def with_error(mean: float, error: float | None, seeds: int) -> str:
    """A mean with its standard error, which one seed does not have."""
    return f"{mean:.2f} ± {error or 0.0:.2f}" if seeds > 1 else f"{mean:.2f}"
