"""Twin of us-patent-phrase-to-phrase-matching: targets that repeat more of the anchor the higher the score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

ANCHORS = [
    "abatement", "phase shifter", "metal oxide", "el display", "water tank", "carbon fibre", "TCP", "cell phone",
    "pivot arm", "lens", "gear", "speed control", "data bus", "null", "polymer, cross-linked", '3/4" valve',
    "β-glucan", "web page", "hull", "rotor",
]  # fmt: skip
MODIFIERS = ["inner", "outer", "of the", "mobile", "hybrid", "adaptive", "first", "low noise", "wet", "smart"]
SHARES = [0.2, 0.32, 0.34, 0.1, 0.04]  # of the scores 0, 0.25, 0.5, 0.75 and 1


def _target(rng: np.random.Generator, anchor: str, quarters: int) -> str:
    # All three are drawn whichever is used, so that every pair takes as many random numbers.
    unrelated, loose, narrower = (str(rng.choice(MODIFIERS)) for _ in range(3))
    phrases = [
        f"{unrelated} thing",
        f"{loose} {anchor.split()[0][:3]}",
        f"{narrower} {anchor}",
        f"{anchor}s",
        anchor,
    ]
    return phrases[quarters]


def make(raw: Path, seed: int, scale: int) -> None:
    """Write scored pairs, and the first nine of them as Kaggle's own test set, which is not used."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(400 * scale):
        anchor, quarters = str(rng.choice(ANCHORS)), int(rng.choice(5, p=SHARES))
        target = _target(rng, anchor, quarters)
        if quarters < 2 and number % 29 == 3:
            target = "NA"  # which pandas takes for a missing value
        name = f"{rng.integers(2**63):016x}"
        context = f"{rng.choice(list('ABCDEFGH'))}{rng.integers(1, 99):02d}"
        rows.append((name, anchor, target, context, quarters / 4))
    pairs = pd.DataFrame(rows, columns=["id", "anchor", "target", "context", "score"])
    pairs.loc[5, "id"] = "0000000000000123"  # digits only: must not be read as a number
    pairs.to_csv(raw / "train.csv", index=False)
    pairs.drop(columns="score").head(9).to_csv(raw / "test.csv", index=False)
    pairs[["id"]].head(9).assign(score=0).to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Scores on all sorts of scales, predictions without a correlation, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv", dtype={"id": str})[["id", "score"]]
    n, truth = len(answers), answers["score"]
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: constant, so there is no correlation")
    noisy = answers.assign(score=truth + rng.normal(0, 0.25, n))
    yield Example("noisy", noisy, "the answers with noise, some of them below 0 or above 1: accepted")
    yield examples.shuffled(noisy, seed)
    yield Example("scaled", answers.assign(score=truth * 1e6 - 3), "on another scale: still perfect")
    yield Example("negated", answers.assign(score=-truth), "the worst there is")
    yield Example("random", answers.assign(score=rng.random(n)), "nothing but chance")
    quarters = (noisy["score"] * 4).round()
    yield Example("rounded", answers.assign(score=quarters / 4), "as noisy, rounded to quarters")
    yield Example("integers", answers.assign(score=quarters.astype(int)), "as rounded, counted in quarters")
    yield Example("near_constant", answers.assign(score=[0.5] * (n - 1) + [0.75]), "the same but for one row")
    yield Example("booleans", answers.assign(score=truth > 0.4), "True and False instead of numbers")
    yield Example("infinite", examples.with_first(answers, "score", np.inf), "an infinite prediction")
    yield Example("text", examples.with_first(answers, "score", "high"), "a prediction that is not a number")
    yield Example("extra_column", answers.assign(note="x"), "a further column: ignored")
    yield Example("swapped_columns", answers[["score", "id"]], "columns in another order")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "id")
    yield examples.unknown_id(answers, "id", "x")
    yield Example("numeric_ids", answers.assign(id=range(n)), "row numbers in place of the ids")
    yield examples.renamed(answers, "score", "similarity")
    yield examples.renamed(answers, "id", "ID", "wrong_id_column")
    yield Example("nan", examples.with_first(answers, "score", None), "an empty prediction")
    yield examples.empty()
