"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import mlebench.metrics

ROOT = Path(mlebench.__file__).parent
METRICS = [f"mlebench.metrics.{module.name}" for module in pkgutil.iter_modules(mlebench.metrics.__path__)]
WITH_EXAMPLES = [
    ".".join(("mlebench", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")
    for path in sorted(ROOT.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0, "every example is in a docstring"
    assert results.failed == 0


def test_every_module_of_metrics_shows_how_they_are_used() -> None:
    assert [name for name in METRICS if name not in WITH_EXAMPLES] == []
