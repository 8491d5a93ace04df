"""The versions that stand behind a number."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from mlebench import __version__

_LIBRARIES = ("numpy", "pandas", "scikit-learn", "scipy")


@cache
def versions() -> dict[str, str]:
    """Versions of mlebench, Python and the libraries that computed a score."""
    found = {"mlebench": __version__, "python": platform.python_version()}
    for library in _LIBRARIES:
        try:
            found[library] = version(library)
        except PackageNotFoundError:
            continue
    return found


def versions_in_words() -> str:
    """The same in one line: mlebench 1.0.0, python 3.11.7, …"""
    return ", ".join(f"{name} {number}" for name, number in versions().items())
