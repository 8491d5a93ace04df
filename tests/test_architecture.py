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
# Each layer may import from those above it and from its own; a name stands for a module or a package below mlebench.
LAYERS = [
    {"authored", "errors", "vocabulary", "lazy", "logs", "processes", "progress", "versions", "templates", "wording"},
    {"leaderboard", "description", "known_issues", "metrics"},
    {"facts", "files"},
    {"competition"},
    {"kit"},
    {"competitions", "loading", "grader", "preparer", "named_functions", "published_folder"},
    {"local"},
    {"registry", "published_modules", "layout"},
    {"catalogue", "skeleton", "data"},
    {"twins", "grade"},
    {"sandbox", "agents", "checking"},
    {"runs"},
    {"score"},
    {"analysis"},
    {"page"},
    {"cli"},
    {"__main__"},
]
# Thin modules with the names of the published package: for other projects only, nothing of ours imports them.
DROP_IN = {"utils", "grade_helpers"}
LAYER = {name: number for number, names in enumerate(LAYERS) for name in names}
MODULES = sorted(ROOT.rglob("*.py"))


def part(module: str) -> str | None:
    """The module or package directly below mlebench that a dotted name is in; None for the package itself."""
    names = module.split(".")
    return names[1] if len(names) > 1 else None


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of everything of ours that a module imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each.name) for each in node.names if each.name.split(".")[0] == "mlebench")
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "mlebench":
            for each in node.names:
                yield node.lineno, node.module if node.module != "mlebench" else f"mlebench.{each.name}"


def test_every_module_has_a_layer() -> None:
    parts = {part(f"mlebench.{path.relative_to(ROOT).parts[0].removesuffix('.py')}") for path in MODULES}
    assert parts - {"__init__"} == LAYER.keys() | DROP_IN


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_upstream(path: Path) -> None:
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    if own in DROP_IN or own == "__init__":
        return
    if own == "competitions" and path.name == "competition.py":
        modules = {name for _, name in imported(path)}
        families = tuple(f"mlebench.competitions.{folder}" for folder in ("families", path.parent.name))
        assert {each for each in modules if not each.startswith(families)} == {"mlebench.kit"}
    for line, module in imported(path):
        other = part(module)
        if other is None or other.startswith("__"):
            continue
        assert other not in DROP_IN, f"line {line} imports {module}, which is for other projects only"
        assert LAYER[other] <= LAYER[own], f"line {line} imports {module}, a later stage"


LIGHT = ["mlebench.kit", "mlebench.registry", "mlebench.competitions.spaceship_titanic.competition", "mlebench.cli"]


@pytest.mark.parametrize("module", LIGHT)
def test_what_is_imported_stays_light(module: str) -> None:
    code = f"import sys, {module}; print(*sorted(sys.modules), sep='\\n')"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"pandas", "scipy", "sklearn", "pyarrow", "mlebench.data.download", "mlebench.grade.grading"}
    assert not heavy.intersection(loaded)
