"""Twin of text-normalization-challenge-english-language."""

from __future__ import annotations

from pathlib import Path

from mlebench.competitions.families.text_normalization_twin import Language, Token, spelled, submissions, write_raw

__all__ = ["make", "submissions"]

DIGITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
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


def _special(n: int) -> list[Token]:
    day, year, said = n % 28 + 1, 1900 + n % 120, spelled(n, DIGITS)
    return [
        ("CARDINAL", str(n), said),
        ("DATE", f"{day} March {year}", f"the {spelled(day, DIGITS)} of march {spelled(year, DIGITS)}"),
        ("LETTERS", "U.S.", "u s"),
        ("MEASURE", f"{n} km", f"{said} kilometers"),
        ("MONEY", f"${n},000.50", f"{said} thousand dollars, fifty cents"),
        ("VERBATIM", "&", "and"),
        ("ELECTRONIC", f'http://x.org/a?b="{n}"', f"h t t p {said}"),
    ]


ENGLISH = Language(
    code="en",
    words=[
        "the",
        "of",
        "quick",
        "brown",
        "fox",
        "station",
        "Brillantaisia",
        "plant",
        "naïve",
        "café",
        "don't",
        "o'clock",
        "São",
    ],
    marks=[".", ",", '"', "'", "(", "—", ";"],
    awkward=AWKWARD,
    special=_special,
)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write sentences of words, marks and numbers."""
    write_raw(raw, seed, scale, ENGLISH)
