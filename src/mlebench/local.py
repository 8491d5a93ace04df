"""A competition on this machine: its declaration, and where its data is."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from mlebench import facts
from mlebench.competition import Competition, PrepareFn
from mlebench.errors import MlebenchError
from mlebench.facts import Checksums, PublishedConfig
from mlebench.grader import Grader
from mlebench.known_issues import KnownIssue
from mlebench.leaderboard import Leaderboard, read_scores
from mlebench.loading import load_folder
from mlebench.named_functions import import_fn
from mlebench.published_folder import declared
from mlebench.vocabulary import DEFAULT_EDITION, EDITIONS, Edition

DATA_DIR_VARIABLE = "MLEBENCH_DATA_DIR"
_DECLARED: Any = None  # the value of a field that follows from the declaration unless it is given one


def default_data_dir() -> Path:
    """Where data is unless told otherwise: $MLEBENCH_DATA_DIR, or the platform's cache folder."""
    if chosen := os.environ.get(DATA_DIR_VARIABLE):
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path() / "mle-bench" / "data"


@dataclass(frozen=True)
class LocalCompetition:
    """One edition of a competition, together with the place of its data on this machine.

    `LocalCompetition(declaration, data_dir, edition)` makes one. The other fields are those of
    `mlebench.registry.Competition` in the published benchmark. They have their values from the start, so that other
    projects can copy a competition with other ones (`dataclasses.replace(competition, answers=path)`), or make one from
    such values alone.
    """

    declaration: Competition = field(default=_DECLARED, repr=False)
    data_dir: Path = _DECLARED
    edition: Edition = DEFAULT_EDITION
    id: str = _DECLARED
    name: str = _DECLARED
    description: str = field(default=_DECLARED, repr=False)
    grader: Grader = _DECLARED
    answers: Path = _DECLARED
    gold_submission: Path = _DECLARED
    sample_submission: Path = _DECLARED
    competition_type: str = _DECLARED
    prepare_fn: Callable[[Path, Path, Path], object] = field(default=_DECLARED, repr=False)
    raw_dir: Path = _DECLARED
    private_dir: Path = _DECLARED
    public_dir: Path = _DECLARED
    checksums: Path = _DECLARED
    leaderboard: Path = _DECLARED

    def __post_init__(self) -> None:
        if self.declaration is None:
            missing = [each.name for each in fields(self)[3:] if getattr(self, each.name) is None]
            if missing:
                raise TypeError(
                    f"a competition needs a declaration, or else all of its values: {missing[0]} is missing"
                )
            object.__setattr__(self, "declaration", _declared(self))
            object.__setattr__(self, "data_dir", self.raw_dir.parent.parent)
            return
        for name, value in _values(self.declaration, self.data_dir, self.edition).items():
            if getattr(self, name) is None:
                object.__setattr__(self, name, value)
        if self.prepared_dir.name in map(_prepared_name, set(EDITIONS) - {self.edition}):
            raise ValueError(f"{self.prepared_dir} is not for edition {self.edition}; use in_edition() to change it")

    def in_edition(self, edition: Edition) -> LocalCompetition:
        """The same competition in another edition, whose data is elsewhere."""
        return LocalCompetition(self.declaration, self.data_dir, edition)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> LocalCompetition:
        """A competition from plain values, as in the published benchmark: `grader` and `preparer` name functions."""
        names = {each.name for each in fields(LocalCompetition)} - {"grader", "prepare_fn"}
        given = {name: value for name, value in data.items() if name in names}
        return LocalCompetition(
            grader=Grader.from_dict(data["grader"]), prepare_fn=import_fn(data["preparer"]), **given
        )

    def __reduce__(self) -> str | tuple[Any, ...]:
        """In another process the declaration is loaded again: the functions of a user's file cannot be sent there."""
        folder = self.declaration.folder
        if not _can_be_loaded(self.declaration):
            return super().__reduce__()
        standard = LocalCompetition(self.declaration, self.data_dir, self.edition)
        changed = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if getattr(self, each.name) != getattr(standard, each.name)
        }
        return _loaded_again, (folder, self.data_dir, self.edition, changed)

    @property
    def metric(self) -> str:
        """The metric in our own words; `grader.name` is its name in the published benchmark."""
        return self.declaration.metric

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
    def prepared_dir(self) -> Path:
        """What preparation makes: public/ and private/, and the record of how; one folder per edition."""
        return self.private_dir.parent

    @property
    def answers_are_prepared(self) -> bool:
        """Whether the answers are those that preparation makes, and not others that a client chose for a copy."""
        return self.answers == _file(self.private_dir, self.declaration.answers)

    @property
    def known_checksums(self) -> Checksums:
        """Known md5 sums of the real archive and, for edition v1, of the files that preparation makes of it."""
        known = self.declaration.checksums
        return known if self.edition == DEFAULT_EDITION else Checksums(known.archive)

    @property
    def downloaded_leaderboard(self) -> Path:
        """Where a full leaderboard is that the user downloaded."""
        return self.home / "leaderboard.csv"

    @property
    def leaderboard_file(self) -> Path:
        """The leaderboard that decides: one that was downloaded meanwhile takes the place of one that ships with us."""
        if self.leaderboard == _shipped_leaderboard(self.declaration) and self.downloaded_leaderboard.is_file():
            return self.downloaded_leaderboard
        return self.leaderboard

    def human_leaderboard(self) -> Leaderboard | None:
        """What humans scored: a downloaded full leaderboard, else what ships with mlebench; None if nothing does."""
        path = self.leaderboard_file
        if path == _shipped_leaderboard(self.declaration) or not path.is_file():
            return self.declaration.human_leaderboard()
        source = "downloaded" if path == self.downloaded_leaderboard else "own"
        try:
            return Leaderboard.from_scores(read_scores(path), self.declaration.better, source)
        except (KeyError, ValueError) as error:
            raise MlebenchError(
                f"{path} is not a leaderboard: it needs a column `score` with one number per team.",
                hint=f"Delete it, or run: mlebench dev download-leaderboard -c {self.id} --force",
            ) from error

    def require_edition(self) -> None:
        """Refuse a competition that is not written for this edition."""
        _require_edition(self.declaration, self.edition)


def _values(declaration: Competition, data_dir: Path, edition: Edition) -> dict[str, Any]:
    """What a declaration, and the place of the data, say about all other fields."""
    home = data_dir / declaration.id
    prepared = home / _prepared_name(edition)
    public, private = prepared / "public", prepared / "private"
    answers, sample = _file(private, declaration.answers), _file(public, declaration.sample)
    published = declaration.published_config
    gold = published.gold_submission if published else None
    downloaded = home / "leaderboard.csv"
    return {
        "id": declaration.id,
        "name": declaration.name,
        "description": declaration.description_of(edition),
        "grader": Grader(
            published.metric if published else declaration.metric, _written(declaration, edition, declaration.grade_fn)
        ),
        "answers": answers,
        "gold_submission": _file(prepared, gold) if gold else answers,
        "sample_submission": _file(private, declaration.private_sample) if declaration.private_sample else sample,
        "competition_type": published.competition_type if published else "simple",
        "prepare_fn": FolderPreparation(declaration.id, _written(declaration, edition, declaration.prepare_fn)),
        "raw_dir": home / "raw",
        "private_dir": private,
        "public_dir": public,
        "checksums": declaration.checksums_path,
        "leaderboard": downloaded if downloaded.is_file() else _shipped_leaderboard(declaration),
    }


@dataclass(frozen=True)
class FolderPreparation:
    """A preparation to be called with the paths of three folders: raw, public and private."""

    competition_id: str
    function: PrepareFn

    def __call__(self, raw: Path, public: Path, private: Path) -> None:
        """Prepare."""
        from mlebench.preparer import prepare_folders

        prepare_folders(self.competition_id, self.function, Path(raw), Path(public), Path(private))


@dataclass(frozen=True)
class _Unwritten:
    """Stands for a function that a competition does not have: whoever calls it is told so."""

    sentence: str
    hint: str | None

    def __call__(self, *_: Any) -> Any:
        raise MlebenchError(self.sentence, hint=self.hint)


def _written(declaration: Competition, edition: Edition, find: Callable[[Edition], Any]) -> Any:
    """What a competition has for an edition, or what stands for it."""
    try:
        _require_edition(declaration, edition)
        return find(edition)
    except MlebenchError as error:
        return _Unwritten(error.sentence, error.hint)


def _require_edition(declaration: Competition, edition: Edition) -> None:
    written = declaration.editions
    if not written:
        declaration.prepare_fn(edition)  # says which function a competition of one's own lacks
    if edition not in written:
        raise MlebenchError(f"{declaration.id} has no edition {edition} yet.", hint=f"It has {', '.join(written)}.")


def _file(folder: Path, name: str) -> Path:
    """A file below a folder; in the published form it may also be beside it, as `../…`."""
    return Path(os.path.normpath(folder / name)) if name.startswith("..") else folder / name


def _prepared_name(edition: Edition) -> str:
    return "prepared" if edition == DEFAULT_EDITION else f"prepared-{edition}"


def _shipped_leaderboard(declaration: Competition) -> Path:
    """A leaderboard of the competition's own, or the one that ships with mlebench; it need not exist.

    In one that ships with mlebench the positions have exactly the known medal thresholds and the known median; the
    other scores are interpolated from the known distribution.
    """
    own = declaration.own_leaderboard_path
    return own or facts.leaderboard_path(declaration.id) or declaration.folder / "leaderboard.csv"


def _declared(competition: LocalCompetition) -> Competition:
    """The declaration of a competition that is made from values alone."""
    files = (competition.answers, competition.sample_submission, competition.gold_submission)
    answers, sample, gold = (Path(os.path.relpath(path, competition.prepared_dir)).as_posix() for path in files)
    published = PublishedConfig(competition.competition_type, competition.grader.name, answers, sample, gold)
    return declared(
        competition.id,
        competition.name,
        published,
        Path(competition.leaderboard).parent,
        grade_fn=competition.grader.grade_fn,
        prepare_fn=competition.prepare_fn,
    )


def _can_be_loaded(declaration: Competition) -> bool:
    try:
        return load_folder(declaration.folder) is declaration
    except (MlebenchError, OSError):
        return False


def _loaded_again(folder: Path, data_dir: Path, edition: Edition, changed: dict[str, Any]) -> LocalCompetition:
    return LocalCompetition(load_folder(folder), data_dir, edition, **changed)
