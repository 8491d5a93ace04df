"""Module names of the published benchmark: `mlebench.competitions.<id>.grade`, `.prepare` and, for some, `.classes`.

Configuration files name functions in these modules, and some projects import them. Here the two functions of a
competition are in one module, in a folder whose name is an identifier; so these names are answered by a finder, which
Python asks only for modules that it finds nowhere else. `grade.grade(submission, answers)` works with two tables and
`prepare.prepare(raw, public, private)` with the paths of three folders, as published; `classes.CLASSES` is a list.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from mlebench.competition.declaration import Competition
from mlebench.errors import UnknownCompetitionError

_PREFIX = "mlebench.competitions."
# Which list of ours the published module `classes` of a competition has as CLASSES.
_CLASSES = {
    "dog-breed-identification": "dog_breed_identification.breeds:BREEDS",
    "leaf-classification": "leaf_classification.species:SPECIES",
}


class _PublishedModules:
    """Finds and fills the modules; not a subclass of importlib.abc, which would be slow to import."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not fullname.startswith(_PREFIX):
            return None
        competition_id, _, module = fullname.removeprefix(_PREFIX).partition(".")
        if module == "classes":
            found = competition_id in _CLASSES
        else:
            found = module in ("", "grade", "prepare") and _competition(competition_id) is not None
        if not found:
            return None
        return ModuleSpec(fullname, self, is_package=not module)  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> None:
        """An ordinary module will do."""

    def exec_module(self, module: ModuleType) -> None:
        from mlebench.competition.local import FolderPreparation

        competition_id, _, name = module.__name__.removeprefix(_PREFIX).partition(".")
        if name == "classes":
            ours, _, classes = _CLASSES[competition_id].partition(":")
            module.__dict__["CLASSES"] = list(getattr(importlib.import_module(_PREFIX + ours), classes))
            return
        competition = _competition(competition_id)
        assert competition is not None, "find_spec has found it"
        if name == "grade":
            module.__dict__["grade"] = competition.grade_fn()
        elif name == "prepare":
            module.__dict__["prepare"] = FolderPreparation(competition_id, competition.prepare_fn())


def _competition(competition_id: str) -> Competition | None:
    """A competition that needs no option to be found: built in, installed, or in $MLEBENCH_COMPETITIONS_DIR."""
    from mlebench.competition.registry import registry

    try:
        return registry.get_competition(competition_id).declaration
    except UnknownCompetitionError:
        return None


def install() -> None:
    """Let Python answer the names; a second time changes nothing."""
    if not any(isinstance(finder, _PublishedModules) for finder in sys.meta_path):
        sys.meta_path.append(_PublishedModules())
