"""Twin of jigsaw-toxic-comment-classification-challenge: small talk with a cue per kind of toxicity."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.competitions.jigsaw_toxic_comment_classification_challenge.competition import KINDS
from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_csv
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Scores of all sorts, changes among the rows that are not scored, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    truth = np.maximum(answers[KINDS].to_numpy(), 0)
    in_score = answers[KINDS].sum(axis=1).to_numpy() >= 0
    scored, unscored = np.flatnonzero(in_score), np.flatnonzero(~in_score)

    def table(values: NDArray[np.generic]) -> pd.DataFrame:
        return answers.assign(**{kind: values[:, column] for column, kind in enumerate(KINDS)})

    values = np.clip(truth * 0.3 + rng.random(truth.shape) * 0.7, 0, 1).round(6)
    noisy = table(values)

    def id_replaced(row: int, by: int) -> pd.DataFrame:
        return examples.with_cell(noisy, "id", noisy["id"].iloc[by], row)

    yield Example("perfect", table(truth), "the answers, 0 in the rows that are not scored")
    yield Example("answers", answers, "the answers themselves, -1 included")
    yield Example("sample", examples.table(prepared, "public/sample_submission.csv"), "the sample submission: 0.5")
    yield Example("noisy", noisy, "a plausible imperfect submission")
    yield examples.shuffled(noisy, seed)
    changed = table(np.where(in_score[:, None], values, 9.0))
    yield Example("unscored_changed", changed, "as noisy, 9 in the rows that are not scored: same score")
    yield Example("ties", noisy.round(1), "rounded to one decimal, many ties")
    yield Example("out_of_range", table(values * 40 - 7), "as noisy on another scale: same score")
    reordered = noisy[["id", *KINDS[::-1]]]
    yield Example("reordered_columns", reordered, "columns in reverse order: taken as they stand, so another score")
    yield Example("id_last", noisy[[*KINDS, "id"]], "as noisy, id as the last column")
    yield Example("extra_column", noisy.assign(remark=0.1), "a seventh column of numbers: refused")
    yield Example("extra_text_column", noisy.assign(comment_text="x"), "a column of text: refused")
    yield Example("constant_column", noisy.assign(threat=0), "one kind constant")
    yield Example("boolean", table(values > 0.5), "True and False instead of numbers")
    yield examples.missing_row(noisy)
    yield examples.extra_row(noisy)
    first, second, other, another = scored[3], scored[40], unscored[5], unscored[9]
    replaced = id_replaced(first, by=second)
    yield Example("duplicate_scored_id", replaced, "a scored id replaced by another: accepted, rows in between shift")
    replaced = id_replaced(first, by=other)
    yield Example("duplicate_unscored_id", replaced, "a scored id replaced by one that is not scored: refused")
    replaced = id_replaced(other, by=another)
    yield Example("duplicate_among_unscored", replaced, "an id that is not scored replaced by another: accepted")
    yield examples.unknown_id(noisy, "id", "x")
    yield examples.renamed(noisy, "threat", "Threat")
    yield Example("no_id", noisy.drop(columns="id"), "the column id is missing")
    for name, value, what in (("nan", None, "an empty prediction"), ("text", "yes", "a word")):
        yield Example(name, examples.with_cell(noisy, "toxic", value, first), f"{what} in a row that is scored")
        harmless = examples.with_cell(noisy, "toxic", value, other)
        yield Example(f"{name}_unscored", harmless, f"{what} in a row that is not scored: accepted")
    yield examples.header_only(noisy)
    yield examples.empty()
