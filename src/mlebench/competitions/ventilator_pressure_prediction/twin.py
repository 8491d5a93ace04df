"""Twin of ventilator-pressure-prediction: breaths of thirty steps in which pressure follows the air let in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

STEPS = 30


def _breath(rng: np.random.Generator, number: int) -> pd.DataFrame:
    resistance, compliance = rng.choice([5, 20, 50]), rng.choice([10, 20, 50])
    time = np.cumsum(rng.uniform(0.06, 0.1, STEPS))
    time -= time[0]
    valve = rng.uniform(0, 40) * np.exp(-time * rng.uniform(0, 2)) + rng.normal(0, 0.5, STEPS)
    valve = np.clip(valve, 0, 100)
    valve[rng.random(STEPS) < 0.1] = 0
    expiring = time > 1
    air = np.cumsum(valve * np.diff(time, prepend=0))
    rising = 5 + air / compliance * 10 + resistance * valve / 100
    relaxed = 6 + rng.normal(0, 0.3, STEPS)
    pressure = np.where(expiring, relaxed, rising + rng.normal(0, 0.4, STEPS))
    pressure[rng.random(STEPS) < 0.02] *= -0.1
    return pd.DataFrame(
        {
            "breath_id": number,
            "R": resistance,
            "C": compliance,
            "time_step": time,
            "u_in": valve,
            "u_out": expiring.astype(int),
            "pressure": pressure,
        }
    )


def make(raw: Path, seed: int, scale: int) -> None:
    """Write breaths in no order of their numbers, and the first as Kaggle's own test set, which is not used."""
    rng = np.random.default_rng(seed)
    numbers = rng.choice(np.arange(1, 125 * scale), 60 * scale, replace=False)
    breaths = pd.concat([_breath(rng, number) for number in numbers], ignore_index=True)
    breaths.insert(0, "id", range(1, len(breaths) + 1))
    # Numbers that show how the prepared files write theirs: whole, tiny, and with more than ten digits.
    breaths.loc[[7, 8], "u_in"] = [100.0, 1.2345678901234e-07]
    breaths.loc[STEPS - 1, "pressure"] = 1234567.89012345
    breaths.to_csv(raw / "train.csv", index=False)
    first = breaths.head(STEPS)
    first.drop(columns="pressure").to_csv(raw / "test.csv", index=False)
    first[["id"]].assign(pressure=0).to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Pressures right and wrong in either phase of the breath, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    everything = examples.table(prepared, "private/test.csv")
    answers = everything[["id", "pressure"]]
    truth, expiring = answers["pressure"], everything["u_out"] == 1
    scored, unscored = int(np.flatnonzero(~expiring)[0]), int(np.flatnonzero(expiring)[0])

    def put(value: object, row: int) -> pd.DataFrame:
        return examples.with_cell(answers, "pressure", value, row)

    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: 0 everywhere")
    noisy = answers.assign(pressure=truth + rng.normal(0, 2, len(answers)))
    yield Example("noisy", noisy, "the answers with noise")
    yield examples.shuffled(noisy, seed)
    wrong = answers.assign(pressure=truth.mask(expiring, -999.0))
    yield Example("expiration_wrong", wrong, "wrong wherever the lung breathes out, which is not scored")
    wrong = answers.assign(pressure=truth.where(expiring, 0.0))
    yield Example("inspiration_wrong", wrong, "0 wherever the lung breathes in")
    yield Example("integers", answers.assign(pressure=truth.round().astype(int)), "rounded to whole numbers")
    yield Example("huge", answers.assign(pressure=1e6), "a million everywhere")
    yield Example("nan_unscored", put(None, unscored), "an empty prediction in a row that is not scored")
    yield Example("text_unscored", put("x", unscored), "a word in a row that is not scored: accepted")
    yield Example("text", put("x", scored), "a word in a row that is scored")
    yield Example("infinite", put("inf", scored), "an infinite prediction in a row that is scored")
    yield Example("float_ids", answers.astype({"id": float}), "ids written with .0")
    yield Example("extra_column", everything, "the answers with all their columns")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "id")
    yield examples.unknown_id(answers, "id", 10**9)
    yield Example("text_id", examples.with_first(answers, "id", "x"), "an id that is a word")
    yield examples.renamed(answers, "pressure", "p")
    yield examples.renamed(answers, "id", "row", "wrong_id_column")
    yield Example("nan", put(None, scored), "an empty prediction in a row that is scored")
    yield examples.empty()
