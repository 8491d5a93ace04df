"""Imports point from later stages to earlier ones, never back: at the top, inside functions, and for types alike."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import mlebench

ROOT = Path(mlebench.__file__).parent
# Each layer may import from those above it and from its own. A name stands for a package or a module below mlebench; a
# package whose modules belong to several layers is named module by module.
LAYERS = [
    {"base", "errors", "templates", "competition.vocabulary", "competition.checks", "results.names", "results.kinds"},
    {"competition.leaderboard", "competition.description", "competition.known_issues", "metrics"},
    {"facts", "files"},
    {"competition.declaration", "competition.editions"},
    {"kit"},
    {"competitions", "competition.named_functions", "compat.folder"},
    {"competition.loading", "competition.grader", "competition.preparer"},
    {"competition.local"},
    {"competition.registry", "compat.modules", "compat.layout"},
    {"competition.catalogue", "competition.skeleton", "data", "renaming", "compat.data"},
    {"twins", "grade", "compat"},
    {"sandbox", "agents", "audit", "checking", "services"},
    {"results", "score.config"},
    {"analysis", "integrity"},
    {"runs"},
    {"compat.environment", "compat.utils"},
    {"score"},
    {"page"},
    {"view"},
    {"experiments"},
    {"api"},
    {"cli"},
    {"__main__"},
]
# Thin modules at the paths of the published package: for other projects only, nothing of ours imports them.
DROP_IN = {"utils", "grade_helpers", "registry"}
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}
MODULES = sorted(ROOT.rglob("*.py"))


def part(module: str) -> str | None:
    """The name among the layers that a dotted name belongs to; None for the package itself."""
    names = module.split(".")[1:]
    return next((name for end in (2, 1) if (name := ".".join(names[:end])) in LAYER), names[0] if names else None)


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of everything of ours that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names if each.name.split(".")[0] == "mlebench")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "mlebench":
            for each in node.names:  # a name may be a module itself
                is_package = (ROOT / Path(*node.module.split(".")[1:])).is_dir()
                yield node.lineno, f"{node.module}.{each.name}" if is_package else node.module


def dotted(path: Path) -> str:
    """The dotted name of a module of ours."""
    names = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(("mlebench", *(names[:-1] if names[-1] == "__init__" else names)))


def test_every_module_has_a_layer() -> None:
    parts = {part(dotted(path)) for path in MODULES} - {None, "competition"}
    assert parts == LAYER.keys() | DROP_IN


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_upstream(path: Path) -> None:
    own = part(dotted(path))
    if own is None or own in DROP_IN or own == "competition":
        return
    if path.is_relative_to(ROOT / "competitions") and path.name == "competition.py":
        allowed = ("mlebench.kit", "mlebench.competitions.families", f"mlebench.competitions.{path.parent.name}")
        assert all(name.startswith(allowed) for _, name in imported(path))
    if own == "competitions" and path.stem.endswith("twin"):  # a program of its own beside the competition
        own = "twins"
    for line, module in imported(path):
        other = part(module)
        if other is None or other.startswith("__"):
            continue
        assert other not in DROP_IN, f"line {line} imports {module}, which is for other projects only"
        assert LAYER[other] <= LAYER[own], f"line {line} imports {module}, a later stage"


LIGHT = [
    "mlebench.kit",
    "mlebench.registry",
    "mlebench.competitions.spaceship_titanic.competition",
    "mlebench.cli",
    "mlebench.api",
]


@pytest.mark.parametrize("module", LIGHT)
def test_what_is_imported_stays_light(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(sys.modules), sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"pandas", "scipy", "sklearn", "pyarrow", "mlebench.data.download", "mlebench.grade.grading"}
    assert not heavy.intersection(loaded)
