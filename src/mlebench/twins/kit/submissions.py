"""The example submissions of a twin, generated from the shape of a submission and a short declaration.

    submissions = Submissions()

yields the answers themselves, the sample submission, an imperfect guess, and the usual mistakes: rows missing or
repeated, unknown ids, columns misnamed, empty cells, an empty file. The columns are read from the sample submission:
the first one is the id, the others are predictions. A competition declares what differs and what is special about it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from mlebench.errors import MlebenchError
from mlebench.twins.kit import examples
from mlebench.twins.kit.case import Case, Cell, Source, Text, at
from mlebench.twins.kit.examples import Example

__all__ = ["VARIANTS", "Case", "Cell", "Submissions", "Text", "Usual", "at", "exchanged"]

Twice: TypeAlias = Literal["first_id", "second_id", "first_row", "last_row"]


class Usual:
    """The usual submissions around the answers and the guess: rows, ids, columns and cells changed in the known ways.

    Broken rows, ids and columns are made `of` the answers or of the guess, broken cells of the guess unless `cells`
    says otherwise. `unknown` is an id that the test set does not have, `twice` what is there twice while another id is
    absent. `extra` are columns added to the guess (or to `extra_of`), at the end or, as `extra_first`, before the
    predictions with the id last. All other names are examples with a column misnamed: `wrong_column="score"` renames
    the first target, `no_id="image"` or the like the id, `(column, name)` any other column; None as a name leaves the
    column out.
    """

    def __init__(
        self,
        of: Source = "perfect",
        *,
        cells: Source = "noisy",
        unknown: Any = None,
        twice: Twice | None = "second_id",
        extra: Mapping[str, Any] | None = None,
        extra_of: Source = "noisy",
        extra_first: Mapping[str, Any] | None = None,
        **renamed: str | tuple[str, str | None] | None,
    ) -> None:
        self.of, self.cells, self.extra_of = of, cells, extra_of
        self.unknown, self.twice, self.renamed = unknown, twice, renamed
        self.extra, self.extra_first = extra, extra_first

    def examples(self, case: Case) -> Iterator[Example]:
        """Yield the submissions."""
        yield Example("sample", case.sample.read_bytes().decode(), "the sample submission as it is")
        yield examples.shuffled(case.noisy, case.seed)
        if self.extra:
            wider = case.source(self.extra_of).assign(**self.extra)
            yield Example("extra_column", wider, "a good submission with more columns")
        if self.extra_first:
            wider = case.noisy.assign(**self.extra_first)[[*self.extra_first, *case.targets, case.id]]
            yield Example("extra_column", wider, "as noisy, with more columns and in another order")
        yield from self._broken(case, case.source(self.of))
        yield Example("nan", case.table(Cell(None)), "an empty prediction")
        yield examples.empty()

    def _broken(self, case: Case, frame: pd.DataFrame) -> Iterator[Example]:
        """Rows, ids and columns that do not match the test set one to one."""
        yield examples.missing_row(frame)
        yield examples.extra_row(frame)
        if self.twice is not None and len(frame) > 1:
            yield _duplicate(frame, case.id, self.twice)
        yield examples.unknown_id(frame, case.id, _unknown(case.ids) if self.unknown is None else self.unknown)
        target = case.targets[0]
        for name, new in {"wrong_column": f"other_{target}", **self.renamed}.items():
            default = target if name == "wrong_column" else case.id
            column, other = new if isinstance(new, tuple) else (default, new)
            if other is None:
                yield Example(name, frame.drop(columns=column), f"the column {column} is missing")
            else:
                yield examples.renamed(frame, column, other, name)


def exchanged(case: Case) -> Any:
    """A guess for predictions of any kind: a third of the rows have the prediction of another row."""
    chosen = np.flatnonzero(case.rng.random(case.n) < 1 / 3)
    order = np.arange(case.n)
    order[chosen] = case.rng.permutation(chosen)
    return case.truth.iloc[order].set_axis(case.answers.index)


# Changes that many competitions can take, by the names of their examples; a declaration lists those it wants.
VARIANTS: Mapping[str, Callable[[Case], Any]] = {
    "ties": lambda case: case.guess.round(1),
    "inverted": lambda case: 1 - case.guess,
    "all_wrong": lambda case: 1 - case.truth,
    "boolean": lambda case: case.guess > 0.5,
    "booleans": lambda case: case.guess > 0.5,
    "float_labels": lambda case: case.guess.astype(float),
    "one_class": lambda case: case.truth.mode()[0],
    "numeric": lambda case: range(case.n),
    "all_nan": lambda case: np.nan,
    "all_empty": lambda case: "",
    "upper_case": lambda case: case.truth.str.upper(),
    "lower_case": lambda case: case.truth.str.lower(),
    "repeated_id": lambda case: examples.duplicate_id(case.noisy, case.id).content,
    "float_ids": lambda case: case.noisy.astype({case.id: float}),
    "float_id": lambda case: case.answers.astype({case.id: float}),
    "swapped_columns": lambda case: case.source(case.declared.usual.of).iloc[:, ::-1],
    "one_row": lambda case: case.source(case.declared.usual.of).head(1),
    "header_only": lambda case: case.answers.head(0),
}


@dataclass(frozen=True, kw_only=True)
class Submissions:
    """How a competition's submissions differ from the usual; called with prepared data and a seed, it yields examples.

    Every example has a name; where two have the same one, what is `special` comes before what is listed here, and that
    before what is usual.
    """

    # Where the columns of the sample submission or the files have other names; options for reading the answers; the
    # perfect submission if it is more than columns of them.
    id: str | None = None
    targets: Sequence[str] = ()
    sample: str | None = None
    answers: str | None = None
    read: Mapping[str, Any] = field(default_factory=dict)
    perfect: Callable[[Case], pd.DataFrame] | None = None
    # The predictions of the imperfect submission.
    guess: Callable[[Case], Any] = exchanged
    usual: Usual = field(default_factory=Usual)
    # Examples by name: another value in one cell, by default the first prediction; the same prediction everywhere;
    # every right prediction changed by a function; and some of VARIANTS.
    cells: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    each: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    variants: Sequence[str] = ()
    # What only this competition has, by name: tables, cells, texts, columns by name, or the predictions of all rows.
    special: Callable[[Case], Mapping[str, Any]] | None = None
    # The file and the line that this is written in, for messages.
    written_in: tuple[Path, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        author = sys._getframe(2)  # past the __init__ of the dataclass
        object.__setattr__(self, "written_in", (Path(author.f_code.co_filename), author.f_lineno))
        for name in self.variants:
            if name not in VARIANTS:
                raise self.error(f"There is no variant {name!r} of submissions", f"There are {', '.join(VARIANTS)}.")

    @property
    def folder(self) -> Path:
        """The folder of the twin: where messages look for the line at which a function of its author fails."""
        return self.written_in[0].parent

    def error(self, what: str, hint: str) -> MlebenchError:
        """An error in this declaration, with its place."""
        return MlebenchError(f"{what} ({self.written_in[0]}, line {self.written_in[1]}).", hint=hint)

    def __call__(self, prepared: Path, seed: int) -> Iterator[Example]:
        """Yield the submissions for prepared data: good ones, special ones and broken ones."""
        case = Case(self, prepared, seed)
        yield Example("perfect", case.answers, "the answers themselves")
        yield Example("noisy", case.noisy, "a plausible imperfect submission")
        seen = set()
        for example in self._examples(case):
            if example.name not in seen:
                seen.add(example.name)
                yield example

    def _examples(self, case: Case) -> Iterator[Example]:
        for name, content in (self.special(case) if self.special is not None else {}).items():
            made = content.content if isinstance(content, Text) else case.table(content)
            yield Example(name, made, "special to this competition")
        for name, change in self.each.items():
            columns = {target: _changed(case.answers[target], change) for target in case.targets}
            yield Example(name, case.table(columns), "every right prediction changed")
        for name in self.variants:
            yield Example(name, case.table(VARIANTS[name](case)), "a variant that many competitions have")
        for name, value in self.constants.items():
            yield Example(name, case.table(value), f"{value!r} everywhere")
        for name, value in self.cells.items():
            cell = value if isinstance(value, Cell) else Cell(value)
            yield Example(name, case.table(cell), f"{cell.value!r} in one cell")
        yield from self.usual.examples(case)


def _changed(predictions: pd.Series, change: Callable[[Any], Any]) -> list[Any]:
    """Predictions changed one by one; those that are missing stay so."""
    return [value if pd.isna(value) else change(value) for value in predictions]


def _duplicate(frame: pd.DataFrame, column: str, twice: Twice) -> Example:
    """One id twice and one absent: its neighbour, or that of the row at the other end."""
    if twice == "first_row":
        return examples.first_for_last(frame)
    if twice == "last_row":
        return examples.last_for_first(frame)
    if twice == "first_id":
        repeated = examples.with_cell(frame, column, frame[column].iloc[0], row=1)
        return Example("duplicate_id", repeated, "right number of rows, the first id twice and the second absent")
    return examples.duplicate_id(frame, column)


def _unknown(ids: pd.Series) -> Any:
    """An id that is not among these: a large number, or a word."""
    return 10**9 if pd.api.types.is_numeric_dtype(ids) else "x"
