"""Example submissions where every row has one probability per class and the answers are one-hot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example


@dataclass(frozen=True)
class Guess:
    """The answers, and probabilities that lean towards them."""

    answers: pd.DataFrame
    classes: list[str]
    probabilities: NDArray[np.float64]

    @classmethod
    def random(cls, rng: np.random.Generator, prepared: Path, classes: list[str]) -> Guess:
        """A guess at prepared data whose answers are private/test.csv."""
        answers = examples.table(prepared, "private/test.csv")
        truth = answers[classes].to_numpy()
        chance = rng.dirichlet(np.full(len(classes), 0.3), len(answers))
        mixed = chance * 0.6 + truth * 0.4 * rng.random((len(answers), 1))
        return cls(answers, classes, (mixed / mixed.sum(axis=1, keepdims=True)).round(9))

    @property
    def table(self) -> pd.DataFrame:
        """The guess as a submission."""
        return self.with_values(self.probabilities)

    def with_values(self, values: NDArray[Any]) -> pd.DataFrame:
        """Other values as a submission."""
        return self.answers[["id"]].join(pd.DataFrame(values, columns=self.classes))


def good_examples(guess: Guess, prepared: Path, seed: int) -> Iterator[Example]:
    """The truth, the sample, the guess, and probabilities at the limits of what is accepted."""
    yield Example("perfect", guess.answers, "the answers themselves, one-hot")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: the same probability for every class")
    yield Example("noisy", guess.table, "a plausible imperfect submission")
    yield examples.shuffled(guess.table, seed)
    truth = guess.answers[guess.classes].to_numpy()
    wrong = np.roll(truth, 1, axis=1)
    yield Example("wrong_onehot", guess.with_values(wrong), "certain and wrong everywhere: clipped")
    half = truth.astype(np.float64)
    half[: len(half) // 2] = np.roll(half[: len(half) // 2], 3, axis=1)
    yield Example("half_wrong_onehot", guess.with_values(half), "certain, wrong in the first half of the rows")
    tiny = np.full(truth.shape, 1e-20)
    tiny[:, 0] = 1
    yield Example("tiny", guess.with_values(tiny), "probabilities of 1e-20, far below the clipping")
    within = guess.with_values(guess.probabilities * (1 + 1.05e-5))
    yield Example("sum_within_tolerance", within, "rows sum to 1.0000105: accepted and not rescaled")


def bad_examples(guess: Guess, *, unknown: Any, column: str, new_column: str) -> Iterator[Example]:
    """Rows that are no distributions, wrong ids, and one of the class columns misnamed."""
    table = guess.table
    outside = guess.with_values(guess.probabilities * (1 + 1.2e-5))
    yield Example("sum_outside_tolerance", outside, "rows sum to 1.000012")
    yield Example("sum_two", guess.with_values(guess.probabilities * 2 * 0.9), "rows sum to 1.8: not rescaled")
    negative = guess.probabilities.copy()
    negative[0, :2] += [-0.5, 0.5]
    yield Example("negative", guess.with_values(negative), "a negative probability in a row that sums to 1")
    yield examples.missing_row(table)
    yield examples.extra_row(table)
    yield examples.duplicate_id(table, "id")
    yield examples.unknown_id(table, "id", unknown)
    yield examples.renamed(table, column, new_column)
    yield Example("no_id", table.drop(columns="id"), "the column id is missing")
    yield Example(
        "nan", examples.with_cell(table, guess.classes[4], None), "an empty cell; the row no longer sums to 1"
    )
    truth = guess.answers[guess.classes].to_numpy()
    other = guess.classes[(int(truth[0].argmax()) + 1) % len(guess.classes)]
    certain = guess.with_values(truth.astype(np.float64))
    yield Example(
        "nan_row_sum_one",
        examples.with_cell(certain, other, None),
        "an empty cell in a row whose others sum to 1",
    )
    yield Example("text", examples.with_cell(table, column, "high"), "a prediction that is not a number")
    yield examples.header_only(table)
    yield examples.empty()
