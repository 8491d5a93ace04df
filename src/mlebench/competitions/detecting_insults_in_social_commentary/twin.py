"""Twin of detecting-insults-in-social-commentary: harmless words, with a rude one in most of the insults."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.submissions import Cell, Submissions, Usual

RUDE = ["idiot", "moron", "clown", "loser", "pathetic", "clueless", "dimwit", "stupid"]
HARMLESS = [
    "weather", "thanks", "article", "agree", "election", "music", "game", "policy", "price", "coffee", "team",
    "quote",
]  # fmt: skip
ODD = [
    r"\xa0", r"\n", r"\\xc2\\xa0", r"\u2019s", "café", "naïve", "你好", "$1,000", "50%",
    "http://a.b/c?d=1&e=2", "''", ";-)", r"\\'",
]  # fmt: skip


def _date(rng: np.random.Generator) -> str:
    if rng.random() <= 0.2:
        return ""
    month, day, hour = rng.integers(1, 10), rng.integers(1, 29), rng.integers(0, 24)
    minute, second = rng.integers(0, 60), rng.integers(0, 60)
    return f"2012{month:02d}{day:02d}{hour:02d}{minute:02d}{second:02d}Z"


def _comment(rng: np.random.Generator, insult: int, number: int) -> str:
    words = list(rng.choice(HARMLESS, rng.integers(3, 14)))
    if insult ^ (rng.random() < 0.1):
        words.insert(rng.integers(0, len(words)), "you " + rng.choice(RUDE))
    if rng.random() < 0.5:
        words.insert(rng.integers(0, len(words)), rng.choice(ODD))
    if rng.random() < 0.15:
        words.insert(0, 'he said "really?", ok')
    return f'"{" ".join(words)} {number}"'  # the quotes belong to the text


def _comments(rng: np.random.Generator, count: int, first: int) -> pd.DataFrame:
    insults = rng.permutation(np.arange(count) % 4 == 0).astype(int)
    dates = [_date(rng) for _ in range(count)]
    texts = [_comment(rng, insult, number) for number, insult in enumerate(insults, first)]
    return pd.DataFrame({"Insult": insults, "Date": dates, "Comment": texts})


def make(raw: Path, seed: int, scale: int) -> None:
    """Write training and test comments, and the files of the verification stage, which are not used."""
    rng = np.random.default_rng(seed)
    n, m = 300 * scale, 160 * scale
    train, test = _comments(rng, n, 0), _comments(rng, m, n)
    train.loc[3, "Comment"] = "NA"  # would be read as missing, but train.csv is only copied
    test.loc[5, "Comment"] = '"a line break\nwithin the text, and a tab\there"'
    test.loc[6, "Comment"] = '"ends with a carriage return and newline\r\nhere"'
    for column in ("Insult", "Comment"):  # one comment twice, with the same label
        test.loc[7, column] = test.loc[11, column]
    test.loc[8, "Comment"] = "   plain text without surrounding quotes   "
    test.loc[9, "Comment"] = "12345"
    test["Usage"] = np.where(rng.random(m) < 0.5, "PublicTest", "PrivateTest")
    train.to_csv(raw / "train.csv", index=False, lineterminator="\r\n")
    test.to_csv(raw / "test_with_solutions.csv", index=False, quoting=csv.QUOTE_NONNUMERIC)
    verification = _comments(rng, 20 * scale, n + m)
    labelled = verification.assign(Usage="PrivateTest").reset_index(names="id")
    labelled.to_csv(raw / "impermium_verification_labels.csv", index=False)
    for name in ("impermium_verification_set.csv", "test.csv"):
        verification.drop(columns="Insult").reset_index(names="id").to_csv(raw / name, index=False)
    verification.assign(Insult=0).to_csv(raw / "sample_submission_null.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Those of edition v2 are by number, those of v1 by the text of the comment."""
    sample = pd.read_csv(prepared / "public" / "sample_submission_null.csv", nrows=0)
    return (_by_number if "id" in sample else _by_comment)(prepared, seed)


_by_number = Submissions(
    targets=["Insult"],
    sample="public/sample_submission_null.csv",
    answers="private/test.csv",
    guess=lambda case: np.clip(case.truth * 0.3 + case.rng.random(case.n) * 0.7, 0, 1),
    usual=Usual("noisy", unknown=-1, wrong_column="Score", no_id="ID", extra={"Usage": "x"}),
    cells={"above_one": 1.0001, "below_zero": Cell(-0.2, row=-1), "text": "yes"},
)
_by_comment = Submissions(
    id="Comment",
    targets=["Insult"],
    sample="public/sample_submission_null.csv",
    answers="private/gold_submission.csv",
    perfect=lambda case: case.full,
    guess=lambda case: np.clip(case.truth * 0.3 + case.rng.random(case.n) * 0.7, 0, 1),
    usual=Usual("noisy", unknown="something else", wrong_column="Score", no_id=None, extra={"Usage": "x"}),
    cells={"above_one": 1.0001, "below_zero": Cell(-0.2, row=-1), "text": "yes"},
    variants=["ties", "inverted", "boolean", "header_only"],
    special=lambda case: {
        "no_date": case.noisy[["Comment", "Insult"]],
        "stripped": case.noisy.assign(Comment=case.noisy["Comment"].str.strip('" ')),
        "blank_comment": Cell(None, column="Comment"),
    },
)
