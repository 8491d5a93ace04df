"""What a section of the page is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mlebench.page.facts import PageFacts
from mlebench.page.markup import Markup


@dataclass(frozen=True)
class Section:
    """One section of the page: where it stands, its anchor, its name among the links, and what draws it.

    `draw` is given the facts of the page and the folder that links start from; nothing is shown where it returns None.
    """

    place: int
    anchor: str
    name: str
    draw: Callable[[PageFacts, Path], Markup | None]
