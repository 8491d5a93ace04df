"""Twin of us-patent-phrase-to-phrase-matching: targets that repeat more of the anchor the higher the score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Submissions, Usual

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


submissions = Submissions(
    read={"dtype": {"id": str}},
    guess=lambda case: case.truth + case.rng.normal(0, 0.25, case.n),
    usual=Usual(cells="perfect", wrong_column="similarity", wrong_id_column="ID"),
    cells={"infinite": np.inf, "text": "high"},
    each={"scaled": lambda x: x * 1e6 - 3, "negated": lambda x: -x, "booleans": lambda x: x > 0.4},
    variants=["swapped_columns"],
    special=lambda case: {
        "extra_column": case.answers.assign(note="x"),
        "random": case.rng.random(case.n),
        "rounded": (case.guess * 4).round() / 4,
        "integers": (case.guess * 4).round().astype(int),
        "near_constant": [0.5] * (case.n - 1) + [0.75],
        "numeric_ids": case.answers.assign(id=range(case.n)),
    },
)
