"""What the twins of the text normalisation challenges share: sentences of tokens with their spoken forms."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_csv
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Right, wrong and odd spoken forms; "lost" are the answers that pandas reads as missing values."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv", keep_default_na=False)
    sample = examples.table(prepared, "private/sample_submission.csv", keep_default_na=False)
    after = answers["after"]
    lost = after == ""
    yield Example("perfect", answers, "the answers themselves, lost tokens empty")
    yield Example("sample", sample, "the sample submission: the raw text")
    noisy = answers.assign(after=after.where(rng.random(len(answers)) >= 0.2, after + " x"))
    yield Example("noisy", noisy, "20% spoiled")
    yield examples.shuffled(noisy, seed)
    for name, word in (("lost_as_nan", "nan"), ("lost_as_na", "N/A"), ("lost_as_null", "null")):
        changed = answers.assign(after=after.mask(lost, word))
        yield Example(name, changed, f"{word} where the answer was lost as missing: still right")
    changed = answers.assign(after=after.mask(lost, "missing"))
    yield Example("lost_as_word", changed, "a word where the answer was lost as missing: wrong")
    yield Example("lower_case", answers.assign(after=after.str.lower()), "case matters")
    yield Example("stripped", answers.assign(after=after.str.strip()), "blanks at the ends matter")
    quoted = answers.to_csv(index=False, quoting=csv.QUOTE_ALL)
    yield Example("all_quoted", quoted, "every field quoted: accepted")
    reordered = noisy.assign(note=1)[["after", "note", "id"]]
    yield Example("extra_column", reordered, "a further column, another order: accepted")
    fives = pd.Series("5", index=answers.index).mask(lost, "")
    yield Example("numbers", answers.assign(after=fives), "numbers with gaps become floats; only the gaps can match")
    yield Example("all_empty", answers.assign(after=""), "every prediction empty: right where the answer was lost")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "id", "repeated_id")
    yield examples.renamed(answers, "after", "text")
    yield examples.renamed(answers, "id", "ID", "no_id")
    yield examples.unknown_id(answers, "id", "0_999")
    row = int(np.flatnonzero(~lost)[0])
    yield Example("nan", examples.with_cell(answers, "after", "", row), "an empty prediction: accepted, wrong")
    yield examples.empty()
