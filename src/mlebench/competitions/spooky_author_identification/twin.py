"""Twin of spooky-author-identification: nonsense sentences with words that give the author away."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.competitions.spooky_author_identification.competition import AUTHORS, SHARES
from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, sums at the edge of the tolerance, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    truth = answers[AUTHORS].to_numpy()
    mixed = rng.dirichlet([1, 1, 1], len(answers)) + 0.8 * truth
    noisy = answers.assign(**dict(zip(AUTHORS, (mixed / mixed.sum(axis=1, keepdims=True)).T, strict=True)))

    def first_row(*values: float) -> pd.DataFrame:
        changed = noisy.copy()
        changed.loc[0, AUTHORS] = values
        return changed

    yield Example("perfect", answers, "the answers themselves, whole numbers")
    yield Example("sample", examples.table(prepared, "public/sample_submission.csv"), "the sample submission")
    yield Example("noisy", noisy, "the truth mixed with random probabilities")
    yield examples.shuffled(noisy, seed)
    yield Example("column_order", noisy[["id", "MWS", "EAP", "HPL"]], "as noisy, authors in another order")
    yield Example("id_last", noisy[[*AUTHORS, "id"]], "id as the last column: refused")
    wrong = answers.copy()
    wrong.loc[:3, AUTHORS] = np.roll(truth[:4], 1, axis=1)
    yield Example("certain_and_wrong", wrong, "probability 0 for the true author in four rows: clipped")
    yield Example("sum_within", noisy.round(5), "five decimals: sums are close enough to 1")
    yield Example("sum_edge_in", first_row(0.5, 0.25, 0.2500108), "one row sums to 1.0000108: accepted")
    yield Example("sum_edge_out", first_row(0.5, 0.25, 0.2500112), "one row sums to 1.0000112: refused")
    halved = noisy.assign(**{author: noisy[author] / 2 for author in AUTHORS})
    yield Example("not_normalised", halved, "rows sum to 0.5")
    yield Example("out_of_range", first_row(1.2, -0.3, 0.1), "a row that sums to 1 with values outside [0, 1]")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(noisy, "id", "repeated_id")
    yield examples.renamed(answers, "HPL", "HP")
    yield examples.renamed(noisy, "id", "ID", "wrong_id_column")
    yield Example("extra_column", noisy.assign(note=0.0), "one more column: refused")
    yield examples.unknown_id(noisy, "id", "id99999x")
    yield Example("nan", examples.with_cell(noisy, "EAP", None), "an empty cell; the row no longer sums to 1")
    yield Example("nan_normalised", first_row(np.nan, 0.5, 0.5), "an empty cell in a row whose others sum to 1")
    yield Example("text", examples.with_cell(noisy, "EAP", "yes"), "a word among the predictions")
    yield examples.empty()
