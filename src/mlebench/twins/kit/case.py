"""One prepared data set with its answers and a guess at them: what example submissions are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from mlebench.files.tables import read_csv
from mlebench.twins.kit import examples

if TYPE_CHECKING:
    from mlebench.twins.kit.submissions import Submissions

Source: TypeAlias = Literal["perfect", "noisy"]

_ANSWERS = ("private/test.csv", "private/answers.csv", "private/gold_submission.csv")


@dataclass(frozen=True)
class Cell:
    """A submission with another value in one cell: of the first row and the first target, unless it says otherwise."""

    value: Any
    row: int = 0
    column: str | None = None
    of: Source | None = None


def at(row: int = 0, column: str | None = None, *, of: Source | None = None, **values: Any) -> dict[str, Cell]:
    """Examples by name, each with another value in the same cell: `at(3, nan=None, text="high")`."""
    return {name: Cell(value, row, column, of) for name, value in values.items()}


@dataclass(frozen=True)
class Text:
    """A submission that is this text, byte for byte."""

    content: str


@dataclass(frozen=True)
class Case:
    """One prepared data set with its answers and a guess at them: what examples are made of."""

    declared: Submissions
    prepared: Path
    seed: int

    @cached_property
    def rng(self) -> np.random.Generator:
        """The one source of chance, from which the guess draws first."""
        return np.random.default_rng(self.seed + 1)

    @cached_property
    def sample(self) -> Path:
        """The sample submission."""
        found = [self.prepared / self.declared.sample] if self.declared.sample else self._samples()
        if len(found) != 1 or not found[0].is_file():
            names = ", ".join(path.relative_to(self.prepared).as_posix() for path in found)
            raise self.declared.error(
                f"There is no {self.declared.sample} in the prepared data, which the twin calls the sample submission"
                if self.declared.sample
                else f"Which file is the sample submission? In public/ there is {names or 'none'}",
                'Name it: Submissions(sample="public/sample_submission.csv").',
            )
        return found[0]

    def _samples(self) -> list[Path]:
        return sorted(path for path in (self.prepared / "public").glob("*.csv") if "ample" in path.name)

    @cached_property
    def _columns(self) -> tuple[str, list[str]]:
        first, *others = (str(name) for name in read_csv(self.sample, nrows=0).columns)
        return self.declared.id or first, list(self.declared.targets or others)

    @property
    def id(self) -> str:
        """The name of the id column."""
        return self._columns[0]

    @property
    def targets(self) -> list[str]:
        """The names of the columns of predictions."""
        return self._columns[1]

    @cached_property
    def full(self) -> pd.DataFrame:
        """The file of the answers with all its columns."""
        names = [self.declared.answers] if self.declared.answers else _ANSWERS
        name = next((name for name in names if (self.prepared / name).is_file()), None)
        if name is None:
            raise self.declared.error(
                f"There is no {' or '.join(names)} in the prepared data, and submissions are made from the answers",
                'Name the file: Submissions(answers="private/test.csv").',
            )
        return examples.table(self.prepared, name, **self.declared.read)

    @cached_property
    def answers(self) -> pd.DataFrame:
        """The perfect submission."""
        if self.declared.perfect is not None:
            return self.declared.perfect(self)
        columns = [self.id, *self.targets]
        missing = [column for column in columns if column not in self.full]
        if missing:
            has = ", ".join(map(str, self.full.columns))
            raise self.declared.error(
                f"The answers have no column {missing[0]!r}, which a submission has; they have {has}",
                "Say which columns they share: Submissions(id=…, targets=[…]), or what a perfect submission is.",
            )
        return self.full[columns]

    @cached_property
    def noisy(self) -> pd.DataFrame:
        """A plausible imperfect submission."""
        return self.table(self.declared.guess(self))

    @property
    def n(self) -> int:
        """The number of rows."""
        return len(self.answers)

    @property
    def ids(self) -> pd.Series:
        """The ids of the test set."""
        return self.answers[self.id]

    @property
    def truth(self) -> Any:
        """The right predictions: a column, or a table where there are several targets."""
        return self.answers[self.targets[0] if len(self.targets) == 1 else self.targets]

    @property
    def guess(self) -> Any:
        """The predictions of the imperfect submission, in the form of `truth`."""
        return self.noisy[self.targets[0] if len(self.targets) == 1 else self.targets]

    def table(self, content: Any) -> pd.DataFrame:
        """A submission: a table as it is, one cell changed, or the right ids with other predictions."""
        if isinstance(content, Cell):
            frame = self.source(content.of or self.declared.usual.cells)
            return examples.with_cell(frame, content.column or self.targets[0], content.value, content.row)
        if isinstance(content, pd.DataFrame):
            # A table of predictions alone gets the ids.
            return self.answers[[self.id]].join(content) if list(content.columns) == self.targets else content
        if isinstance(content, Mapping):
            return self.answers.assign(**content)
        if len(self.targets) == 1 or np.ndim(content) == 0:
            return self.answers.assign(**dict.fromkeys(self.targets, content))
        return self.table(pd.DataFrame(content, columns=self.targets, index=self.answers.index))

    def source(self, source: Source) -> pd.DataFrame:
        """The submission that others are made from."""
        return self.answers if source == "perfect" else self.noisy

    def replaced(self, classes: int | Sequence[Any], share: float) -> pd.Series:
        """The right predictions with about this share of them replaced by random classes (5 stands for 0 to 4)."""
        return examples.guessed(self.answers, self.targets[0], classes, share, self.rng)[self.targets[0]]

    def shifted(self, share: float, low: int, high: int) -> pd.Series:
        """Right numbers of which this share, and the first, have a random whole number added: low to high - 1."""
        wrong = self.rng.random(self.n) < share
        wrong[0] = True
        numbers: pd.Series = self.truth.copy()
        numbers[wrong] += self.rng.integers(low, high, int(wrong.sum()))
        return numbers
