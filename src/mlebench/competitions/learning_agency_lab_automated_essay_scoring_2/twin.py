"""Twin of learning-agency-lab-automated-essay-scoring-2: better essays are longer and use longer words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.submissions import Submissions, Usual

MARKS = range(1, 7)
SHARES = [0.08, 0.27, 0.36, 0.22, 0.05, 0.02]
PLAIN = "I think that it is good because people like it and they can do many things with a car or not".split()
LEARNED = [
    "consequently", "furthermore", "electoral", "advocates", "atmosphere", "significance", "constitute",
    "beneficial", "therefore", "hypothesis",
]  # fmt: skip
NUMBERLIKE = ["000d118", "0000123", "00e1234", "1e00567"]  # ids that must not be read as numbers
ODD = [
    'He said, "it\'s 50%"', "dear sir,\r\n\r\nI disagree", "café – naïve “quote” \U0001f600", "NA", "null",
    " lead and trail ", "a,b;c\td", "\xa0nbsp\xa0",
]  # fmt: skip


def _essay(rng: np.random.Generator, mark: int, separator: str) -> str:
    length = int(8 * mark + rng.integers(0, 10))
    words = [str(rng.choice(LEARNED if rng.random() < 0.08 * mark else PLAIN)) for _ in range(length)]
    half = length // 2
    return " ".join(words[:half]) + separator + " ".join(words[half:])


def make(raw: Path, seed: int, scale: int) -> None:
    """Write marked essays, and the first three as Kaggle's own test set, which is not used."""
    rng = np.random.default_rng(seed)
    n = 400 * scale
    marks = rng.choice(MARKS, n, p=SHARES)
    marks[: len(MARKS)] = MARKS  # every mark occurs
    ids, texts = [], []
    for number, mark in enumerate(marks):
        ids.append(f"{rng.integers(0, 16**7):07x}")
        texts.append(_essay(rng, mark, separator=".\n\n" if number % 3 else ". "))
    ids[: len(NUMBERLIKE)] = NUMBERLIKE
    texts[10 : 10 + 3 * len(ODD) : 3] = ODD
    essays = pd.DataFrame({"essay_id": ids, "full_text": texts, "score": marks}).drop_duplicates("essay_id")
    essays.to_csv(raw / "train.csv", index=False)
    shown = essays.head(3)
    shown[["essay_id", "full_text"]].to_csv(raw / "test.csv", index=False)
    shown[["essay_id"]].assign(score=3).to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: (case.truth + case.rng.choice([-1, 0, 0, 0, 1, 2], case.n)).clip(1, 6),
    usual=Usual(cells="perfect", unknown="zzzzzzz", wrong_column="Score", no_id="id"),
    constants={"constant": 3},
    each={"reversed": lambda mark: 7 - mark},
    variants=["one_row", "header_only"],
    special=lambda case: {
        "whole_floats": case.guess.astype(float),
        "fractions": case.guess + 0.3,  # refused
        "out_of_range": case.guess.replace(3, 30),  # accepted, one place above 6
        "few_labels": np.where(case.guess <= 2, 1, 6),
        "zero_based": case.guess - 1,
        "text": ["three", *case.guess[1:]],
        "all_text": "s" + case.guess.astype(str),
    },
)
