"""The register of what an examiner plants: leaks, defects, and honest things that look like leaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from examiner_case import Case


@dataclass(frozen=True)
class Planting:
    """Something to plant: `plant` changes a case and returns what it gives away, target columns by id.

    `weight` is how often it is drawn. `defect` is the kind of finding that is expected where nothing is given away but
    the task is broken; such a planting returns no rows.
    """

    plant: Callable[[Case], pd.DataFrame]
    weight: int
    devious: bool = False
    defect: str | None = None


LEAKS: dict[str, Planting] = {}
HONEST: dict[str, Callable[[Case], None]] = {}


def leak(
    weight: int = 2, *, devious: bool = False, defect: str | None = None
) -> Callable[[Callable[[Case], pd.DataFrame]], Callable[[Case], pd.DataFrame]]:
    """Register a leak under the name of its function."""

    def register(plant: Callable[[Case], pd.DataFrame]) -> Callable[[Case], pd.DataFrame]:
        LEAKS[plant.__name__] = Planting(plant, 1 if devious else weight, devious, defect)
        return plant

    return register


def honest(change: Callable[[Case], None]) -> Callable[[Case], None]:
    """Register an honest change under the name of its function."""
    HONEST[change.__name__] = change
    return change
