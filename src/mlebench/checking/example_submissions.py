"""Example submissions graded: the answers are the best there is, the sample is valid, broken ones are refused."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from mlebench.base.author_code import error_text, place_of
from mlebench.competition.checks import Judgement, Problem, at_place, judged, line_with, not_applicable, placed
from mlebench.competition.grader import CrashedGradingError
from mlebench.competition.local import LocalCompetition
from mlebench.errors import GraderError, InvalidSubmissionError, MlebenchError
from mlebench.files.tables import load_answers, plain_strings, read_csv
from mlebench.grade.reading import read_submission
from mlebench.twins import has_twin, write_submissions

if TYPE_CHECKING:
    import pandas as pd

_CLOSE = 1e-7  # what rounding may leave between two perfect scores
_WORD = "no such value"
_ANSWERS, _SAMPLE = "the answers", "the sample submission"
_NAMES = {"perfect": _ANSWERS, "sample": _SAMPLE}  # of the examples that every twin has
BrokenKind: TypeAlias = Literal["incomplete", "values"]  # what is wrong with a broken submission


@dataclass(frozen=True)
class Graded:
    """A score; or a refusal, which is `crashed` where the grader failed instead of refusing, and where that was."""

    score: float | None = None
    refusal: str | None = None
    crashed: str | None = None
    place: str | None = None


def excused(competition: LocalCompetition) -> Collection[str]:
    """The checks that a competition says it breaks; one in the published form says nothing, and is held to all."""
    return competition.breaks if competition.declaration.published is None else ()


class Examples:
    """The example submissions of a prepared competition, and what its grader says to them."""

    def __init__(self, competition: LocalCompetition, scratch: Path) -> None:
        self.competition, self.scratch = competition, scratch
        self.twin_problems: list[Problem] = []
        scratch.mkdir()
        self.answers: Any = load_answers(competition.answers, competition.text_columns)
        self.sample = read_csv(competition.sample_submission, text=competition.text_columns)

    @property
    def file(self) -> Path:
        """The file that the grader is written in, as far as that is known."""
        return self.competition.declaration.folder / "competition.py"

    def grade(self, path: Path) -> Graded:
        """What the grader says to a file."""
        grader = self.competition.grader
        try:
            return Graded(grader.raw_score(self._read(path), self.answers.copy()))
        except CrashedGradingError as crash:
            return Graded(refusal=str(crash), crashed=crash.error_text, place=crash.in_code)
        except GraderError as error:
            first = error.__cause__ or error  # which does not name the place yet
            return Graded(refusal=str(error), crashed=error_text(first), place=place_of(first, grader.grade_fn))
        except InvalidSubmissionError as refusal:
            return Graded(refusal=str(refusal))

    def _read(self, path: Path) -> pd.DataFrame:
        return read_submission(path, text_columns=self.competition.text_columns)

    def grade_table(self, name: str, table: pd.DataFrame) -> Graded:
        """The same with a table."""
        path = self.scratch / f"{name}.csv"
        table.to_csv(path, index=False)
        return self.grade(path)

    @cached_property
    def graded(self) -> dict[str, Graded]:
        """How the answers, the answers in the wrong rows, the sample and the twin's examples are graded."""
        graded = {_SAMPLE: self.grade(self.competition.sample_submission)}
        perfect = self.perfect()
        if perfect is not None:
            graded[_ANSWERS] = self.grade_table("answers", perfect)
            if len(perfect) > 1:
                graded["the answers in the wrong rows"] = self.grade_table("moved", _moved(perfect))
        for path in self._twin_examples():
            graded[_NAMES.get(path.stem, f"the example {path.stem}")] = self.grade(path)
        return graded

    def _twin_examples(self) -> list[Path]:
        if self.competition.declaration.raw_fn is not None or not has_twin(self.competition):
            return []
        try:
            return write_submissions(self.competition, self.scratch / "examples")
        except MlebenchError as error:
            file = self.competition.declaration.folder / "twin.py"
            self.twin_problems = [placed(str(error), "Correct the twin.", file, r"^(def )?submissions\b")]
            return []

    @property
    def fails(self) -> bool:
        """Whether the grader fails on the sample submission: then it fails on whatever is tried, and says no more."""
        return self.graded[_SAMPLE].crashed is not None

    def asks_for(self, column: str) -> bool:
        """Whether the grader misses a column; some samples have more of them than are asked for."""
        return self.grade_table("without", self.sample.drop(columns=column)).score is None

    @cached_property
    def broken(self) -> list[_Broken]:
        """Submissions that are broken in one way each."""
        return list(_broken(self))

    def problem(self, what: str, advice: str, place: str | None = None, pattern: str = r"\.grade\b") -> Problem:
        """A problem in the grader: at the place that an error names, or else where a pattern is found."""
        if place is not None:
            return Problem(what, advice, *at_place(place))
        return Problem(what, advice, self.file, line_with(self.file, pattern))

    def crashes(self, graded: Mapping[str, Graded]) -> list[Problem]:
        """Where the grader fails instead of refusing; those that fail alike are one problem."""
        alike: dict[tuple[str, str | None], list[str]] = {}
        for name, found in graded.items():
            if found.crashed:
                alike.setdefault((found.crashed, found.place), []).append(name)
        return [
            replace(
                self.problem(
                    f"Grading {names[0]}{f' and {len(names) - 1} more' if names[1:] else ''} fails with {words}.",
                    "Refuse it: use aligned and the other rules of the kit, or raise InvalidSubmissionError.",
                    place,
                ),
                never_excused=True,
            )
            for (words, place), names in alike.items()
        ]

    def perfect(self) -> pd.DataFrame | None:
        """The answers in the form of a submission, if they have its columns."""
        if not hasattr(self.answers, "columns") or not set(self.sample.columns) <= set(self.answers.columns):
            return None
        table: pd.DataFrame = self.answers[list(self.sample.columns)]
        return table


def examples_graded(examples: Examples) -> Judgement:
    """The answers are valid, and what a twin shows as examples is scored or refused with a sentence."""
    problems = examples.crashes(examples.graded) + examples.twin_problems
    perfect = examples.graded.get(_ANSWERS)
    if perfect is not None and perfect.refusal and not perfect.crashed:
        what = f"The answers themselves are refused: {perfect.refusal}"
        problems.append(examples.problem(what, "A perfect submission must be valid."))
    return judged(problems, f"{len(examples.graded)} tried")


def answers_score_best(examples: Examples) -> Judgement:
    """No example scores better than the answers, and not every one the same."""
    scored = {name: graded.score for name, graded in examples.graded.items() if graded.score is not None}
    best = scored.pop(_ANSWERS, None)
    if best is None:
        return not_applicable("the answers are not in the form of a submission, and no twin shows a perfect one")
    better = examples.competition.declaration.better
    sign = 1 if better == "higher" else -1
    problems = [
        examples.problem(
            f"With {name} the score is {score:.6g}, with the answers themselves {best:.6g}, but {better} is better.",
            "Declare the right metric or `better`, or correct the grader.",
            pattern=r"better\s*=|metric\s*=",
        )
        for name, score in scored.items()
        if sign * score > sign * best + _CLOSE
    ]
    if len(scored) > 1 and all(score == best for score in scored.values()):
        what = f"Every submission scores {best:.6g}, right or wrong."
        problems.append(examples.problem(what, "Compare the predictions with the answers."))
    return judged(problems, f"they score {best:.6g}")


def _moved(table: pd.DataFrame) -> pd.DataFrame:
    """The predictions one row further, the ids where they were."""
    import numpy as np

    first = table.columns[0]
    moved = table.iloc[np.roll(np.arange(len(table)), 1)].reset_index(drop=True)
    return moved.assign(**{first: table[first].to_numpy()})


def broken_refused(examples: Examples, kind: BrokenKind) -> Judgement:
    """Submissions that are broken in one way each are refused with a sentence."""
    tried = {f"a submission {broken.what}": broken for broken in examples.broken if broken.kind == kind}
    if not tried:
        return not_applicable("the sample submission has no such values")
    graded = {name: examples.grade(broken.path) for name, broken in tried.items()}
    problems = examples.crashes(graded) + [
        examples.problem(f"{name[0].upper()}{name[1:]} is accepted and scores {found.score:.6g}.", tried[name].advice)
        for name, found in graded.items()
        if found.score is not None
    ]
    return judged(problems, f"{len(tried)} tried")


@dataclass(frozen=True)
class _Broken:
    kind: BrokenKind
    what: str
    path: Path
    advice: str


def _broken(examples: Examples) -> Iterator[_Broken]:
    sample, scratch = examples.sample, examples.scratch
    pairing = "Pair rows with `aligned`, which checks columns, rows and ids."
    reading = "Read predictions with `probabilities`, `numbers`, `one_of` or another rule of the kit."

    def written(name: str, table: pd.DataFrame) -> Path:
        path = scratch / f"broken_{name}.csv"
        table.to_csv(path, index=False)
        return path

    first = next(str(name) for name in sample.columns if not str(name).startswith("Unnamed: "))
    yield _Broken("incomplete", f"without the column {first}", written("id", sample.drop(columns=first)), pairing)
    yield _Broken("incomplete", f"with no column but {first}", written("only_id", sample[[first]]), pairing)
    yield _Broken("incomplete", "without its first row", written("row", sample.iloc[1:]), pairing)
    yield _Broken("incomplete", "with a header and no rows", written("header", sample.iloc[:0]), pairing)
    (scratch / "broken_empty.csv").write_bytes(b"")
    yield _Broken("incomplete", "without a single byte", scratch / "broken_empty.csv", pairing)
    if len(sample) > 1 and sample[first].is_unique:
        twice = written("twice", _with(sample, first, sample[first].iloc[1]))
        yield _Broken("incomplete", "with an id twice", twice, pairing)
    asked = (name for name in reversed(_numeric(sample, examples.answers, first)) if examples.asks_for(name))
    for column in islice(asked, 1):
        yield _Broken("values", f"with a word in {column}", written("word", _with(sample, column, _WORD)), reading)
        yield _Broken("values", f"with an empty cell in {column}", written("nan", _with(sample, column, None)), reading)


def _numeric(sample: pd.DataFrame, answers: Any, ids: str) -> list[str]:
    """The columns of predictions that are numbers or truth values, in the sample and in the answers."""
    tables = [sample, answers] if hasattr(answers, "columns") else [sample]
    found = []
    for name in sample.columns.drop(ids):
        columns = [table[name] for table in tables if name in table.columns]
        if all(column.dtype.kind in "iufb" and column.notna().all() for column in columns):
            found.append(str(name))
    return found


def _with(table: pd.DataFrame, column: str, value: Any) -> pd.DataFrame:
    """The table with another value in the first row of a column."""
    with plain_strings():
        return table.assign(**{column: [value, *table[column].tolist()[1:]]})
