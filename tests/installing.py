"""Programs of other projects, each installed with pip or uv into an environment of its own.

They come from a registry of packages. Where that cannot be reached, the test is skipped and says so.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1]
# What the installers say when the reason is the registry, and not a package of ours that cannot be built.
_NOT_TO_BE_HAD = ("connect", "failed to fetch", "timed out", "not found in the package registry", "no matching")


@cache
def registry_answers() -> bool:
    """Whether the registry of Python packages can be reached."""
    address = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/") + "/pip/"
    try:
        with urllib.request.urlopen(address, timeout=10) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError, ValueError):
        return False


def installed(folder: Path, *requirements: str, no_deps: bool = False) -> Path:
    """The Python of a new environment with these packages; the test is skipped where they cannot be had."""
    if not registry_answers():
        pytest.skip("the registry of Python packages cannot be reached")
    environment = folder / "environment"
    python = environment / "bin" / "python"
    options = ["--no-deps"] if no_deps else []
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    if uv:
        commands = [
            [uv, "venv", "--quiet", "--python", sys.executable, str(environment)],
            [uv, "pip", "install", "--quiet", "--python", str(python), *options, *requirements],
        ]
    else:
        commands = [
            [sys.executable, "-m", "venv", str(environment)],
            [str(python), "-m", "pip", "install", "--quiet", *options, *requirements],
        ]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=1200)
        if done.returncode != 0:
            assert any(words in done.stderr.lower() for words in _NOT_TO_BE_HAD), done.stderr
            pytest.skip(f"{' '.join(requirements)} cannot be had: {done.stderr.strip().splitlines()[-1]}")
    return python
