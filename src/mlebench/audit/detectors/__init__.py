"""The detectors of the audit, one module each with a function `detect`: a module that is put here is used."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module

from mlebench.audit.finding import Found
from mlebench.audit.survey import Survey

Detector = Callable[[Survey], Iterator[Found]]


def detectors() -> dict[str, Detector]:
    """All detectors by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name: import_module(f"{__name__}.{name}").detect for name in names}
