"""Twin of predict-volcanic-eruptions-ingv-oe: tremor that grows as the eruption comes near."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Times of all sorts, errors of exact halves, ids given twice, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    times = answers[TARGET]
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: an eruption at once, everywhere")
    noisy = answers.assign(**{TARGET: times + rng.normal(0, 2e6, len(answers))})
    yield Example("noisy", noisy, "the answers with noise of two million")
    yield examples.shuffled(noisy, seed)
    for name, values, note in (
        ("half_even", times + 2.5, "off by 2.5: the score is the even neighbour, 2"),
        ("half_odd", times - 3.5, "off by 3.5: the score is the even neighbour, 4"),
        ("half_zero", times + 0.5, "off by 0.5: the score is 0, as if perfect"),
        ("quarter", times + 7.75, "off by 7.75: the score is 8"),
        ("negative", -times, "eruptions in the past"),
    ):
        yield Example(name, answers.assign(**{TARGET: values}), note)
    exponents = noisy.to_csv(index=False, float_format="%.6e")
    yield Example("scientific", exponents, "numbers with exponents, such as 1.234567e+07")
    yield Example("huge", answers.assign(**{TARGET: 1e9}), "later than any eruption")
    yield Example("float_ids", answers.astype({ID: float}), "ids with a decimal point")
    yield Example("extra_column", answers.assign(note="x"), "the answers with one more column")
    yield examples.columns_swapped(noisy, [TARGET, ID])
    again = answers.head(1).assign(**{TARGET: times + 1000 * len(answers)})
    yield Example("extra_row", pd.concat([answers, again]), "one id twice with two values: accepted, both count")
    yield Example("all_twice", pd.concat([noisy, answers]), "every id twice: accepted, all rows count")
    yield from _mistakes(answers)


def _mistakes(answers: pd.DataFrame) -> Iterator[Example]:
    yield Example("text", examples.with_cell(answers, TARGET, "soon"), "a prediction that is not a number")
    yield Example("infinite", examples.with_cell(answers, TARGET, "inf"), "an infinite prediction")
    yield examples.missing_row(answers)
    yield examples.duplicate_id(answers, ID)
    yield examples.unknown_id(answers, ID, UNKNOWN)
    surplus = pd.concat([answers, pd.DataFrame({ID: [UNKNOWN], TARGET: [0]})])
    yield Example("surplus_id", surplus, "all ids, and one that is not in the test set")
    yield Example("text_id", examples.with_cell(answers, ID, "x"), "a word as id")
    yield examples.renamed(answers, TARGET, "t")
    yield examples.renamed(answers, ID, "id", "wrong_id_column")
    yield Example("nan", examples.with_cell(answers, TARGET, None), "an empty prediction")
    yield examples.empty()
