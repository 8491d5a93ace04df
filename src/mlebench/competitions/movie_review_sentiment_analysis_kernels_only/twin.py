"""Twin of movie-review-sentiment-analysis-kernels-only: phrases of good, bad and neutral words."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.submissions import Submissions, Usual

Rating: TypeAlias = tuple[int, int, str, int]  # phrase, sentence, text, sentiment

LEVELS = ["negative", "somewhat negative", "neutral", "somewhat positive", "positive"]
GOOD = ["delightful", "moving", "fresh", "gem", "charming", "masterpiece"]
BAD = ["dull", "flat", "tedious", "mess", "hollow", "disaster"]
NEUTRAL = [
    "the film", "a story", "its cast", ", and", "... is", "`` quirky ''", "n't", "-LRB- the sequel -RRB-",
    'of "love"', "fiancé", "naïve plot", "'s", "50\\/50", "1,000 jokes", ";", "--",
]  # fmt: skip
# Phrases that pandas reads as missing, empty ones, numbers and quotes.
ODD = ["None", "null", "NA", "nan", "", '" quoted', "N/A", 'a ""double"" quote', "   ", "007", "1.50"]


def _ratings(rng: np.random.Generator, count: int, phrase: int, sentence: int) -> list[Rating]:
    ratings: list[Rating] = []
    for number in range(phrase, phrase + count):
        sentence += int(rng.random() < 0.2)
        words, sentiment = [], 2.0
        for _ in range(int(rng.integers(1, 8))):
            kind = rng.random()
            vocabulary, effect = (GOOD, 1) if kind < 0.25 else (BAD, -1) if kind < 0.5 else (NEUTRAL, 0)
            words.append(str(rng.choice(vocabulary)))
            sentiment += effect
        sentiment += rng.normal(0, 0.4)
        ratings.append((number, sentence, " ".join(words), int(np.clip(round(sentiment), 0, 4))))
    return ratings


def _write_tsv(path: Path, columns: list[str], rows: Iterable[Iterable[object]]) -> None:
    """A zipped table in which only phrases with quotes are quoted, even where pandas would quote more."""
    lines = ["\t".join(_quoted(str(cell)) for cell in row) for row in [columns, *rows]]
    zip_members(path, [(path.stem, "".join(f"{line}\n" for line in lines).encode("utf-8"))])


def _quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if '"' in cell else cell


def make(raw: Path, seed: int, scale: int) -> None:
    """Write rated phrases, and Kaggle's own test phrases, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n = 600 * scale
    train = _ratings(rng, n, 1, 1)
    for place, odd in enumerate(ODD):
        row = 7 + 13 * place
        train[row] = (*train[row][:2], odd, 2)
    test = _ratings(rng, n // 4, n + 1, train[-1][1] + 1)
    columns = ["PhraseId", "SentenceId", "Phrase", "Sentiment"]
    _write_tsv(raw / "train.tsv.zip", columns, train)
    _write_tsv(raw / "test.tsv.zip", columns[:3], (rating[:3] for rating in test))
    sample = pd.DataFrame({"PhraseId": [rating[0] for rating in test], "Sentiment": 2})
    sample.to_csv(raw / "sampleSubmission.csv", index=False)


submissions = Submissions(
    guess=lambda case: case.replaced(len(LEVELS), 0.35),
    usual=Usual(twice="first_row", unknown="x", wrong_column="Label", no_id="Id"),
    cells={"out_of_range": 9, "negative": -1, "one_word": "neutral"},  # just wrong; a word makes all wrong
    variants=["float_labels", "header_only"],
    special=lambda case: {
        "full_answers": case.full,
        "fractional": case.guess.astype(float).mask(case.guess.index < 5, case.guess + 0.4),
        "words": case.guess.map(dict(enumerate(LEVELS))),
    },
)
