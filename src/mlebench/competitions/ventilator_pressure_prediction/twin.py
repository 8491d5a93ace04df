"""Twin of ventilator-pressure-prediction: breaths of thirty steps in which pressure follows the air let in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual, at

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


def _special(case: Case) -> dict[str, Any]:
    """Where the lung breathes out, nothing is scored."""
    expiring = case.full["u_out"] == 1
    scored, unscored = int(np.flatnonzero(~expiring)[0]), int(np.flatnonzero(expiring)[0])
    return {
        "expiration_wrong": case.truth.mask(expiring, -999.0),
        "inspiration_wrong": case.truth.where(expiring, 0.0),
        **at(unscored, nan_unscored=None, text_unscored="x"),  # accepted
        **at(scored, text="x", infinite="inf", nan=None),
        "float_ids": case.answers.astype({"id": float}),
        "extra_column": case.full,
    }


submissions = Submissions(
    guess=lambda case: case.truth + case.rng.normal(0, 2, case.n),
    usual=Usual(cells="perfect", wrong_column="p", wrong_id_column="row"),
    cells={"text_id": Cell("x", column="id")},
    constants={"huge": 1e6},
    each={"integers": round},
    special=_special,
)
