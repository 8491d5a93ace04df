"""What the names of files and columns still give away: with `--obfuscate`, and with `--rename` as well."""

from __future__ import annotations

import os
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mlebench.competition.description import Named, named_files
from mlebench.competition.local import LocalCompetition
from mlebench.integrity.obfuscation.names import forbidden_names, names_within
from mlebench.renaming.choosing import FORMAT, candidates, choose_renaming
from mlebench.renaming.words import is_neutral, split_count, split_suffixes, words

# Why a name stays, beside the reasons of a renaming: it stands for many items, or it is a word in names of items.
PATTERN, ITEM = "pattern", "item"
_PLACEHOLDER = re.compile(r"<[^>]+>|\*")
_LEAST_LETTERS = 4  # of a word of a title that counts as telling
_ITEM_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z][A-Za-z]{2,}[A-Za-z0-9]*")
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")
_LEAST_ITEMS, _LEAST_SHARE = 3, 0.2  # names beside each other, and how many of them must share a word


@dataclass(frozen=True)
class Leftover:
    """A name that says something about its competition; `hidden` are the forbidden names that it has in it."""

    name: str
    hidden: tuple[str, ...] = ()
    reason: str = ""  # why it stays with --rename


@dataclass(frozen=True)
class Leftovers:
    """The telling names of a competition, the most telling first: those in sight, and those that a renaming keeps."""

    obfuscated: tuple[Leftover, ...]
    renamed: tuple[Leftover, ...]


def telling_names(competition: LocalCompetition, description: str) -> tuple[Leftover, ...]:
    """The names of files and columns in a description that say something about the competition.

    Counted columns (`x1`, `x2`) are one name.
    """
    found = candidates(description)
    names = {_without_count(name) for name in found.columns | found.fixed} | found.files | set(_patterns(description))
    return _ordered(competition, ((name, "") for name in names if not is_neutral(_PLACEHOLDER.sub(" ", name))))


def leftovers(competition: LocalCompetition, description: str, public: Path) -> Leftovers:
    """What the names of a competition's public data give away."""
    declaration = competition.declaration
    sample = None if declaration.private_sample is not None else declaration.sample
    renaming = choose_renaming(description, public, sample=sample)
    found = candidates(description)
    items = item_words(public, [*renaming.files, *found.files], forbidden_names(competition))
    kept = {**dict.fromkeys(items, ITEM), **dict.fromkeys(found.fixed, FORMAT), **renaming.kept}
    kept |= dict.fromkeys(_patterns(description), PATTERN)
    by_name = {name if name in found.files else _without_count(name): reason for name, reason in kept.items()}
    telling = ((name, reason) for name, reason in by_name.items() if not is_neutral(_PLACEHOLDER.sub(" ", name)))
    return Leftovers(telling_names(competition, description), _ordered(competition, telling))


def item_words(public: Path, named: Iterable[str], forbidden: Iterable[str]) -> set[str]:
    """The words that names of items share, or that have a forbidden name in them: `ISIC` of `ISIC_0052212.jpg`.

    `named` are names that a description gives, which are no items. Members of zip archives are items too.
    """
    known, forbidden = set(named), tuple(forbidden)
    found: set[str] = set()
    for names in _beside_each_other(public):
        stems = {split_suffixes(name)[0] for name in names} - known
        counts: Counter[str] = Counter()
        for stem in stems:
            counts.update({word for word in _ITEM_WORD.findall(stem) if not _HEXADECIMAL.fullmatch(word)})
        for word, count in counts.items():
            is_shared = len(stems) >= _LEAST_ITEMS and count >= max(_LEAST_ITEMS, _LEAST_SHARE * len(stems))
            if (is_shared or names_within(word, forbidden)) and not is_neutral(word):
                found.add(word)
    return found


def _beside_each_other(public: Path) -> Iterator[set[str]]:
    """The names in each folder, and in each folder of each zip archive."""
    for parent, folders, names in os.walk(public):
        yield {*folders, *names}
        for name in names:
            if name.lower().endswith(".zip") and zipfile.is_zipfile(Path(parent, name)):
                with zipfile.ZipFile(Path(parent, name)) as archive:
                    members = [PurePosixPath(member) for member in archive.namelist()]
                yield {member.name for member in members}


def _ordered(competition: LocalCompetition, names: Iterable[tuple[str, str]]) -> tuple[Leftover, ...]:
    """Names with a forbidden one in them first, then those with a word of the title, then the others."""
    forbidden = forbidden_names(competition)
    title = {word for word in words(competition.name) if len(word) >= _LEAST_LETTERS}

    def order(leftover: Leftover) -> tuple[bool, bool, str]:
        return not leftover.hidden, title.isdisjoint(words(leftover.name)), leftover.name.lower()

    found = (Leftover(name, tuple(names_within(name, forbidden)), reason) for name, reason in names)
    return tuple(sorted(found, key=order))


def _without_count(name: str) -> str:
    base, count = split_count(name)
    return f"{base}<number>" if count else name


def _patterns(description: str) -> Iterator[str]:
    """The names that stand for many items and have telling words in them, such as `ISIC_<number>`."""
    for path in _paths(named_files(description)):
        for part in PurePosixPath(path).parts:
            stem = split_suffixes(part)[0]
            if _PLACEHOLDER.search(stem) and not is_neutral(_PLACEHOLDER.sub(" ", stem)):
                yield stem


def _paths(named: Iterable[Named]) -> Iterator[str]:
    for file in named:
        yield file.name
        yield from _paths(inside for inside in file.inside if "/" in inside.name or "." in inside.name)
