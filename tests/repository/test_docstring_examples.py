"""The examples in docstrings are true."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import mlebench.metrics

MODULES = [
    "mlebench.competition.leaderboard",
    "mlebench.competition.loading",
    *(f"mlebench.metrics.{module.name}" for module in pkgutil.iter_modules(mlebench.metrics.__path__)),
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str) -> None:
    results = doctest.testmod(importlib.import_module(name))
    assert results.attempted > 0, "a module of public functions shows how they are used"
    assert results.failed == 0
