"""Whether what belongs to an item is more like its own answer than like the answers of other items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from mlebench.audit.strength import of_hits

_MOST = 2000
_SHIFTS = (0.11, 0.29, 0.47, 0.61, 0.83)  # of the rows, by which answers are moved
_One = TypeVar("_One")
_Other = TypeVar("_Other")


@dataclass(frozen=True)
class Own:
    """The digits of evidence that chance does not do it, and how like their own and other answers things are."""

    digits: float
    own: float
    others: float

    @property
    def gain(self) -> float:
        """How far it goes beyond chance."""
        return self.own - self.others


def own_beyond_others(
    things: Sequence[_One], answers: Sequence[_Other], likeness: Callable[[_One, _Other], float]
) -> Own:
    """Things that know nothing are as often less like their own answer than like another one as they are more like it.

    So things that are all the same are no evidence; ties do not count.
    """
    chosen = np.arange(len(things))
    if len(chosen) > _MOST:
        chosen = np.sort(np.random.default_rng(0).choice(len(chosen), _MOST, replace=False))
    n = len(chosen)
    steps = sorted({step for share in _SHIFTS if 0 < (step := round(share * n)) < n})
    if not steps:
        return Own(0.0, 0.0, 0.0)
    own = np.array([likeness(things[place], answers[place]) for place in chosen.tolist()])
    others, digits = [], []
    for step in steps:
        pairs = zip(chosen.tolist(), np.roll(chosen, step).tolist(), strict=True)
        found = np.array([likeness(things[place], answers[other]) for place, other in pairs])
        more, less = int((own > found).sum()), int((own < found).sum())
        digits.append(of_hits(more, more + less, 0.5) if more > less else 0.0)
        others.append(float(found.mean()))
    return Own(float(np.median(digits)), float(own.mean()), float(np.mean(others)))
