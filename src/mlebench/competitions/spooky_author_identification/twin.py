"""Twin of spooky-author-identification: nonsense sentences with words that give the author away."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.competitions.spooky_author_identification.competition import AUTHORS, SHARES
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

FAVOURITES = {
    "EAP": ["bird", "chamber", "door", "tapping", "nevermore", "purloined", "letter"],
    "HPL": ["Cthulhu", "eldritch", "cyclopean", "R'lyeh", "æther", "nameless"],
    "MWS": ["creature", "Geneva", "misery", "Elizabeth", "glacier", "père"],
}
COMMON = ["the", "a", "of", "and", "I", "was", "it", "that,", "upon;", "with", "night"]


def _sentence(rng: np.random.Generator, author: str, row: int) -> str:
    words = list(rng.choice(COMMON, rng.integers(3, 12)))
    words += list(rng.choice(FAVOURITES[author], rng.integers(1, 4)))
    rng.shuffle(words)
    text = " ".join(words) + "."
    awkward = {3: f'"{text}" he said, ""twice""', 7: f" {text} ", 11: f"{text} — naïve 𝔛", 13: "1845"}
    return awkward.get(row % 40, text)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled sentences, and Kaggle's own test sentences, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n, m = 420 * scale, 10
    authors = rng.choice(AUTHORS, n + m, p=[0.4, 0.29, 0.31])
    held_out = np.random.RandomState(0).permutation(n)[: -(-n // 10)]
    authors[held_out[:3]] = AUTHORS  # each author is in what becomes the test part
    ids = [f"id{number:05d}" for number in rng.choice(99999, n + m, replace=False)]
    texts = [_sentence(rng, author, row) for row, author in enumerate(authors)]
    sentences = pd.DataFrame({"id": ids, "text": texts, "author": authors})
    train, test = sentences[:n], sentences[n:]
    tables = {
        "train": train.to_csv(index=False, quoting=csv.QUOTE_ALL),
        "test": test.drop(columns="author").to_csv(index=False, quoting=csv.QUOTE_ALL),
        "sample_submission": test[["id"]].assign(**SHARES).to_csv(index=False),
    }
    for name, text in tables.items():
        zip_members(raw / f"{name}.zip", [(f"{name}.csv", text.encode("utf-8"))])


def _guess(case: Case) -> Any:
    mixed = case.rng.dirichlet([1, 1, 1], case.n) + 0.8 * case.truth.to_numpy()
    return mixed / mixed.sum(axis=1, keepdims=True)


FIRST_ROWS = {
    "sum_edge_in": (0.5, 0.25, 0.2500108),  # accepted
    "sum_edge_out": (0.5, 0.25, 0.2500112),  # refused
    "out_of_range": (1.2, -0.3, 0.1),
    "nan_normalised": (np.nan, 0.5, 0.5),
}


def _special(case: Case) -> dict[str, Any]:
    noisy, truth = case.noisy, case.truth.to_numpy()
    return {
        "column_order": noisy[["id", "MWS", "EAP", "HPL"]],
        "id_last": noisy[[*AUTHORS, "id"]],  # refused
        "certain_and_wrong": np.concatenate([np.roll(truth[:4], 1, axis=1), truth[4:]]),  # clipped
        "sum_within": noisy.round(5),
        **{name: np.array([row, *case.guess.to_numpy()[1:]]) for name, row in FIRST_ROWS.items()},
        "not_normalised": case.guess / 2,
        "wrong_id_column": noisy.rename(columns={"id": "ID"}),
        "unknown_id": Cell("id99999x", column="id"),
    }


submissions = Submissions(
    guess=_guess,
    usual=Usual(twice=None, wrong_column=("HPL", "HP"), extra={"note": 0.0}),
    cells={"text": "yes"},
    variants=["repeated_id"],
    special=_special,
)
