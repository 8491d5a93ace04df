"""Finding competitions: the built-in ones, and a user's own.

`registry` is the entry point that other projects import; `registry.get_competition(id)` gives a competition
together with the place of its data.
"""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.errors import MlebenchError, UnknownCompetitionError
from mlebench.leaderboard import Leaderboard, read_scores, write_scores

if TYPE_CHECKING:
    from mlebench.grade.grader import Grader

COMPETITIONS_DIR_VARIABLE = "MLEBENCH_COMPETITIONS_DIR"
DATA_DIR_VARIABLE = "MLEBENCH_DATA_DIR"
ENTRY_POINT_GROUP = "mlebench.competitions"
SPLITS = ("low", "lite", "medium", "high", "all", "split75", "dev", "practice")
_SPLIT_GROUPS = {"lite": ("low",), "all": ("low", "medium", "high"), "split75": ("low", "medium", "high")}
_BUILT_IN = Path(__file__).parent / "competitions"


def default_data_dir() -> Path:
    """Where data lives unless told otherwise: $MLEBENCH_DATA_DIR, or the platform's cache folder."""
    if chosen := os.environ.get(DATA_DIR_VARIABLE):
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path() / "mle-bench" / "data"


def module_name(competition_id: str) -> str:
    """The name of the folder and of the twin module that belong to an id: a Python identifier.

    >>> module_name("3d-object-detection-for-autonomous-vehicles")
    '_3d_object_detection_for_autonomous_vehicles'
    """
    name = re.sub(r"\W", "_", competition_id)
    return f"_{name}" if name[0].isdigit() else name


def load_module(name: str, path: Path) -> ModuleType:
    """Import the Python file at a path under a given module name."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise MlebenchError(f"{path} cannot be imported as a Python module.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except MlebenchError:
        raise
    except Exception as error:
        sys.modules.pop(name, None)
        raise MlebenchError(f"{path} fails on import: {type(error).__name__}: {error}.") from error
    return module


@cache
def _load_folder(folder: Path) -> Competition:
    """The competition declared by <folder>/competition.py."""
    if folder.parent == _BUILT_IN:
        module = importlib.import_module(f"mlebench.competitions.{folder.name}.competition")
    else:
        module = load_module(f"mlebench_user_competition_{module_name(folder.name)}", folder / "competition.py")
    competition = getattr(module, "competition", None)
    if not isinstance(competition, Competition):
        raise MlebenchError(
            f"{folder / 'competition.py'} does not define `competition`.",
            hint="It should hold: competition = Competition(id=…, name=…, category=…, metric=…).",
        )
    competition.folder = folder
    return competition


def _folders(parent: Path) -> list[Path]:
    return sorted(path.parent for path in parent.glob("*/competition.py"))


def _entry_point_folders() -> list[Path]:
    """Folders named by installed packages: an entry point is a module or package beside its competitions."""
    from importlib.metadata import entry_points

    folders: list[Path] = []
    for point in entry_points(group=ENTRY_POINT_GROUP):
        module = point.load()
        folders += map(Path, getattr(module, "__path__", None) or [Path(module.__file__).parent])
    return folders


@dataclass(frozen=True)
class LocalCompetition:
    """A competition together with the place of its data on this machine."""

    declaration: Competition
    data_dir: Path

    @property
    def id(self) -> str:
        """The competition's id, as in its Kaggle address."""
        return self.declaration.id

    @property
    def name(self) -> str:
        """The competition's full name."""
        return self.declaration.name

    @property
    def description(self) -> str:
        """The task as the contestant reads it (Markdown)."""
        return self.declaration.description

    @property
    def known_issues(self) -> tuple[KnownIssue, ...]:
        """What is known to be wrong with the competition."""
        return self.declaration.known_issues

    @property
    def home(self) -> Path:
        """The folder that holds everything about this competition's data."""
        return self.data_dir / self.id

    @property
    def archive(self) -> Path:
        """The raw archive as downloaded."""
        return self.home / f"{self.id}.zip"

    @property
    def raw_dir(self) -> Path:
        """The unpacked raw archive."""
        return self.home / "raw"

    @property
    def prepared_dir(self) -> Path:
        """What preparation makes: public/, private/ and the record of how they were made."""
        return self.home / "prepared"

    @property
    def public_dir(self) -> Path:
        """What an agent sees."""
        return self.prepared_dir / "public"

    @property
    def private_dir(self) -> Path:
        """What only the grader sees."""
        return self.prepared_dir / "private"

    @property
    def answers(self) -> Path:
        """The answers file."""
        return self.private_dir / self.declaration.answers

    @property
    def sample_submission(self) -> Path:
        """The sample submission."""
        sample = self.declaration.sample
        return self.prepared_dir / sample if sample.startswith("private/") else self.public_dir / sample

    @property
    def prepare_fn(self) -> Callable[[Path, Path, Path], None]:
        """Prepares data: `prepare_fn(raw, public, private)` with the paths of three folders."""
        from mlebench.data.folders import OutputFolder, RawFolder
        from mlebench.data.prepare import run_preparation

        self.require_implementation()

        def prepare(raw: Path, public: Path, private: Path) -> None:
            run_preparation(self, RawFolder(Path(raw)), OutputFolder(Path(public)), OutputFolder(Path(private)))

        return prepare

    @cached_property
    def grader(self) -> Grader:
        """Scores a submission table against an answers table: `grader(submission, answers)`."""
        from mlebench.grade.grader import Grader

        self.require_implementation()
        assert self.declaration.grade_fn is not None
        return Grader(self.declaration.metric, self.declaration.grade_fn)

    @property
    def downloaded_leaderboard(self) -> Path:
        """Where a full leaderboard that the user downloaded lies."""
        return self.home / "leaderboard.csv"

    def standings(self) -> Leaderboard | None:
        """What humans scored: a downloaded full leaderboard, else what ships with mlebench; None if nothing does."""
        path = self.downloaded_leaderboard
        if path.is_file():
            try:
                return Leaderboard.from_scores(read_scores(path), self.declaration.better, "downloaded")
            except (KeyError, ValueError) as error:
                raise MlebenchError(
                    f"{path} is not a leaderboard: it needs a column `score` with one number per team.",
                    hint=f"Delete it, or run: mlebench dev download-leaderboard -c {self.id} --force",
                ) from error
        return self.declaration.published_leaderboard()

    @property
    def leaderboard(self) -> Path:
        """A CSV file with one `score` per team, best first; rebuilt from the known figures unless downloaded.

        In a rebuilt file the positions give exactly the known medal thresholds and the known median; the other
        scores are interpolated from the known distribution.
        """
        if self.downloaded_leaderboard.is_file():
            return self.downloaded_leaderboard
        if self.declaration.own_leaderboard_path is not None:
            return self.declaration.own_leaderboard_path
        standings = self.standings()
        if standings is None:
            raise MlebenchError(f"{self.id} has no leaderboard.")
        for parent in (self.home, _scratch_dir() / self.id):
            path = parent / "leaderboard.rebuilt.csv"
            if path.is_file():
                return path
            try:
                parent.mkdir(parents=True, exist_ok=True)
                partial = path.with_name(f"{path.name}.{os.getpid()}")
                write_scores(partial, standings.rebuilt_scores())
                partial.replace(path)
            except OSError:  # a read-only data folder: the scratch folder will do
                continue
            return path
        raise MlebenchError(f"The leaderboard of {self.id} cannot be written to {self.home}.")

    def require_implementation(self) -> None:
        """Refuse a competition that is listed only."""
        if not self.declaration.is_implemented:
            raise MlebenchError(
                f"{self.id} is listed, but its preparation and grading are not written yet.",
                hint="`mlebench list` shows which competitions are ready.",
            )


def _scratch_dir() -> Path:
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else "user"
    return Path(tempfile.gettempdir()) / f"mlebench-{user}"


@dataclass(frozen=True)
class Registry:
    """All competitions that can be found, with one data folder for them.

    `competitions_dirs` are a user's own folders of competitions, each with a folder per competition. A
    competition of the user's that has the id of a built-in one takes its place.
    """

    data_dir: Path = field(default_factory=default_data_dir)
    competitions_dirs: tuple[Path, ...] = ()

    def set_data_dir(self, data_dir: str | os.PathLike[str]) -> Registry:
        """The same registry with another data folder."""
        return Registry(Path(data_dir), self.competitions_dirs)

    def get_data_dir(self) -> Path:
        """The data folder."""
        return self.data_dir

    def with_competitions_dir(self, folder: str | os.PathLike[str]) -> Registry:
        """The same registry with one more folder of the user's own competitions."""
        path = Path(folder)
        if not path.is_dir():
            raise MlebenchError(f"The competitions folder {path} does not exist.")
        return Registry(self.data_dir, (*self.competitions_dirs, path))

    def get_competition(self, competition_id: str) -> LocalCompetition:
        """The competition with this id; an unknown id is answered with the nearest known ones."""
        competition = self._user_competitions.get(competition_id)
        if competition is None:
            folder = _BUILT_IN / module_name(competition_id) if competition_id else None
            if folder is not None and (folder / "competition.py").is_file():
                competition = _load_folder(folder)
        if competition is None or competition.id != competition_id:
            raise self._unknown(competition_id)
        return LocalCompetition(competition, self.data_dir)

    def all_competitions(self) -> list[LocalCompetition]:
        """Every competition, the practice ones and the user's own included, sorted by id."""
        found = {c.id: c for c in map(_load_folder, _folders(_BUILT_IN))}
        found.update(self._user_competitions)
        return [LocalCompetition(found[key], self.data_dir) for key in sorted(found, key=str.lower)]

    def list_competition_ids(self) -> list[str]:
        """The ids of the benchmark's competitions and of the user's own (the practice ones are left out)."""
        return [c.id for c in self.all_competitions() if c.declaration.group != "practice"]

    def get_lite_competition_ids(self) -> list[str]:
        """The ids of the split `lite`, which is the group `low`."""
        return self.split("lite")

    def split(self, name: str) -> list[str]:
        """The ids of a split: a named one, or a text file with one id per line (# begins a comment)."""
        if name in SPLITS:
            groups = _SPLIT_GROUPS.get(name, (name,))
            return [c.id for c in self.all_competitions() if c.declaration.group in groups]
        path = Path(name)
        if not path.is_file():
            raise MlebenchError(
                f"There is no split {name!r}.",
                hint=f"Use one of {', '.join(SPLITS)}, or the path of a text file with one id per line.",
            )
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError as error:
            raise MlebenchError(f"{path} is not a text file with one competition id per line.") from error
        ids = [line.split("#")[0].strip() for line in lines]
        return [self.get_competition(each).id for each in ids if each]

    @cached_property
    def _user_competitions(self) -> dict[str, Competition]:
        from_variable = os.environ.get(COMPETITIONS_DIR_VARIABLE, "")
        parents = [Path(part) for part in from_variable.split(os.pathsep) if part]
        parents = [*_entry_point_folders(), *parents, *self.competitions_dirs]
        found = (_load_folder(folder.resolve()) for parent in parents for folder in _folders(parent))
        return {competition.id: competition for competition in found}

    def _unknown(self, competition_id: str) -> UnknownCompetitionError:
        known = [c.id for c in self.all_competitions()]
        by_lower = {each.lower(): each for each in known}
        near = difflib.get_close_matches(competition_id.lower(), list(by_lower), n=3, cutoff=0.5)
        near += [low for low in by_lower if competition_id and competition_id.lower() in low and low not in near]
        names = " or ".join(by_lower[each] for each in near[:3])
        return UnknownCompetitionError(
            f"There is no competition {competition_id!r}.",
            hint=f"Did you mean {names}?" if names else "`mlebench list` shows all ids.",
        )


registry = Registry()
