"""How long a group may still take: by the runs that have ended, or else by what the limits allow."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mlebench.base.amounts import format_seconds
from mlebench.base.wording import part_of

if TYPE_CHECKING:
    from mlebench.results.events import RunState
    from mlebench.results.records import GroupRecord

UNFINISHED = ("planned", "running")


def standing_in_words(states: Sequence[RunState]) -> str:
    """How many runs of a group have ended, run, and wait: to begin, or for something that they need."""
    ended = sum(state.status not in UNFINISHED for state in states)
    running = sum(state.status == "running" and not state.waiting_for for state in states)
    waiting = len(states) - ended - running
    return f"{part_of(ended, len(states), 'run')} ended, {running} running, {waiting} waiting"


def time_left(states: Sequence[RunState], workers: int, limit_of: Callable[[str], float | None]) -> str:
    """How long the runs that have not ended may take, by those that have; else what their limits allow."""
    unfinished = [state for state in states if state.status in UNFINISHED]
    if not unfinished:
        return ""
    took = [state.seconds for state in states if state.status not in UNFINISHED and state.seconds is not None]
    limits = [limit_of(state.planned.competition_id) or math.inf for state in unfinished]
    if took:
        rest = [
            min(_rest(state.seconds or 0.0, took), max(0.0, limit - (state.seconds or 0.0)))
            for limit, state in zip(limits, unfinished, strict=True)
        ]
        left = max(sum(rest) / workers, max(rest))
        return f"about {format_seconds(_rounded(left))} left" if left >= 1 else "nearly done"
    rest = [limit - (state.seconds or 0.0) for limit, state in zip(limits, unfinished, strict=True)]
    running = [seconds for seconds, state in zip(rest, unfinished, strict=True) if state.status == "running"]
    rounds = math.ceil((len(rest) - len(running)) / workers)
    left = max(running, default=0.0) + (rounds * max(limits) if rounds else 0.0)
    if math.isinf(left):
        return ""
    return f"at most {format_seconds(_rounded(left))} left"


def _rest(elapsed: float, took: Sequence[float]) -> float:
    """What a run may still take, by those that took longer; one that has outlasted all of them takes as long again.

    >>> _rest(0.0, [10.0, 30.0]), _rest(15.0, [10.0, 30.0]), _rest(40.0, [10.0, 30.0])
    (20.0, 15.0, 40.0)
    """
    longer = [seconds for seconds in took if seconds > elapsed]
    return sum(longer) / len(longer) - elapsed if longer else elapsed


def _rounded(seconds: float) -> float:
    """An estimate in whole seconds, minutes or hours, so that it does not look more precise than it is."""
    unit = 1 if seconds < 90 else 60 if seconds < 5 * 3600 else 3600
    return float(math.ceil(seconds / unit) * unit)


def recorded_limit(record: GroupRecord, competition_id: str, name: str = "seconds") -> float | None:
    """A limit of the runs on a competition, as the settings of a group have it; None where there is none."""
    own = record.settings.get("competition_limits")
    for limits in (own.get(competition_id) if isinstance(own, dict) else None, record.settings.get("limits")):
        value = limits.get(name) if isinstance(limits, dict) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < math.inf:
            return float(value)
    return None
