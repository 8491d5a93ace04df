"""Loading competitions: from the folders of the package, and from folders of the user's."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from traceback import extract_tb
from types import ModuleType
from typing import Any

from mlebench import facts
from mlebench.base import registered
from mlebench.base.author_code import SHOW_MORE, error_text
from mlebench.competition.declaration import Competition
from mlebench.errors import MlebenchError

BUILT_IN = Path(__file__).parents[1] / "competitions"
ENTRY_POINT_GROUP = "mlebench.competitions"


def module_name(competition_id: str) -> str:
    """The name of the folder and of the twin module that belong to an id: a Python identifier.

    >>> module_name("3d-object-detection-for-autonomous-vehicles")
    '_3d_object_detection_for_autonomous_vehicles'
    """
    name = re.sub(r"\W", "_", competition_id)
    return f"_{name}" if name[0].isdigit() else name


class _SourceAsItIs(SourceFileLoader):
    """Compiles a file as it is now: compiled code that was kept is taken for current within a second of an edit."""

    def path_stats(self, path: str) -> Any:
        """Say that nothing is known of the file, so that no compiled code is read or written."""
        raise OSError(path)


@contextmanager
def _no_compiled_code() -> Iterator[None]:
    """Modules that are imported meanwhile leave nothing in the folders of their authors."""
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before


def load_module(name: str, path: Path) -> ModuleType:
    """Import the Python file at a path under a given module name; `from .other import …` finds the files beside it."""
    spec = importlib.util.spec_from_file_location(
        name, path, loader=_SourceAsItIs(name, str(path)), submodule_search_locations=[str(path.parent)]
    )
    if spec is None or spec.loader is None:
        raise MlebenchError(f"{path} cannot be imported as a Python module.")
    module = importlib.util.module_from_spec(spec)
    for known in [known for known in sys.modules if known.startswith(f"{name}.")]:
        del sys.modules[known]  # of another folder of this name, or before an edit
    importlib.invalidate_caches()
    sys.modules[name] = module
    try:
        with _no_compiled_code():
            spec.loader.exec_module(module)
    except MlebenchError:
        raise
    except (Exception, SystemExit) as error:  # code that ends the program would end ours, as if all were well
        sys.modules.pop(name, None)
        raise MlebenchError(
            f"{path} fails on import{_line(error, path)}: {error_text(error)}.", hint=SHOW_MORE
        ) from error
    return module


def _line(error: BaseException, path: Path) -> str:
    """The line of a file at which importing it fails."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        return f" in line {error.lineno}"
    lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == str(path)]
    return f" in line {lines[-1]}" if lines else ""


@cache
def load_folder(folder: Path) -> Competition:
    """The competition declared by <folder>/competition.py, or else by <folder>/config.yaml in the published form."""
    if not (folder / "competition.py").is_file():
        from mlebench.compat.folder import load_published_folder

        return load_published_folder(folder)
    if folder.parent == BUILT_IN:
        module = importlib.import_module(f"mlebench.competitions.{folder.name}.competition")
    else:
        module = load_module(f"mlebench_user_competition_{module_name(folder.name)}", folder / "competition.py")
    competition = getattr(module, "competition", None)
    if not isinstance(competition, Competition):
        raise MlebenchError(
            f"{folder / 'competition.py'} does not define `competition`.",
            hint="It needs a line such as: competition = Competition(id=…, name=…, category=…, metric=…).",
        )
    return competition


def load_built_in(competition_id: str) -> Competition | None:
    """The built-in competition with this id, or None; no other one is loaded."""
    folder = BUILT_IN / module_name(competition_id) if competition_id else None
    if folder is None or not (folder / "competition.py").is_file():
        return None
    competition = load_folder(folder)
    return competition if competition.id == competition_id else None


def built_in_folders() -> list[Path]:
    """The folders of the package that declare a competition.

    Beside them are folders whose names are published ids, with the files that the published package has; they declare
    nothing.
    """
    return list(_built_in_folders())


@cache
def _built_in_folders() -> tuple[Path, ...]:
    return tuple(sorted(path.parent for path in BUILT_IN.glob("*/competition.py")))


def competition_folders(parent: Path) -> list[Path]:
    """The folders below this one that hold a competition, in our form or in that of the published benchmark."""
    if not parent.is_dir():
        raise MlebenchError(f"The competitions folder {parent} does not exist.")
    ours = {path.parent for path in parent.glob("*/competition.py")}
    theirs = {path.parent for path in parent.glob("*/config.yaml")} - ours
    return sorted(ours | {folder for folder in theirs if is_published_folder(folder)})


def added_folders(parent: Path) -> list[Path]:
    """The folders of competitions in the published form beside those that ship with mlebench."""
    ours = set(facts.published_ids())
    theirs = [path.parent for path in parent.glob("*/config.yaml") if path.parent.name not in ours]
    return sorted(folder for folder in theirs if is_published_folder(folder))


def is_published_folder(folder: Path) -> bool:
    """Whether a folder holds a competition in the form of the published benchmark."""
    from mlebench.compat.folder import is_competition

    return is_competition(folder)


def entry_point_folders() -> list[Path]:
    """Folders named by installed packages: an entry point is a module or package beside its competitions."""
    return list(_entry_point_folders(tuple(sys.path)))


@cache
def _entry_point_folders(_: tuple[str, ...]) -> tuple[Path, ...]:
    """The folders for one search path: all that is installed is read for them, which every run would do again."""
    return tuple(registered.entry_point_folders(ENTRY_POINT_GROUP))
