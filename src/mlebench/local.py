"""A competition on this machine: its declaration, and where its data is."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench import facts
from mlebench.competition import Competition
from mlebench.errors import MlebenchError
from mlebench.facts import Checksums
from mlebench.known_issues import KnownIssue
from mlebench.leaderboard import Leaderboard, read_scores
from mlebench.vocabulary import DEFAULT_EDITION, Edition

if TYPE_CHECKING:
    from mlebench.grader import Grader

DATA_DIR_VARIABLE = "MLEBENCH_DATA_DIR"


def default_data_dir() -> Path:
    """Where data is unless told otherwise: $MLEBENCH_DATA_DIR, or the platform's cache folder."""
    if chosen := os.environ.get(DATA_DIR_VARIABLE):
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path() / "mle-bench" / "data"


@dataclass(frozen=True)
class LocalCompetition:
    """One edition of a competition, together with the place of its data on this machine."""

    declaration: Competition
    data_dir: Path
    edition: Edition = DEFAULT_EDITION

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
        return self.declaration.description_of(self.edition)

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
        """What preparation makes: public/, private/ and the record of how they were made; one folder per edition."""
        return self.home / ("prepared" if self.edition == DEFAULT_EDITION else f"prepared-{self.edition}")

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
        """The sample submission as a plain CSV file."""
        if self.declaration.private_sample is not None:
            return self.private_dir / self.declaration.private_sample
        return self.public_dir / self.declaration.sample

    @property
    def checksums(self) -> Checksums:
        """Known md5 sums of the real archive and, for edition v1, of the files that preparation makes of it."""
        known = self.declaration.checksums
        return known if self.edition == DEFAULT_EDITION else Checksums(known.archive)

    @property
    def prepare_fn(self) -> Callable[[Path, Path, Path], None]:
        """Prepares data: `prepare_fn(raw, public, private)` with the paths of three folders."""
        from mlebench.preparer import prepare_folders

        self.require_edition()
        function = self.declaration.prepare_fn(self.edition)
        return lambda raw, public, private: prepare_folders(self.id, function, Path(raw), Path(public), Path(private))

    @cached_property
    def grader(self) -> Grader:
        """Scores a submission table against an answers table: `grader(submission, answers)`."""
        from mlebench.grader import Grader

        self.require_edition()
        return Grader(self.declaration.metric, self.declaration.grade_fn(self.edition))

    @property
    def downloaded_leaderboard(self) -> Path:
        """Where a full leaderboard is that the user downloaded."""
        return self.home / "leaderboard.csv"

    def human_leaderboard(self) -> Leaderboard | None:
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
        return self.declaration.human_leaderboard()

    @property
    def leaderboard(self) -> Path:
        """A CSV file with one `score` per team, best first: a downloaded one, or the one that ships with mlebench.

        In one that ships with mlebench the positions have exactly the known medal thresholds and the known median;
        the other scores are interpolated from the known distribution.
        """
        if self.downloaded_leaderboard.is_file():
            return self.downloaded_leaderboard
        shipped = self.declaration.own_leaderboard_path or facts.leaderboard_path(self.id)
        if shipped is None:
            raise MlebenchError(f"{self.id} has no leaderboard.")
        return shipped

    def require_edition(self) -> None:
        """Refuse a competition that is not written for this edition."""
        written = self.declaration.editions
        if self.edition not in written and written:
            raise MlebenchError(f"{self.id} has no edition {self.edition} yet.", hint=f"It has {', '.join(written)}.")
