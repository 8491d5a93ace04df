"""What the functions of the API take: competitions as ids, splits, files or objects; groups as paths or objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias, runtime_checkable

from mlebench.competition.local import LocalCompetition, default_data_dir
from mlebench.competition.registry import SPLITS, Registry
from mlebench.competition.vocabulary import EDITIONS
from mlebench.errors import MlebenchError
from mlebench.files.run_folders import get_runs_dir

PathLike: TypeAlias = str | os.PathLike[str]
Competitions: TypeAlias = str | os.PathLike[str] | LocalCompetition | Iterable[str | LocalCompetition]


@runtime_checkable
class HasFolder(Protocol):
    """A run group or a run that was opened."""

    @property
    def folder(self) -> Path:
        """Where it is on disk."""


Source: TypeAlias = str | os.PathLike[str] | HasFolder


def made_registry(
    data_dir: PathLike | None,
    competitions_dir: PathLike | Sequence[PathLike],
    edition: str | None = None,
    competitions: Competitions | None = None,
) -> Registry:
    """The registry that finds competitions; what is not named is taken from competitions that are given as objects."""
    objects = _objects(competitions)
    places = {(competition.data_dir, competition.edition) for competition in objects}
    if len(places) > 1:
        raise MlebenchError("The competitions have different data folders or editions.", hint="Give them one by one.")
    found = next(iter(places), None)
    chosen = edition or (found[1] if found else EDITIONS[0])
    if chosen not in EDITIONS:
        raise MlebenchError(f"There is no edition {chosen!r}.", hint=f"There are {' and '.join(EDITIONS)}.")
    folder = Path(data_dir) if data_dir is not None else found[0] if found else default_data_dir()
    registry = Registry(folder.absolute(), edition=chosen)
    for own in paths(competitions_dir):
        registry = registry.with_competitions_dir(own)
    return registry


def chosen_competitions(competitions: Competitions, registry: Registry) -> list[LocalCompetition]:
    """The competitions that ids, splits, files of ids or objects name, each once."""
    given = [competitions] if isinstance(competitions, str | os.PathLike | LocalCompetition) else list(competitions)
    ids: list[str] = []
    for entry in given:
        if isinstance(entry, LocalCompetition):
            ids.append(entry.id)
        elif isinstance(entry, os.PathLike) or entry in SPLITS or _is_list(entry):
            ids += registry.split(os.fspath(entry))
        else:
            ids.append(entry)
    if not ids:
        raise MlebenchError("No competition was given.", hint="Give ids, a split such as 'practice', or competitions.")
    return [registry.get_competition(competition_id) for competition_id in dict.fromkeys(ids)]


def group_folder(group: Source, runs_dir: PathLike | None = None) -> Path:
    """The folder of a run group or run: that of an object, a path, a name in the runs folder, or the latest group."""
    if isinstance(group, HasFolder):
        return group.folder
    from mlebench.results.finding import find_group

    return find_group(os.fspath(group), get_runs_dir() if runs_dir is None else Path(runs_dir))


def paths(given: PathLike | Sequence[PathLike]) -> list[Path]:
    """One path or several, as a list."""
    return [Path(given)] if isinstance(given, str | os.PathLike) else [Path(path) for path in given]


def _objects(competitions: Competitions | None) -> list[LocalCompetition]:
    if competitions is None or isinstance(competitions, str | os.PathLike):
        return []
    if isinstance(competitions, LocalCompetition):
        return [competitions]
    return [entry for entry in competitions if isinstance(entry, LocalCompetition)]


def _is_list(text: str) -> bool:
    """Whether a text is the path of a file of ids rather than an id."""
    return (os.sep in text or text.endswith(".txt")) and Path(text).is_file()
