"""Finding competitions: the built-in ones, and a user's own.

`registry` is the entry point that other projects import; `registry.get_competition(id)` returns a competition
together with the place of its data. `Competition`, `Registry`, `registry` and what a registry can do under the names
`get_…`, `set_…` and `list_…` are names of the published benchmark. As there, a folder with a config.yaml that is put
into `registry.get_competitions_dir()` is a competition, and a subclass may name other folders.
"""

from __future__ import annotations

import copy
import os
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from mlebench import facts
from mlebench.compat import modules as published_modules
from mlebench.competition.declaration import Competition as Declaration
from mlebench.competition.loading import (
    BUILT_IN,
    added_folders,
    built_in_folders,
    competition_folders,
    entry_point_folders,
    is_published_folder,
    load_built_in,
    load_folder,
)
from mlebench.competition.local import LocalCompetition, default_data_dir
from mlebench.competition.vocabulary import DEFAULT_EDITION, Edition
from mlebench.errors import MlebenchError, UnknownCompetitionError

COMPETITIONS_DIR_VARIABLE = "MLEBENCH_COMPETITIONS_DIR"
SPLITS = ("low", "lite", "medium", "high", "all", "split75", "dev", "practice", "systemcard")
_PUBLISHED_SPLITS = ("systemcard",)  # not groups, but lists that ship with mlebench
_SPLIT_GROUPS = {"lite": ("low",), "all": ("low", "medium", "high"), "split75": ("low", "medium", "high")}

Competition = LocalCompetition
published_modules.install()


@dataclass(frozen=True)
class Registry:
    """All competitions that can be found, with one data folder and one edition for them.

    `competitions_dirs` are a user's own folders of competitions, each with a folder per competition. A
    competition of the user's that has the id of a built-in one takes its place.
    """

    data_dir: Path = field(default_factory=default_data_dir)
    competitions_dirs: tuple[Path, ...] = ()
    edition: Edition = DEFAULT_EDITION

    def set_data_dir(self, new_data_dir: str | os.PathLike[str]) -> Registry:
        """The same registry with another data folder.

        Its path is made absolute: it stays right when a client changes its working folder or hands it to a container.
        """
        changed = copy.copy(self)  # a subclass may take other arguments than this class
        object.__setattr__(changed, "data_dir", Path(new_data_dir).resolve())
        return changed

    def get_data_dir(self) -> Path:
        """The data folder."""
        return self.data_dir

    def with_competitions_dir(self, folder: str | os.PathLike[str]) -> Registry:
        """The same registry with one more folder of the user's own competitions."""
        path = Path(folder)
        if not path.is_dir():
            raise MlebenchError(f"The competitions folder {path} does not exist.")
        return replace(self, competitions_dirs=(*self.competitions_dirs, path))

    def get_competition(self, competition_id: str) -> LocalCompetition:
        """The competition with this id; an unknown id is answered with the nearest known ones."""
        competition = self._user_competitions.get(competition_id)
        if competition is None and competition_id in self._broken:
            raise self._broken[competition_id]
        if self._names_competitions_dir:
            competition = self._placed_competitions().get(competition_id) or competition
        competition = competition or load_built_in(competition_id) or self._placed_competition(competition_id)
        if competition is None:
            raise self._unknown(competition_id)
        return self._local(competition)

    def all_competitions(self) -> list[LocalCompetition]:
        """Every competition, the practice ones and the user's own included, sorted by id."""
        found = {c.id: c for c in map(load_folder, built_in_folders())}
        found.update(self._user_competitions)
        found.update(self._placed_competitions())
        return [self._local(found[key]) for key in sorted(found, key=str.lower)]

    def list_competition_ids(self) -> list[str]:
        """The ids of the benchmark's competitions and of the user's own (the practice ones are left out).

        In the order of the published benchmark, which puts capital letters first. Of a subclass that names a folder of
        competitions, those in it.
        """
        if self._names_competitions_dir:
            return sorted(self._placed_competitions())
        return sorted(c.id for c in self.all_competitions() if c.declaration.group != "practice")

    def get_lite_competition_ids(self) -> list[str]:
        """The ids of the split `lite`, which is the group `low`; of a subclass with splits of its own, its low.txt."""
        if type(self).get_splits_dir is not _GET_SPLITS_DIR:
            return (self.get_splits_dir() / "low.txt").read_text(encoding="utf-8").split()
        return self.split("lite")

    def split(self, name: str) -> list[str]:
        """The ids of a split: a named one, or a text file with one id per line (# begins a comment)."""
        if name in _PUBLISHED_SPLITS:
            return facts.split(name)
        if name in SPLITS:
            groups = _SPLIT_GROUPS.get(name, (name,))
            return [c.id for c in self.all_competitions() if c.group in groups]
        path = Path(name)
        if not path.is_file():
            raise self._unknown_split(name)
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError as error:
            raise MlebenchError(f"{path} is not a text file with one competition id per line.") from error
        ids = []
        for number, line in enumerate(lines, start=1):
            if competition_id := line.split("#")[0].strip():
                try:
                    ids.append(self.get_competition(competition_id).id)
                except UnknownCompetitionError as error:
                    raise UnknownCompetitionError(f"{path}:{number}: {error.sentence}", hint=error.hint) from None
        return ids

    def get_competitions_dir(self) -> Path:
        """A folder in the published layout with a folder per competition: config.yaml, description.md and more.

        It is part of the package. Where there are competitions of the user's own or downloaded leaderboards, it is one
        that has these too, written into the cache folder when it is first asked for.
        """
        from mlebench.compat.layout import COMPETITIONS, cached_layout

        return BUILT_IN if self._is_as_shipped else cached_layout(self) / COMPETITIONS

    def get_splits_dir(self) -> Path:
        """A folder in the published layout with a text file per split, one id per line, in the cache folder."""
        from mlebench.compat.layout import SPLITS_FOLDER, cached_layout

        return cached_layout(self) / SPLITS_FOLDER

    def _local(self, declaration: Declaration) -> LocalCompetition:
        return LocalCompetition(declaration, self.get_data_dir(), self.edition)

    @property
    def _names_competitions_dir(self) -> bool:
        """Whether a subclass, or somebody's patch, says where competitions are."""
        return type(self).get_competitions_dir is not _GET_COMPETITIONS_DIR

    @property
    def _is_as_shipped(self) -> bool:
        """Whether the files of the package say all: nothing of the user's own, and no downloaded leaderboard."""
        if self._user_competitions or self.edition != DEFAULT_EDITION:
            return False
        home = self.get_data_dir()
        return not any((home / published_id / "leaderboard.csv").is_file() for published_id in facts.published_ids())

    def _placed_folders(self) -> list[Path]:
        """Competitions in the published form that somebody put where the published package has its own.

        They are looked for anew each time, since programs write such a folder and ask for it at once.
        """
        from mlebench.compat.layout import COMPETITIONS, known_layout

        if self._names_competitions_dir:
            return competition_folders(self.get_competitions_dir())
        layout = known_layout(self)
        return [*added_folders(BUILT_IN), *(added_folders(layout / COMPETITIONS) if layout else [])]

    def _placed_competitions(self) -> dict[str, Declaration]:
        """The competitions in those folders, by the names of the folders; broken ones are left out."""
        found = {}
        for folder in self._placed_folders():
            try:
                found[folder.name] = load_folder(folder)
            except MlebenchError:
                continue  # reported when it is asked for
        return found

    def _placed_competition(self, competition_id: str) -> Declaration | None:
        folder = next((folder for folder in self._placed_folders() if folder.name == competition_id), None)
        return load_folder(folder) if folder else None

    @cached_property
    def _user_competitions(self) -> dict[str, Declaration]:
        from_variable = os.environ.get(COMPETITIONS_DIR_VARIABLE, "")
        parents = [Path(part) for part in from_variable.split(os.pathsep) if part]
        for parent in parents:
            if not parent.is_dir():
                hint = f"Set {COMPETITIONS_DIR_VARIABLE} to a folder that there is, or unset it."
                raise MlebenchError(f"The competitions folder {parent} does not exist.", hint=hint)
        parents = [*entry_point_folders(), *parents, *self.competitions_dirs]
        found = {}
        for folder in (child.resolve() for parent in parents for child in competition_folders(parent)):
            try:
                competition = load_folder(folder)
            except MlebenchError as error:
                if not is_published_folder(folder):
                    raise
                self._broken[folder.name] = error
            else:
                found[competition.id] = competition
        return found

    @cached_property
    def _broken(self) -> dict[str, MlebenchError]:
        """What is wrong with competitions in the published form: one of hundreds must not hide the others."""
        return {}

    def _unknown_split(self, name: str) -> MlebenchError:
        """What to say about a split that there is not; people also give an id."""
        hint = f"Use one of {', '.join(SPLITS)}, or the path of a text file with one id per line."
        if name in {competition.id for competition in self.all_competitions()}:
            hint = f"It is a competition: `-c {name}` chooses it alone."
        return MlebenchError(f"There is no split {name!r}.", hint=hint)

    def _unknown(self, competition_id: str) -> UnknownCompetitionError:
        import difflib

        if competition_id in SPLITS:
            hint = f"It is a split: `mlebench list --split {competition_id}` shows what is in it."
            return UnknownCompetitionError(f"There is no competition {competition_id!r}.", hint=hint)
        known = [c.id for c in self.all_competitions()]
        by_lower = {competition_id.lower(): competition_id for competition_id in known}
        near = difflib.get_close_matches(competition_id.lower(), list(by_lower), n=3, cutoff=0.5)
        near += [low for low in by_lower if competition_id and competition_id.lower() in low and low not in near]
        names = " or ".join(by_lower[lower] for lower in near[:3])
        return UnknownCompetitionError(
            f"There is no competition {competition_id!r}.",
            hint=f"Did you mean {names}?"
            if names
            else "`mlebench list` shows all ids; one of your own is found with --competitions-dir.",
        )


# To tell whether a registry says itself where competitions and splits are.
_GET_COMPETITIONS_DIR, _GET_SPLITS_DIR = Registry.get_competitions_dir, Registry.get_splits_dir

registry = Registry()
DEFAULT_DATA_DIR = registry.data_dir


def get_competitions_dir() -> Path:
    """The folder of competitions in the published layout, for the registry `registry`."""
    return registry.get_competitions_dir()


def get_splits_dir() -> Path:
    """The folder of splits in the published layout, for the registry `registry`."""
    return registry.get_splits_dir()
