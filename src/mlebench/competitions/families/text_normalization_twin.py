"""What the twins of the text normalisation challenges share: sentences of tokens with their spoken forms."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from mlebench.files.tables import read_csv
from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_csv
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Text, Usual

Token: TypeAlias = tuple[str, str, str]  # class, written form, spoken form


@dataclass(frozen=True)
class Language:
    """What a language is made of; `special` returns the seven tokens that can be made with a number."""

    code: str
    words: Sequence[str]
    marks: Sequence[str]
    awkward: Sequence[Token]
    special: Callable[[int], Sequence[Token]]


def spelled(number: int, digits: Sequence[str]) -> str:
    """A number digit by digit, in words."""
    return " ".join(digits[int(digit)] for digit in str(number))


def write_raw(raw: Path, seed: int, scale: int, language: Language) -> None:
    """Write the training corpus, and Kaggle's own two-stage test files, which preparation does not use."""
    rng = np.random.default_rng(seed)
    train, test = _corpus(rng, 260 * scale, language), _corpus(rng, 8, language)
    quoting = csv.QUOTE_NONNUMERIC
    zip_csv(raw / f"{language.code}_train.csv.zip", train, quoting=quoting)
    ids = test["sentence_id"].astype(str) + "_" + test["token_id"].astype(str)
    sample = pd.DataFrame({"id": ids, "after": test["before"]})
    for stage in ("", "_2"):
        columns = ["sentence_id", "token_id", "before"]
        zip_csv(raw / f"{language.code}_test{stage}.csv.zip", test[columns], quoting=quoting)
        zip_csv(raw / f"{language.code}_sample_submission{stage}.csv.zip", sample, quoting=quoting)


def _corpus(rng: np.random.Generator, sentences: int, language: Language) -> pd.DataFrame:
    """Sentences of random tokens; each awkward token stands at least once in what becomes the test part."""
    awkward = language.awkward
    held_out = np.random.RandomState(0).permutation(sentences)[: -(-sentences // 10)]
    planned = {int(sentence): each for sentence, each in zip(held_out, awkward, strict=False)}
    rows: list[tuple[int, int, str, str, str]] = []
    for sentence in range(sentences):
        tokens = [_token(rng, language) for _ in range(int(rng.integers(2, 12)))]
        if sentence in planned or sentence % 5 == 1:
            odd = planned.get(sentence, awkward[sentence // 5 % len(awkward)])
            tokens.insert(int(rng.integers(0, len(tokens))), odd)
        number = sentence + sentence // 50  # some sentence numbers are skipped
        rows += [(number, position, *each) for position, each in enumerate(tokens)]
    return pd.DataFrame(rows, columns=["sentence_id", "token_id", "class", "before", "after"])


def _token(rng: np.random.Generator, language: Language) -> Token:
    kind, number = int(rng.integers(0, 14)), int(rng.integers(1, 3000))
    if kind < 6:
        word = str(rng.choice(language.words))
        return "PLAIN", word, word
    if kind == 6:
        mark = str(rng.choice(language.marks))
        return "PUNCT", mark, mark
    return language.special(number)[kind - 7]


def _special(case: Case) -> dict[str, Any]:
    """Answers that pandas reads as missing values are lost: they are empty, and missing values are right for them."""
    lost = case.truth == ""
    words = {"lost_as_nan": "nan", "lost_as_na": "N/A", "lost_as_null": "null", "lost_as_word": "missing"}
    return {
        "sample": read_csv(case.sample, keep_default_na=False),
        **{name: case.truth.mask(lost, word) for name, word in words.items()},
        "all_quoted": Text(case.answers.to_csv(index=False, quoting=csv.QUOTE_ALL)),  # accepted
        "extra_column": case.noisy.assign(note=1)[["after", "note", "id"]],  # accepted
        "numbers": np.where(lost, "", "5"),  # with gaps they become floats; only the gaps can match
        "repeated_id": examples.duplicate_id(case.answers, "id").content,
        "nan": Cell("", row=int(np.flatnonzero(~lost)[0])),  # accepted, wrong
    }


submissions = Submissions(
    sample="private/sample_submission.csv",
    read={"keep_default_na": False},
    guess=lambda case: case.truth.where(case.rng.random(case.n) >= 0.2, case.truth + " x"),
    usual=Usual(cells="perfect", unknown="0_999", twice=None, wrong_column="text", no_id="ID"),
    each={"stripped": str.strip},
    variants=["lower_case", "all_empty"],
    special=_special,
)
