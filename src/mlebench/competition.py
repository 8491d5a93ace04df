"""What a competition is: a declaration of facts, a way to prepare its data, a way to grade a submission.

A competition is declared at the top of its own module and gets its two functions by decorator:

    competition = Competition(id="my-contest", name="My contest", category="Tabular", metric="accuracy")

    @competition.prepare
    def prepare(raw, public, private): ...

    @competition.grade
    def grade(submission, answers): ...
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from mlebench.leaderboard import Better, Leaderboard, read_scores

if TYPE_CHECKING:
    from mlebench.data.folders import OutputFolder, RawFiles
    from mlebench.facts import Checksums

PrepareFn: TypeAlias = "Callable[[RawFiles, OutputFolder, OutputFolder], None]"
# Submissions and answers are tables nearly everywhere; a competition may read its answers in a form of its own.
GradeFn: TypeAlias = Callable[[Any, Any], float]
RawFn: TypeAlias = Callable[[Path], None]
_F = TypeVar("_F", bound=Callable[..., Any])

GROUPS = ("low", "medium", "high", "dev", "practice")


@dataclass(frozen=True)
class KnownIssue:
    """Something known to be wrong with a competition, and what edition v2 does about it."""

    what: str
    v2: str | None = None


@dataclass
class Competition:
    """A competition's facts and functions.

    `answers` names the answers file below private/, `sample` the sample submission below public/ (or, where the
    public one is inside an archive, below private/ with `sample="private/…"`). `gigabytes` is the size of the
    real archive where it is known.
    """

    id: str
    name: str
    category: str
    metric: str
    better: Better = "higher"
    group: str | None = None
    answers: str = "test.csv"
    sample: str = "sample_submission.csv"
    gigabytes: float | None = None
    known_issues: tuple[KnownIssue, ...] = ()
    prepare_fn: PrepareFn | None = field(default=None, init=False, repr=False)
    grade_fn: GradeFn | None = field(default=None, init=False, repr=False)
    raw_fn: RawFn | None = field(default=None, init=False, repr=False)
    folder: Path | None = field(default=None, init=False, repr=False)

    def prepare(self, function: _F) -> _F:
        """Decorator: this function turns raw data into public and private data."""
        self.prepare_fn = function
        return function

    def grade(self, function: _F) -> _F:
        """Decorator: this function scores a submission against the answers."""
        self.grade_fn = function
        return function

    def raw_data(self, function: _F) -> _F:
        """Decorator: this function writes the raw data, for a competition whose data needs no download."""
        self.raw_fn = function
        return function

    @property
    def is_implemented(self) -> bool:
        """Whether preparation and grading are written; until then a competition is only listed."""
        return self.prepare_fn is not None and self.grade_fn is not None

    @property
    def description(self) -> str:
        """The task as the contestant reads it (Markdown); empty where it is not written yet."""
        path = self.folder / "description.md" if self.folder else None
        return path.read_text(encoding="utf-8") if path and path.is_file() else ""

    @property
    def own_leaderboard_path(self) -> Path | None:
        """A leaderboard that lies in the competition's own folder, if there is one."""
        path = self.folder / "leaderboard.csv" if self.folder else None
        return path if path and path.is_file() else None

    @property
    def checksums(self) -> Checksums:
        """md5 sums of the real archive and its prepared files, where they are known."""
        from mlebench import facts

        return facts.checksums(self.id)

    @property
    def sample_submission_score(self) -> float | None:
        """What the sample submission scores on the real data, where it is known."""
        from mlebench import facts

        return facts.sample_submission_score(self.id)

    def published_leaderboard(self) -> Leaderboard | None:
        """What humans scored, as far as it ships with mlebench or with the competition."""
        from mlebench import facts

        if self.own_leaderboard_path is not None:
            return Leaderboard.from_scores(read_scores(self.own_leaderboard_path), self.better, "own")
        return facts.leaderboard(self.id, self.better)
