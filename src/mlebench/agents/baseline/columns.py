"""Columns of tables as features: numbers, categories, times, compound values and texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pandas as pd

Matrix = NDArray[np.float32]

MOST_CATEGORIES = 30  # a column with more distinct values is not written out category by category
MOST_PARTS = 8  # of a compound value such as B/12/S or 2020-01-31
TEXT_WORDS = 4  # on average; columns with more are taken for prose
TEXT_TOPICS = 50
MOST_WORDS = 30_000
NEARLY_ALL = 0.95
_SEPARATORS = r"[/_\-:| ]"
_HUGE_EXPONENT = r"[eE][+-]?\d{6}"


@dataclass(frozen=True)
class Block:
    """Features of one kind; the training rows first, the test rows below them. `words` are sparse, one per word."""

    kind: str
    values: Matrix
    words: Any = None


def column_blocks(column: pd.Series[Any], train_rows: int, seed: int) -> Iterator[Block]:
    """The features of a column that has the training rows first."""
    if column.dtype.kind in "iufb":
        numbers = column.to_numpy(np.float64)
        # Moved to their middle before they lose digits: seconds since 1970 have more than 32 bits can hold.
        middle = np.nanmedian(numbers) if np.isfinite(numbers).any() else 0.0
        yield Block("numbers", (numbers - (middle if abs(middle) > 1e5 else 0.0)).astype(np.float32)[:, None])
        return
    known = column.dropna().astype(str)
    if known.nunique() <= MOST_CATEGORIES:
        text = column.astype(str).to_numpy()
        flags = [text == name for name in sorted(known.unique())] + [column.isna().to_numpy()]
        yield Block("categories", np.column_stack(flags).astype(np.float32))
        return
    parts = _compound_parts(column, known)
    if parts is not None:
        for name in parts:
            yield from column_blocks(parts[name], train_rows, seed)
        return
    text = column.astype(object).fillna("").astype(str)
    yield Block("text statistics", _text_statistics(text))
    if text.str.split().str.len().mean() >= TEXT_WORDS:
        yield from _words(text, train_rows, seed)


def as_numbers(texts: pd.Series[Any]) -> pd.Series[Any]:
    """Texts as numbers, NaN for what is none; pandas 2 ends the process on an exponent as in 1e77934828710379."""
    import pandas as pd

    return pd.to_numeric(texts.mask(texts.str.contains(_HUGE_EXPONENT, na=False)), errors="coerce")


def _compound_parts(column: pd.Series[Any], known: pd.Series[Any]) -> pd.DataFrame | None:
    """The parts of values such as B/12/S or 2020-01-31, if nearly all have the same number of parts."""
    counts = known.str.count(_SEPARATORS)
    usual = int(counts.mode().iloc[0])
    if not 1 <= usual < MOST_PARTS or (counts == usual).mean() < NEARLY_ALL:
        return None
    parts = known.str.split(_SEPARATORS, n=usual, expand=True, regex=True).reindex(column.index)
    for name in list(parts):
        numbers = as_numbers(parts[name])
        if numbers.notna().sum() >= NEARLY_ALL * parts[name].notna().sum():
            parts[name] = numbers
    return parts


def _text_statistics(text: pd.Series[Any]) -> Matrix:
    """Length, words, digits, capitals, punctuation, and how often the very same text occurs."""
    columns = [
        text.str.len(),
        text.str.split().str.len(),
        text.str.count(r"[0-9]"),
        text.str.count(r"[A-Z]"),
        text.str.count(r"[^\w\s]"),
        text.map(text.value_counts()),
    ]
    return np.column_stack([column.to_numpy(np.float32) for column in columns])


def _words(text: pd.Series[Any], train_rows: int, seed: int) -> Iterator[Block]:
    """Weighted counts of words, condensed to a few dozen directions; beside them words and their pairs as they are."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer

    pairs = TfidfVectorizer(
        min_df=2, max_features=MOST_WORDS, sublinear_tf=True, ngram_range=(1, 2), token_pattern=r"\b\w+\b",
        dtype=np.float32,
    )  # fmt: skip
    try:
        words = TfidfVectorizer(min_df=2, max_features=20_000, sublinear_tf=True).fit_transform(text)
        pairs.fit(text.iloc[:train_rows])
    except ValueError:  # no word occurs twice
        return
    if words.shape[1] <= TEXT_TOPICS:
        topics = words.toarray()
    else:
        topics = TruncatedSVD(TEXT_TOPICS, random_state=seed).fit_transform(words)
    yield Block("the words of texts", np.asarray(topics, dtype=np.float32), pairs.transform(text))
