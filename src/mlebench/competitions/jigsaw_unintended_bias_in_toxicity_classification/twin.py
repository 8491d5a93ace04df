"""Twin of jigsaw-unintended-bias-in-toxicity-classification: insults and identities each have a word of their own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.submissions import Case, Submissions, Usual

IDENTITIES = [
    "male", "female", "transgender", "other_gender", "heterosexual", "homosexual_gay_or_lesbian", "bisexual",
    "other_sexual_orientation", "christian", "jewish", "muslim", "hindu", "buddhist", "atheist", "other_religion",
    "black", "white", "asian", "latino", "other_race_or_ethnicity", "physical_disability",
    "intellectual_or_learning_disability", "psychiatric_or_mental_illness", "other_disability",
]  # fmt: skip
# The nine identities that count, and how comments mention them.
MENTIONS = {
    "male": "man",
    "female": "woman",
    "homosexual_gay_or_lesbian": "gay",
    "christian": "church",
    "jewish": "jewish",
    "muslim": "muslim",
    "black": "black",
    "white": "white",
    "psychiatric_or_mental_illness": "mental",
}
SUBTYPES = ["severe_toxicity", "obscene", "sexual_explicit", "identity_attack", "insult", "threat"]
INSULTS = ["idiot", "stupid", "garbage", "pathetic", "ridiculous", "liar"]
HARMLESS = [
    "thanks", "agree", "interesting", "article", "council", "budget", "café", "naïve", "well-said", "state's",
]  # fmt: skip
ODD = [
    'He said "no", twice.', "Line one\nline two\n\nline four", "crlf\r\nline", "NA", "null", "  padded  ",
    "日本語 \U0001f600 ok", "a,b,c", "''quoted''", '"', "12345", "tab\there",
]  # fmt: skip


def _toxicity(rng: np.random.Generator, n: int) -> NDArray[np.float64]:
    toxic = rng.random(n) < 0.35
    high = rng.uniform(0.5, 1, n)
    low = rng.uniform(0, 0.5, n) * (rng.random(n) < 0.6)
    toxicity: NDArray[np.float64] = np.where(toxic, high, low).round(6)
    toxicity[:4] = [0.5, 0.4999999999999999, 1 / 3, 1.0]  # on both sides of the limit, and just below it
    return toxicity


def _identities(rng: np.random.Generator, rated: NDArray[np.bool_]) -> dict[str, NDArray[np.float64]]:
    """The share of raters who see each identity in each comment; missing where nobody was asked."""
    n = len(rated)
    shares = {}
    for identity in IDENTITIES:
        mentioned = rng.random(n) < (0.18 if identity in MENTIONS else 0.03)
        high = rng.choice([0.5, 0.6, 0.75, 1.0], n)
        low = rng.choice([0, 0, 0, 0.1, 0.25, 1 / 6], n)
        shares[identity] = np.where(rated, np.where(mentioned, high, low), np.nan)
    return shares


def _texts(
    rng: np.random.Generator, toxicity: NDArray[np.float64], identities: Mapping[str, NDArray[np.float64]]
) -> list[str]:
    texts = []
    for number, toxic in enumerate(toxicity >= 0.5):
        words = list(rng.choice(HARMLESS, rng.integers(3, 9)))
        if toxic:
            words += list(rng.choice(INSULTS, rng.integers(1, 3)))
        words += [word for identity, word in MENTIONS.items() if identities[identity][number] >= 0.5]
        rng.shuffle(words)
        texts.append(" ".join(words))
    texts[5 : 5 + 2 * len(ODD) : 2] = ODD
    return texts


def _date(rng: np.random.Generator) -> str:
    limits = ((1, 9), (10, 28), (0, 9), (100000, 999999))
    month, day, hour, fraction = (rng.integers(*each) for each in limits)
    return f"2017-0{month}-{day} 0{hour}:29:08.{fraction}+00"


def _comments(rng: np.random.Generator, n: int, first_id: int, target: str) -> pd.DataFrame:
    """Comments with their ratings, in the order of columns of the test files; `target` names the toxicity."""
    toxicity = _toxicity(rng, n)
    rated = rng.random(n) < 0.85
    identities = _identities(rng, rated)
    columns: dict[str, Any] = {
        "id": first_id + np.arange(n) * 3,
        "comment_text": _texts(rng, toxicity, identities),
        "created_date": [_date(rng) for _ in range(n)],
        "publication_id": rng.integers(2, 60, n),
        "parent_id": np.where(rng.random(n) < 0.4, np.nan, rng.integers(500_000, 6_000_000, n)),
        "article_id": rng.integers(2000, 400_000, n),
        "rating": rng.choice(["approved", "rejected"], n),
    }
    for reaction, limit in {"funny": 3, "wow": 2, "sad": 4, "likes": 30, "disagree": 9}.items():
        columns[reaction] = rng.integers(0, limit, n)
    columns[target] = toxicity
    for subtype in SUBTYPES:
        columns[subtype] = (toxicity * rng.random(n)).round(6)
    columns |= identities
    columns["identity_annotator_count"] = np.where(rated, rng.integers(4, 11, n), 0)
    columns["toxicity_annotator_count"] = rng.integers(4, 80, n)
    return pd.DataFrame(columns)


def _as_in_train(comments: pd.DataFrame) -> pd.DataFrame:
    """The training table has the ratings first, the identities in alphabetical order and one subtype far behind."""
    subtypes = [subtype for subtype in SUBTYPES if subtype != "sexual_explicit"]
    first = ["id", "target", "comment_text", *subtypes, *sorted(IDENTITIES)]
    last = ["sexual_explicit", "identity_annotator_count", "toxicity_annotator_count"]
    return comments[[*first, *comments.columns.difference([*first, *last], sort=False), *last]]


def make(raw: Path, seed: int, scale: int) -> None:
    """Write training comments, Kaggle's private test comments in random order, and public ones, which are not used."""
    rng = np.random.default_rng(seed)
    train = _as_in_train(_comments(rng, 400 * scale, 59848, "target"))
    private = _comments(rng, 260 * scale, 7_000_000, "toxicity").sample(frac=1, random_state=seed)
    public = _comments(rng, 40, 7_097_321, "toxicity")
    train.to_csv(raw / "train.csv", index=False)
    private.to_csv(raw / "test_private_expanded.csv", index=False)
    public.to_csv(raw / "test_public_expanded.csv", index=False)
    public[["id", "comment_text"]].to_csv(raw / "test.csv", index=False)
    public[["id"]].assign(prediction=0.0).to_csv(raw / "sample_submission.csv", index=False)


def _special(case: Case) -> dict[str, Any]:
    ids, truth, guess = case.answers[["id"]], case.truth, case.guess
    return {
        "perfect_toxicity_column": ids.assign(toxicity=truth),
        "answers_file": case.full,
        "both_columns": ids.assign(toxicity=truth, prediction=truth),
        # Right but for two identities, whose mention counts as toxic.
        "biased": truth.mask((case.full["muslim"] >= 0.5) | (case.full["black"] >= 0.5), 0.97),
        "rank_above_half": 0.5 + truth / 2,  # a perfect ranking, all toxic
        "inverted": 1 - truth.mask(truth == 0.5, 0.6),  # each AUC is 0
        "out_of_range": np.where(guess >= 0.5, 7.25, -3.0),  # accepted
        "booleans": guess >= 0.5,
        "text": ["abc", *truth.astype(str)[1:]],
        "nan": truth.mask(truth >= 0.8),  # they count as harmless
    }


submissions = Submissions(
    perfect=lambda case: case.full[["id"]].assign(prediction=case.full["toxicity"]),
    guess=lambda case: np.where(case.rng.random(case.n) < 0.2, 1 - case.truth, case.truth),
    usual=Usual(unknown=1, wrong_column="score", no_id="Id"),
    constants={"constant_half": 0.5},
    variants=["one_row"],
    special=_special,
)
