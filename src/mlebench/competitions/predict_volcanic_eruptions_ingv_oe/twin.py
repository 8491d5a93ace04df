"""Twin of predict-volcanic-eruptions-ingv-oe: tremor that grows as the eruption comes near."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Case, Cell, Submissions, Text, Usual

ID, TARGET = "segment_id", "time_to_eruption"
SENSORS = [f"sensor_{number}" for number in range(1, 11)]
SAMPLES = 15  # rows of a segment; the real ones have 60,001
UNKNOWN = 2**31 + 5


def _segment(rng: np.random.Generator, strength: float) -> pd.DataFrame:
    """Readings with single gaps; in three of ten segments one sensor is silent."""
    readings = np.round(rng.normal(0, 100 + strength, (SAMPLES, len(SENSORS)))).clip(-32767, 32767)
    readings[rng.random(readings.shape) <= 0.03] = np.nan
    if rng.random() < 0.3:
        readings[:, int(rng.integers(len(SENSORS)))] = np.nan
    return pd.DataFrame(readings, columns=SENSORS)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled segments, and a few of Kaggle's own test segments, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n = 85 * scale
    ids = rng.choice(2**31 - 1, n + 3, replace=False)
    ids[0] = 7  # ids have no fixed number of digits
    times = rng.integers(6250, 49046087, n)
    times[1] = 0
    (raw / "train").mkdir()
    (raw / "test").mkdir()
    for segment, time in zip(ids[:n], times, strict=True):
        _segment(rng, 2000 * (1 - time / 5e7)).to_csv(raw / f"train/{segment}.csv", index=False)
    for segment in ids[n:]:
        _segment(rng, 500).to_csv(raw / f"test/{segment}.csv", index=False)
    pd.DataFrame({ID: ids[:n], TARGET: times}).to_csv(raw / "train.csv", index=False)
    pd.DataFrame({ID: ids[n:], TARGET: 0}).to_csv(raw / "sample_submission.csv", index=False)


def _rows_twice(case: Case) -> dict[str, Any]:
    """Rows given twice are accepted, and all of them count."""
    again = case.answers.head(1).assign(**{TARGET: case.truth + 1000 * case.n})
    surplus = pd.DataFrame({ID: [UNKNOWN], TARGET: [0]})
    return {
        "extra_row": pd.concat([case.answers, again]),
        "all_twice": pd.concat([case.noisy, case.answers]),
        "surplus_id": pd.concat([case.answers, surplus]),  # refused
    }


submissions = Submissions(
    guess=lambda case: case.truth + case.rng.normal(0, 2e6, case.n),
    usual=Usual(cells="perfect", unknown=UNKNOWN, wrong_column="t", wrong_id_column="id"),
    cells={"text": "soon", "infinite": "inf", "text_id": Cell("x", column=ID)},
    constants={"huge": 1e9},
    each={
        "half_even": lambda time: time + 2.5,  # the score is the even neighbour, 2
        "half_odd": lambda time: time - 3.5,  # the score is the even neighbour, 4
        "half_zero": lambda time: time + 0.5,  # the score is 0, as if perfect
        "quarter": lambda time: time + 7.75,  # the score is 8
        "negative": lambda time: -time,
    },
    special=lambda case: {
        **_rows_twice(case),
        "scientific": Text(case.noisy.to_csv(index=False, float_format="%.6e")),
        "float_ids": case.answers.astype({ID: float}),
        "swapped_columns": case.noisy[[TARGET, ID]],
        "extra_column": case.answers.assign(note="x"),
    },
)
