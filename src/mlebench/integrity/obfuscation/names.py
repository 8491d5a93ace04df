"""The names that must not be told to an agent that works on an obfuscated competition, and where they still are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mlebench.competition.description import name_pattern
from mlebench.competition.local import LocalCompetition

_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_PART = re.compile(r"\s+[-–—]\s+|:\s+|\s*[()/]\s*")  # what separates the parts of a title
_LEAST_WORDS = 3  # of a part of a title that is a name by itself


@dataclass(frozen=True)
class Told:
    """A name in something that an agent can read."""

    name: str
    place: str
    line: int

    def __str__(self) -> str:
        return f"{self.place}:{self.line} tells {self.name}"


def forbidden_names(competition: LocalCompetition) -> tuple[str, ...]:
    """Title, id, host, sponsor, data set, authors and Kaggle: what would tell which competition this is."""
    declaration = competition.declaration
    parts = [part for part in _PART.split(competition.name) if len(part.split()) >= _LEAST_WORDS]
    names = [competition.id, competition.name, declaration.folder.name, *parts, "Kaggle", *declaration.hidden_names]
    return tuple(dict.fromkeys(names))


def told_names(texts: Mapping[str, str], names: Iterable[str]) -> list[Told]:
    """Where texts (by the place that an agent reads them at) tell one of these names."""
    patterns = [(name, name_pattern(name)) for name in names]
    return [
        Told(name, place, text.count("\n", 0, found.start()) + 1)
        for place, text in texts.items()
        for name, pattern in patterns
        for found in pattern.finditer(text)
    ]


def prose(description: str) -> str:
    """A description without code, where the names of files and columns are; lines keep their numbers."""
    return _CODE.sub(lambda found: "\n" * found[0].count("\n"), description)


def code(description: str) -> str:
    """What is code in a description: names of files and columns, values, and the example of a submission."""
    return "\n".join(_CODE.findall(description))


def names_within(text: str, names: Iterable[str]) -> list[str]:
    """The names that are part of a text, also of a longer word in it: `nybg` in `nybg2020`."""
    plain = _plain(text)
    return [name for name in names if _plain(name) in plain]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
