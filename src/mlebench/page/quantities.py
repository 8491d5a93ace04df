"""Numbers as the page shows them."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from mlebench.base.amounts import format_bytes, format_seconds

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

    >>> duration(90), duration(None)
    ('1 min 30 s', '–')
    """
    return format_seconds(seconds, none=NONE)


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


def moment(time: str) -> str:
    """A time to the minute in UTC; what is no time is shown as it is.

    >>> moment("2026-01-01T13:30:59.250+00:00")
    '2026-01-01 13:30 UTC'
    """
    try:
        return f"{datetime.fromisoformat(time).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError):
        return time


def memory(size: float | None) -> str:
    """A size in powers of 1024.

    >>> memory(216899584), memory(8 << 30)
    ('207 MiB', '8 GiB')
    """
    return format_bytes(size, none=NONE)
