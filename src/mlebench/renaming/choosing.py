"""Deciding which names of a competition change, from its description and its public data.

Names that a description gives as they are can change; what stands for many (`<id>.png`) is made of values, and values
stay as they are, so that tables, files and submissions still fit together.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from mlebench.competition.description import Named, named_files
from mlebench.renaming.mapping import Renaming, path_components
from mlebench.renaming.tables import TABLES
from mlebench.renaming.values import names_among_values
from mlebench.renaming.words import is_neutral, neutral_words, split_count, split_suffixes

ARCHIVES = (".zip", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz", ".zst")
VALUE, FORMAT = "value", "format"  # why a telling name stays
SAMPLE = "sample_submission"


@dataclass
class Candidates:
    """What a description names: files and folders without their endings, columns, and names that cannot change.

    `by_file` has the columns of each table.
    """

    files: set[str] = field(default_factory=set)
    fixed: set[str] = field(default_factory=set)
    by_file: dict[str, set[str]] = field(default_factory=dict)

    def add_path(self, named: Named) -> None:
        """Note a file or folder, and what is inside."""
        for part in PurePosixPath(named.name).parts:
            if not _is_pattern(part):
                self.files.add(split_suffixes(part)[0])
        suffixes = [suffix.lower() for suffix in PurePosixPath(named.name).suffixes]
        is_archive = bool(suffixes) and suffixes[-1] in ARCHIVES
        inner = next((suffix for suffix in reversed(suffixes) if suffix not in ARCHIVES), "")
        for inside in named.inside:
            if named.name.endswith("/") or (is_archive and _looks_like_path(inside.name)):
                self.add_path(inside)
            elif inner in TABLES:
                self.add_column(inside, self.by_file.setdefault(named.name, set()))
            else:
                self.add_column(inside, self.fixed)

    @property
    def columns(self) -> set[str]:
        """The columns of all tables."""
        return {name for names in self.by_file.values() for name in names}

    def columns_only_in(self, file: str) -> set[str]:
        """The columns of one table that no other one has."""
        others = {name for other, names in self.by_file.items() if other != file for name in names}
        return self.by_file.get(file, set()) - others

    def add_column(self, named: Named, to: set[str]) -> None:
        """Note a column or key, and the keys inside."""
        if not _is_pattern(named.name):
            to.add(named.name)
        for inside in named.inside:
            self.add_column(inside, to)


def _is_pattern(name: str) -> bool:
    return "<" in name or "*" in name


def _looks_like_path(name: str) -> bool:
    return "/" in name or _is_pattern(name) or bool(split_suffixes(name)[1])


def candidates(description: str) -> Candidates:
    """What a description names."""
    found = Candidates()
    for named in named_files(description):
        found.add_path(named)
    return found


def choose_renaming(description: str, public: Path, *, sample: str | None = None, seed: int = 0) -> Renaming:
    """The renaming of a competition; `sample` is the path of its sample submission below the public data.

    The same description, data and seed always give the same one.
    """
    found = candidates(description)
    files = {name for name in found.files if not is_neutral(name)}
    columns = {name for name in found.columns if not is_neutral(name)}
    sample_stem = split_suffixes(PurePosixPath(sample).name)[0] if sample else SAMPLE
    if sample_stem != SAMPLE and sample_stem in found.files:
        files.add(sample_stem)
    values = names_among_values(public, columns, files)
    predicted = found.columns_only_in(sample or f"{SAMPLE}.csv")
    if values & predicted:  # one column per label: no label may be missing only because the data has none of it
        values |= predicted & columns
    kept = dict.fromkeys((files | columns) & found.fixed, FORMAT) | dict.fromkeys(values, VALUE)
    paths = [path.relative_to(public).as_posix() for path in public.rglob("*")]
    taken = path_components(paths) | found.columns | found.fixed
    chosen = _numbered(files - kept.keys(), columns - kept.keys(), taken, seed)
    if sample_stem in chosen.files and SAMPLE not in taken:
        chosen = Renaming({**chosen.files, sample_stem: SAMPLE}, chosen.columns)
    return Renaming(chosen.files, chosen.columns, kept, seed)


def _numbered(files: Iterable[str], columns: Iterable[str], taken: set[str], seed: int) -> Renaming:
    """New names: neutral words and a number. Columns that are counted share one number and keep their counts."""
    bases_of = {name: split_count(name) for name in columns}
    shared = Counter(base for base, _ in bases_of.values())
    split = {name: base if shared[base[0]] > 1 else (name, "") for name, base in bases_of.items()}
    bases = {**{base: "column" for base, _ in split.values()}, **dict.fromkeys(files, "file")}
    order = sorted(bases, key=lambda base: hashlib.sha256(f"{seed}\0{base}".encode()).digest())
    new: dict[str, str] = {}
    number = 0
    for base in order:
        number += 1
        while (name := f"{neutral_words(base, bases[base])}_{number}") in taken:
            number += 1
        new[base] = name
    counted = {name: f"{new[base]}_{count}" if count else new[base] for name, (base, count) in split.items()}
    return Renaming({name: new[name] for name in files}, _with_files(counted, files, new))


def _with_files(columns: Mapping[str, str], files: Iterable[str], new: Mapping[str, str]) -> dict[str, str]:
    """A name that is a column's and a file's is renamed alike, since a description does not say which it means."""
    return {**columns, **{name: new[name] for name in files if name in columns}}
