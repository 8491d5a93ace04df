"""The sections of the page: every module of this package has one, `SECTION`, and other packages may bring more.

Another package names a module with a `SECTION`, or a `Section` itself, as an entry point of the group
`mlebench.page_sections`.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from importlib.metadata import entry_points

from mlebench.page.sections.section import Section

ENTRY_POINT_GROUP = "mlebench.page_sections"
__all__ = ["ENTRY_POINT_GROUP", "Section", "all_sections"]


@cache
def all_sections() -> tuple[Section, ...]:
    """All sections in the order of the page."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    brought = [point.load() for point in entry_points(group=ENTRY_POINT_GROUP)]
    found = [getattr(source, "SECTION", source) for source in (*modules, *brought)]
    return tuple(sorted((item for item in found if isinstance(item, Section)), key=lambda section: section.place))
