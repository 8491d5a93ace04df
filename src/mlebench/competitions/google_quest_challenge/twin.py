"""Twin of google-quest-challenge: questions of one line, rated higher the longer they and their answers are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.competitions.google_quest_challenge.competition import SPELLING, TARGETS
from mlebench.kit import random_split
from mlebench.twins.kit.submissions import Submissions, Usual, at

YES_OR_NO = np.array([0.0, 0.333333333333, 0.5, 0.666666666667, 1.0])
GRADED = np.array(
    [0.333333333333, 0.444444444444, 0.555555555556, 0.6, 0.777777777778, 0.888888888889, 0.933333333333, 1.0]
)
SITES = [
    ("stackoverflow.com", "STACKOVERFLOW"),
    ("physics.stackexchange.com", "SCIENCE"),
    ("english.stackexchange.com", "CULTURE"),
    ("askubuntu.com", "TECHNOLOGY"),
    ("cooking.stackexchange.com", "LIFE_ARTS"),
]
VERBS = ["fix", "cook", "prove", "spell", "choose"]
DOUBTS = ["or never", "really", "and why"]
# "NA" without an ending is a missing value to pandas.
ANSWERS = ["Just try", "See the manual;", "Étape 1 :", "NA"]
ENDINGS = ["", "\n<code>x</code>\n", " — it's “fine”."]


@dataclass(frozen=True)
class _Question:
    title: str
    body: str
    user: str
    user_page: str
    url: str
    category: str
    host: str


def _question(rng: np.random.Generator) -> _Question:
    host, category = SITES[int(rng.integers(len(SITES)))]
    return _Question(
        title=f'How to "{rng.choice(VERBS)}" a thing, quickly?',
        body=f"I have {rng.integers(99)} things.\n\nWhat now &gt; {rng.choice(DOUBTS)}?\n",
        user=f"user, {rng.integers(999)}",
        user_page=f"https://{host}/users/{rng.integers(9999)}",
        url=f"http://{host}/questions/{rng.integers(10**6)}/how-to",
        category=category,
        host=host,
    )


def _pairs(rng: np.random.Generator, n: int) -> pd.DataFrame:
    """Questions with an answer each; a quarter of them repeats the question before."""
    ids = np.cumsum(rng.integers(1, 4, n))
    rows: list[dict[str, Any]] = []
    asked: _Question | None = None
    for pair in ids:
        new = _question(rng)
        question = new if asked is None or rng.random() >= 0.25 else asked
        asked = question
        user = rng.integers(9999)
        rows.append(
            {
                "qa_id": pair,
                "question_title": question.title,
                "question_body": question.body,
                "question_user_name": question.user,
                "question_user_page": question.user_page,
                "answer": f"{rng.choice(ANSWERS)}{rng.choice(ENDINGS)}",
                "answer_user_name": f"name{user}",
                "answer_user_page": f"https://{question.host}/users/{user}",
                "url": question.url,
                "category": question.category,
                "host": question.host,
            }
        )
    return pd.DataFrame(rows)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write rated pairs and Kaggle's own four test pairs, which are not used.

    With an even seed no spelling question falls into the test part, so that preparation must fetch one.
    """
    rng = np.random.default_rng(seed)
    n = 300 * scale
    pairs = _pairs(rng, n + 4)
    quality = pairs["question_body"].str.len() % 7 / 7 + pairs["answer"].str.len() % 5 / 5
    for target in TARGETS:
        steps = YES_OR_NO if "_type_" in target or "multi" in target else GRADED
        rank = (quality + rng.random(len(pairs))).rank(pct=True).to_numpy()
        pairs[target] = steps[np.minimum((rank * len(steps)).astype(int), len(steps) - 1)]
    pairs[SPELLING] = 0.0
    train, test = random_split(np.arange(n), test_size=0.1)
    if seed % 2 == 0:
        spelling = rng.choice(train, 4, replace=False)
    else:
        spelling = np.append(rng.choice(train, 3, replace=False), test[1])
    pairs.loc[spelling, SPELLING] = [0.333333333333, 0.666666666667, 0.5, 1.0]
    unrated = pairs.tail(4)
    pairs.head(n).to_csv(raw / "train.csv", index=False)
    unrated.drop(columns=TARGETS).to_csv(raw / "test.csv", index=False)
    sample = unrated[["qa_id"]].assign(**dict.fromkeys(TARGETS, 0.00308))
    sample.to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: (case.truth * 0.5 + case.rng.random(case.truth.shape) * 0.5).round(3),
    usual=Usual(twice=None, wrong_column=(TARGETS[3], "x"), no_id_column="id", extra={"note": 1}, extra_of="perfect"),
    # All accepted: a word makes the whole column text, and ids are sorted, not matched.
    cells={"infinite": "inf", "text": "high", **at(column="qa_id", unknown_id=10**9, text_id="x")},
    variants=["ties"],
    special=lambda case: {
        "monotone": (np.exp(case.guess * 3) - 7).round(4),
        "inverted": 1 - case.truth,
        "two_values": (case.guess > case.guess.median()).astype(int),
        "column_order": case.noisy[[*TARGETS[::-1], "qa_id"]],
        "constant_column": case.noisy.assign(**{SPELLING: 0.5}),  # no correlation, so there is no score
        "constant": 0.5,
        "booleans": case.noisy.assign(**{TARGETS[0]: case.guess[TARGETS[0]] > 0.5}),
        "missing_column": case.answers.drop(columns=TARGETS[3]),
    },
)
