"""Names of a package that load their module when they are first asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any


def lazy_attribute(package: str, name: str, modules: Mapping[str, Sequence[str]]) -> Any:
    """What a package's `__getattr__` returns: `modules` says which module has which names."""
    for module, names in modules.items():
        if name in names:
            return getattr(importlib.import_module(module), name)
    raise AttributeError(f"module {package!r} has no attribute {name!r}")
