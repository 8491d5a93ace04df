"""Twin of learning-agency-lab-automated-essay-scoring-2: better essays are longer and use longer words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Marks of all sorts, marks outside of the scale, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")[["essay_id", "score"]]
    truth = answers["score"]
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: random marks")
    guess = (truth + rng.choice([-1, 0, 0, 0, 1, 2], len(answers))).clip(1, 6)
    noisy = answers.assign(score=guess)
    yield Example("noisy", noisy, "half of the marks right, the others off by one or two")
    yield examples.shuffled(noisy, seed)
    yield Example("constant", answers.assign(score=3), "the same mark for all: kappa is 0")
    yield Example("reversed", answers.assign(score=7 - truth), "6 for 1 and 1 for 6: kappa is negative")
    yield Example("whole_floats", answers.assign(score=guess.astype(float)), "as noisy, marks written with .0")
    yield Example("fractions", answers.assign(score=guess + 0.3), "marks between the marks: refused")
    outside = answers.assign(score=guess.replace(3, 30))
    yield Example("out_of_range", outside, "30 in place of 3: accepted, one place above 6")
    two = answers.assign(score=np.where(guess <= 2, 1, 6))
    yield Example("few_labels", two, "no other marks than 1 and 6")
    yield Example("zero_based", answers.assign(score=guess - 1), "all marks one too low")
    words = guess.astype(str)
    yield Example("text", answers.assign(score=["three", *words[1:]]), "one mark written as a word")
    yield Example("all_text", answers.assign(score="s" + words), "all marks written as words")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "essay_id")
    yield Example("one_row", answers.head(1), "a single row")
    yield examples.header_only(answers)
    yield examples.renamed(answers, "score", "Score")
    yield examples.renamed(answers, "essay_id", "id", "no_id")
    yield examples.unknown_id(answers, "essay_id", "zzzzzzz")
    yield Example("nan", examples.with_cell(answers, "score", None), "an empty prediction")
    yield examples.empty()
