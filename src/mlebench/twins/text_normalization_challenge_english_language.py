"""Twin of text-normalization-challenge-english-language."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mlebench.twins.text_normalization import Token, corpus, spelled, submissions, write_raw

__all__ = ["make", "submissions"]

DIGITS = "zero one two three four five six seven eight nine".split()
WORDS = "the of quick brown fox station Brillantaisia plant naïve café don't o'clock São".split()
# Tokens that pandas reads as missing, or that look like numbers.
AWKWARD: list[Token] = [
    ("PLAIN", "null", "null"),
    ("PLAIN", "NA", "NA"),
    ("LETTERS", "NaN", "n a n"),
    ("VERBATIM", "∞", "infinity"),
    ("PLAIN", "None", "None"),
    ("DIGIT", "007", "o o seven"),
    ("DECIMAL", "-1.50", "minus one point five o"),
    ("PLAIN", " spaced ", " spaced "),
    ("PUNCT", '""', '""'),
    ("PLAIN", "nan", "nan"),
]


def _token(rng: np.random.Generator) -> Token:
    kind, n = rng.integers(0, 14), int(rng.integers(1, 3000))
    if kind < 6:
        word = str(rng.choice(WORDS))
        return "PLAIN", word, word
    if kind == 6:
        mark = str(rng.choice([".", ",", '"', "'", "(", "—", ";"]))
        return "PUNCT", mark, mark
    day, year, said = n % 28 + 1, 1900 + n % 120, spelled(n, DIGITS)
    special: list[Token] = [
        ("CARDINAL", str(n), said),
        ("DATE", f"{day} March {year}", f"the {spelled(day, DIGITS)} of march {spelled(year, DIGITS)}"),
        ("LETTERS", "U.S.", "u s"),
        ("MEASURE", f"{n} km", f"{said} kilometers"),
        ("MONEY", f"${n},000.50", f"{said} thousand dollars, fifty cents"),
        ("VERBATIM", "&", "and"),
        ("ELECTRONIC", f'http://x.org/a?b="{n}"', f"h t t p {said}"),
    ]
    return special[kind - 7]


def make(raw: Path, seed: int, scale: int) -> None:
    """Write the training corpus and Kaggle's own test files, which preparation does not use."""
    rng = np.random.default_rng(seed)
    train, test = corpus(rng, 260 * scale, _token, AWKWARD), corpus(rng, 8, _token, AWKWARD)
    write_raw(raw, "en", train, test)
