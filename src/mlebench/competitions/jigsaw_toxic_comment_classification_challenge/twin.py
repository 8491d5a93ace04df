"""Twin of jigsaw-toxic-comment-classification-challenge: small talk with a cue per kind of toxicity."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.competitions.jigsaw_toxic_comment_classification_challenge.competition import KINDS
from mlebench.twins.kit.archives import zip_csv
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual, at

CUES = ["rubbish", "RUBBISH!!!", "bleep", "will find you", "idiot", "those people"]
RATES = [0.3, 0.1, 0.2, 0.08, 0.2, 0.1]
WORDS = [
    "article", "edit", "source", "page", "talk", "revert", "please", "Wikipedia", "thanks", "image",
    "deleted", "why", "history",
]  # fmt: skip
ODD = [
    '"quoted, text"', "== Heading ==", "\n\n", "\t", "café", "Русский", "😀", "(UTC)", ";", "'''bold'''",
    "\r\n", "~~~~", "1,234.50", "\\n", "|",
]  # fmt: skip


def _comment(rng: np.random.Generator, labels: NDArray[np.int64]) -> str:
    words = list(rng.choice(WORDS, rng.integers(3, 15)))
    for cue, label in zip(CUES, labels, strict=True):
        if label ^ (rng.random() < 0.04):
            words.insert(rng.integers(0, len(words)), cue)
    for _ in range(rng.integers(0, 3)):
        words.insert(rng.integers(0, len(words)), rng.choice(ODD))
    return " ".join(words)


def _comments(rng: np.random.Generator, ids: Sequence[str]) -> pd.DataFrame:
    labels = np.array([rng.random(len(ids)) < rate for rate in RATES]).T.astype(int)
    labels[:30] = np.arange(30)[:, None] % 7 > np.arange(6)  # every kind occurs, and is absent, at least once
    comments = pd.DataFrame({"id": ids, "comment_text": [_comment(rng, row) for row in labels]})
    comments[KINDS] = labels
    return comments.sort_values("id", ignore_index=True)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled comments and test comments, of which about 40 % are not scored."""
    rng = np.random.default_rng(seed)
    n, m = 260 * scale, 200 * scale
    ids = rng.permutation(sorted({rng.bytes(8).hex() for _ in range(n + m)})).tolist()
    train, test = _comments(rng, ids[:n]), _comments(rng, ids[n:])
    train.loc[4, "comment_text"] = "null"  # pandas takes this word, "NA" and "nan" for missing values
    test.loc[[3, 9, 12], "comment_text"] = ["NA", "nan", "  leading and trailing blanks  "]
    test.loc[15, "comment_text"] = "0012"
    unscored = rng.random(m) < 0.4
    unscored[:8] = [1, 0, 0, 1, 1, 0, 1, 0]
    labels = test[["id", *KINDS]].copy()
    labels.loc[unscored, KINDS] = -1
    zip_csv(raw / "train.csv.zip", train, quoting=csv.QUOTE_NONNUMERIC)
    zip_csv(raw / "test.csv.zip", test[["id", "comment_text"]], quoting=csv.QUOTE_NONNUMERIC)
    zip_csv(raw / "test_labels.csv.zip", labels)
    zip_csv(raw / "sample_submission.csv.zip", test[["id"]].assign(**dict.fromkeys(KINDS, 0.5)))


def _special(case: Case) -> dict[str, Any]:
    """Examples that differ in the rows that are scored, or in those that are not."""
    noisy, values = case.noisy, case.guess.to_numpy()
    in_score = case.full[KINDS].sum(axis=1).to_numpy() >= 0
    scored, unscored = np.flatnonzero(in_score), np.flatnonzero(~in_score)
    first, second, other, another = scored[3], scored[40], unscored[5], unscored[9]

    return {
        "answers": case.full,  # -1 in the rows that are not scored
        "unscored_changed": np.where(in_score[:, None], values, 9.0),  # the score of noisy
        "ties": noisy.round(1),
        "out_of_range": values * 40 - 7,  # the score of noisy
        "reordered_columns": noisy[["id", *KINDS[::-1]]],  # taken as they stand, so another score
        "id_last": noisy[[*KINDS, "id"]],
        "extra_text_column": noisy.assign(comment_text="x"),
        "constant_column": noisy.assign(threat=0),
        "duplicate_scored_id": Cell(case.ids[second], first, "id"),  # accepted, rows in between shift
        "duplicate_unscored_id": Cell(case.ids[other], first, "id"),  # refused
        "duplicate_among_unscored": Cell(case.ids[another], other, "id"),  # accepted
        **at(first, nan=None, text="yes"),
        **at(other, nan_unscored=None, text_unscored="yes"),  # accepted
    }


submissions = Submissions(
    perfect=lambda case: case.full.assign(**case.full[KINDS].clip(lower=0)),
    guess=lambda case: np.clip(case.truth * 0.3 + case.rng.random(case.truth.shape) * 0.7, 0, 1).round(6),
    usual=Usual("noisy", twice=None, wrong_column=("threat", "Threat"), no_id=None, extra={"remark": 0.1}),
    variants=["boolean", "header_only"],
    special=_special,
)
