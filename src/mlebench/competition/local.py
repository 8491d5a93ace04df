"""A competition on this machine: its declaration, and where its data is."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlebench import facts
from mlebench.base.codes import MedalCaveat, NoMedalCode
from mlebench.competition.declaration import Competition, PrepareFn
from mlebench.competition.description import obfuscated
from mlebench.competition.known_issues import KnownIssue
from mlebench.competition.leaderboard import Leaderboard, read_scores
from mlebench.competition.vocabulary import DEFAULT_EDITION, EDITIONS, Edition, Group
from mlebench.errors import MlebenchError
from mlebench.facts import Checksums, PublishedConfig

if TYPE_CHECKING:
    from mlebench.competition.grader import Grader

DATA_DIR_VARIABLE = "MLEBENCH_DATA_DIR"


def default_data_dir() -> Path:
    """Where data is unless told otherwise: $MLEBENCH_DATA_DIR, or the platform's cache folder."""
    if chosen := os.environ.get(DATA_DIR_VARIABLE):
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path() / "mle-bench" / "data"


def _follows() -> Any:
    """The default of a field that follows from the declaration unless it is given a value."""
    return None


@dataclass(frozen=True)
class LocalCompetition:
    """One edition of a competition, together with the place of its data on this machine.

    `LocalCompetition(declaration, data_dir, edition)` makes one. The other fields are those of
    `mlebench.registry.Competition` in the published benchmark. They follow from the declaration, when they are first
    asked for; other projects copy a competition with other values (`dataclasses.replace(competition, answers=path)`),
    or make one from such values alone.
    """

    declaration: Competition = field(default_factory=_follows, repr=False)
    data_dir: Path = field(default_factory=_follows)
    edition: Edition = DEFAULT_EDITION
    id: str = field(default_factory=_follows)
    name: str = field(default_factory=_follows)
    description: str = field(default_factory=_follows, repr=False)
    grader: Grader = field(default_factory=_follows)
    answers: Path = field(default_factory=_follows)
    gold_submission: Path = field(default_factory=_follows)
    sample_submission: Path = field(default_factory=_follows)
    competition_type: str = field(default_factory=_follows)
    prepare_fn: Callable[[Path, Path, Path], object] = field(default_factory=_follows, repr=False)
    raw_dir: Path = field(default_factory=_follows)
    private_dir: Path = field(default_factory=_follows)
    public_dir: Path = field(default_factory=_follows)
    checksums: Path = field(default_factory=_follows)
    leaderboard: Path = field(default_factory=_follows)

    def __post_init__(self) -> None:
        missing = [name for name in _VALUES if self.__dict__[name] is None]
        if self.declaration is None:
            if missing:
                raise TypeError(f"a competition needs a declaration, or else all its values: {missing[0]} is missing")
            object.__setattr__(self, "declaration", _declared(self))
            object.__setattr__(self, "data_dir", self.raw_dir.parent.parent)
        for name in missing:  # so that __getattr__ is asked for it
            del self.__dict__[name]
        if "private_dir" not in missing and self.prepared_dir.name in _names_of_other_editions(self.edition):
            raise ValueError(f"{self.prepared_dir} is not for edition {self.edition}; use in_edition() to change it")

    if not TYPE_CHECKING:  # a type checker knows the fields, and would take any other name for one of them

        def __getattr__(self, name: str) -> Any:
            if name not in _VALUES:
                raise AttributeError(f"a competition has no {name}")
            value = self.__dict__[name] = _VALUES[name](self)
            return value

    def in_edition(self, edition: Edition) -> LocalCompetition:
        """The same competition in another edition, whose data is elsewhere."""
        return LocalCompetition(self.declaration, self.data_dir, edition)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> LocalCompetition:
        """A competition from plain values, as in the published benchmark: `grader` and `preparer` name functions."""
        from mlebench.competition.grader import Grader
        from mlebench.competition.named_functions import import_fn

        names = {attribute.name for attribute in fields(LocalCompetition)} - {"grader", "prepare_fn"}
        given = {name: value for name, value in data.items() if name in names}
        try:
            return LocalCompetition(
                grader=Grader.from_dict(data["grader"]), prepare_fn=import_fn(data["preparer"]), **given
            )
        except KeyError as error:  # a ValueError, as published
            raise ValueError(f"The configuration of a competition has no {error.args[0]}.") from error

    def __reduce__(self) -> str | tuple[Any, ...]:
        """In another process the declaration is loaded again: the functions of a user's file cannot be sent there."""
        if not _can_be_loaded(self.declaration):
            return super().__reduce__()
        standard = self.in_edition(self.edition)
        values = {name: value for name, value in self.__dict__.items() if name != "declaration"}
        for name in ("grader", "prepare_fn"):
            if values.get(name) == getattr(standard, name):
                values.pop(name, None)
        return _loaded_again, (self.declaration.folder, values)

    @property
    def metric(self) -> str:
        """The metric in our own words; `grader.name` is its name in the published benchmark."""
        metric: str = self.declaration.fact("metric", self.edition)
        return metric

    @property
    def group(self) -> Group | None:
        """The group that the competition is in, in this edition."""
        group: Group | None = self.declaration.fact("group", self.edition)
        return group

    @property
    def breaks(self) -> Collection[str]:
        """The ids of the checks that the data of this edition fails."""
        breaks: Collection[str] = self.declaration.fact("breaks", self.edition)
        return breaks

    @property
    def text_columns(self) -> tuple[str, ...]:
        """The columns of submissions and answers that are text in this edition, whatever is in them."""
        return self.declaration.changes(self.edition).text_columns

    @property
    def differs(self) -> bool:
        """Whether this edition differs from v1."""
        return self.declaration.differs(self.edition)

    def no_medal_code(self, *, real_data: bool = True) -> NoMedalCode | None:
        """Why nothing can win a medal here; None where a medal can be won."""
        if not real_data:
            return NoMedalCode.NOT_REAL_DATA
        code = self.declaration.changes(self.edition).no_medals
        return code or (None if self.human_leaderboard() else NoMedalCode.NO_LEADERBOARD)

    @property
    def medal_caveat(self) -> MedalCaveat | None:
        """Why a medal of the competition says little, if it does."""
        return next((issue.medals for issue in self.known_issues if issue.medals), None)

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
        if self.leaderboard == _shipped_leaderboard(self.declaration):
            return _leaderboard(self)
        return self.leaderboard

    def human_leaderboard(self) -> Leaderboard | None:
        """What humans scored: a downloaded full leaderboard, else what ships with mlebench; None if nothing does.

        None too where the task of this edition is not the one that they scored in.
        """
        if self.declaration.changes(self.edition).no_medals is not None:
            return None
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

    def obfuscated_description(self, text: str | None = None) -> str:
        """The description without names and provenance; `text` is the one in the public data, where there is one."""
        text = self.description if text is None else text
        return obfuscated(text, self.id, self.name, hidden=self.declaration.hidden_names)

    def require_edition(self) -> None:
        """Refuse a competition that is not written for this edition."""
        _require_edition(self.declaration, self.edition)


def _grader(competition: LocalCompetition) -> Grader:
    from mlebench.competition.grader import Grader

    declaration, published = competition.declaration, competition.declaration.published_config
    name = published.metric if published else declaration.metric
    return Grader(name, _written(declaration, competition.edition, declaration.grade_fn))


def _prepare_fn(competition: LocalCompetition) -> FolderPreparation:
    declaration = competition.declaration
    return FolderPreparation(declaration.id, _written(declaration, competition.edition, declaration.prepare_fn))


def _sample_submission(competition: LocalCompetition) -> Path:
    private = competition.declaration.private_sample
    if private is not None:
        return _file(competition.private_dir, private)
    return _file(competition.public_dir, competition.declaration.sample)


def _gold_submission(competition: LocalCompetition) -> Path:
    published = competition.declaration.published_config
    gold = published.gold_submission if published else None
    if gold:
        return _file(competition.prepared_dir, gold)
    return _file(competition.private_dir, competition.declaration.answers)


def _competition_type(competition: LocalCompetition) -> str:
    published = competition.declaration.published_config
    return published.competition_type if published else "simple"


def _leaderboard(competition: LocalCompetition) -> Path:
    downloaded = competition.downloaded_leaderboard
    return downloaded if downloaded.is_file() else _shipped_leaderboard(competition.declaration)


def _prepared_folder(competition: LocalCompetition, name: str) -> Path:
    return competition.home / _prepared_name(competition.edition) / name


# What a field is unless it was given a value.
_VALUES: dict[str, Callable[[LocalCompetition], Any]] = {
    "id": lambda competition: competition.declaration.id,
    "name": lambda competition: competition.declaration.name,
    "description": lambda competition: competition.declaration.description_of(competition.edition),
    "grader": _grader,
    "answers": lambda competition: _file(competition.private_dir, competition.declaration.answers),
    "gold_submission": _gold_submission,
    "sample_submission": _sample_submission,
    "competition_type": _competition_type,
    "prepare_fn": _prepare_fn,
    "raw_dir": lambda competition: competition.home / "raw",
    "private_dir": lambda competition: _prepared_folder(competition, "private"),
    "public_dir": lambda competition: _prepared_folder(competition, "public"),
    "checksums": lambda competition: competition.declaration.checksums_path,
    "leaderboard": _leaderboard,
}


@dataclass(frozen=True)
class FolderPreparation:
    """A preparation to be called with the paths of three folders: raw, public and private."""

    competition_id: str
    function: PrepareFn

    def __call__(self, raw: Path, public: Path, private: Path) -> None:
        """Prepare."""
        from mlebench.competition.preparer import prepare_folders

        prepare_folders(self.competition_id, self.function, Path(raw), Path(public), Path(private))


@dataclass(frozen=True)
class _Unwritten:
    """Stands for a function that a competition does not have: calling it raises an error that says so."""

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


def _names_of_other_editions(edition: Edition) -> list[str]:
    return [_prepared_name(other) for other in EDITIONS if other != edition]


@cache
def _shipped_leaderboard(declaration: Competition) -> Path:
    """A leaderboard of the competition's own, or the one that ships with mlebench; it need not exist.

    In one that ships with mlebench the positions have exactly the known medal thresholds and the known median; the
    other scores are interpolated from the known distribution.
    """
    own = declaration.own_leaderboard_path
    return own or facts.leaderboard_path(declaration.id) or declaration.folder / "leaderboard.csv"


def _declared(competition: LocalCompetition) -> Competition:
    """The declaration of a competition that is made from values alone."""
    from mlebench.compat.folder import declared

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
    from mlebench.competition.loading import load_folder

    try:
        return load_folder(declaration.folder) is declaration
    except (MlebenchError, OSError):
        return False


def _loaded_again(folder: Path, values: dict[str, Any]) -> LocalCompetition:
    from mlebench.competition.loading import load_folder

    return LocalCompetition(load_folder(folder), **values)
