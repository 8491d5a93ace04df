"""Functions that are named as text, "module:function", as configuration files of the published benchmark name them."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from mlebench.errors import MlebenchError


def import_fn(fn_import_string: str) -> Callable[..., Any]:
    """The function that a text such as `package.module:function` names."""
    module, _, name = fn_import_string.partition(":")
    if not module or not name:
        raise ValueError(f"{fn_import_string!r} does not name a function; the form is package.module:function")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


@dataclass(frozen=True)
class FolderFunction:
    """A function that a configuration file in a folder names; it is imported when it is first called.

    The modules of a competition may need libraries that are not installed, and there may be hundreds of competitions:
    to list them, none is imported.
    """

    folder: Path
    name: str

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Call it."""
        return _function(self.folder, self.name)(*arguments, **options)


@cache
def _function(folder: Path, name: str) -> Callable[..., Any]:
    module, _, function = name.partition(":")
    try:
        return import_fn(f"{_importable(folder, module)}:{function}")
    except (ImportError, AttributeError, SyntaxError, ValueError) as error:
        raise MlebenchError(
            f"{folder / 'config.yaml'} names the function {name}, which cannot be imported: {error}.",
            hint="It is written as module:function, with a module of the same folder or of an installed package.",
        ) from error


def _importable(folder: Path, module: str) -> str:
    """The name under which a module can be imported.

    It is the given one where that leads into the folder, or where the folder has no such file. Otherwise a file of the
    folder is meant, whatever package the folder was in when its configuration was written.
    """
    file = folder / f"{module.rpartition('.')[2]}.py"
    if not file.is_file() or _leads_to(module, file):
        return module
    return f"{_package(folder)}.{file.stem}"


def _leads_to(module: str, file: Path) -> bool:
    import importlib.util

    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == file.resolve()


def _package(folder: Path) -> str:
    """A package of the modules in a folder, so that they can import each other with `from .module import name`."""
    import hashlib

    digest = hashlib.md5(str(folder).encode()).hexdigest()[:8]
    name = "_".join(["mlebench_competition", re.sub(r"\W", "_", folder.name), digest])
    if name not in sys.modules:
        package = ModuleType(name, f"The modules of {folder}.")
        package.__path__ = [str(folder)]
        sys.modules[name] = package
    return name
