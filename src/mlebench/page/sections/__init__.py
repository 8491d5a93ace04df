"""The sections of the page: every module of this package has one, `SECTION`, and other packages may bring more.

Another package names a module with a `SECTION`, or a `Section` itself, as an entry point of the group
`mlebench.page_sections`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache

from mlebench.base.registered import entry_point_objects
from mlebench.errors import MlebenchError
from mlebench.page.sections.section import Section

ENTRY_POINT_GROUP = "mlebench.page_sections"
__all__ = ["ENTRY_POINT_GROUP", "Section", "all_sections"]


@cache
def all_sections() -> tuple[Section, ...]:
    """All sections in the order of the page."""
    modules = [importlib.import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    own = [module.SECTION for module in modules if hasattr(module, "SECTION")]
    return tuple(sorted([*own, *_registered_sections()], key=lambda section: section.place))


def _registered_sections() -> Iterator[Section]:
    """The sections that installed packages have registered."""
    for point in entry_point_objects(ENTRY_POINT_GROUP):
        section = getattr(point.thing, "SECTION", point.thing)
        if not isinstance(section, Section):
            raise MlebenchError(f"{point.value}, which is registered in {ENTRY_POINT_GROUP}, is not a section.")
        yield section
