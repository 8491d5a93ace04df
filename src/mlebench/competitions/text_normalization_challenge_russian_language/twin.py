"""Twin of text-normalization-challenge-russian-language."""

from __future__ import annotations

from pathlib import Path

from mlebench.competitions.families.text_normalization_twin import Language, Token, spelled, submissions, write_raw

__all__ = ["make", "submissions"]

DIGITS = ["ноль", "один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять"]
# Tokens that pandas reads as missing, or that look like numbers.
AWKWARD: list[Token] = [
    ("PLAIN", "null", "н_trans у_trans л_trans л_trans"),
    ("PLAIN", "NA", "н_trans а_trans"),
    ("VERBATIM", "N/A", "N/A"),
    ("PLAIN", "None", "None"),
    ("PLAIN", "nan", "nan"),
    ("DIGIT", "007", "ноль ноль семь"),
    ("DECIMAL", "-1,50", "минус один целая пять десятых"),
    ("PLAIN", " проб ", " проб "),
    ("PUNCT", '""', '""'),
    ("PLAIN", "n/a", "NULL"),
]


def _special(n: int) -> list[Token]:
    day, year, said = n % 28 + 1, 1900 + n % 120, spelled(n, DIGITS)
    return [
        ("CARDINAL", str(n), said),
        ("DATE", f"{day} марта {year}", f"{spelled(day, DIGITS)} марта {spelled(year, DIGITS)} года"),
        ("LETTERS", "США", "с ш а"),
        ("MEASURE", f"{n} км", f"{said} километров"),
        ("MONEY", f"{n},50 руб.", f"{said} рублей, пятьдесят копеек"),
        ("PLAIN", "Julius", "д_trans ж_trans у_trans л_trans и_trans у_trans с_trans"),
        ("ELECTRONIC", f'http://x.ru/a?b="{n}"', f"х т т п {said}"),
    ]


RUSSIAN = Language(
    code="ru",
    words=[
        "Производится",
        "в",
        "Азии",
        "ёлка",
        "архив",
        "из",
        "первоисточника",
        "что-то",
        "Проверено",
        "и",
        "на",
    ],
    marks=[".", ",", '"', "«", "(", "—", ";"],
    awkward=AWKWARD,
    special=_special,
)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write sentences of words, marks and numbers."""
    write_raw(raw, seed, scale, RUSSIAN)
