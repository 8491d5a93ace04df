"""Prepared twins as a stranger sees them who wants to plant a leak: ids, answers, the test table, one file per item.

Nothing here knows how the audit works. A twin is copied before anything in it is changed.
"""

from __future__ import annotations

import shutil
import string
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import Edition


class NotHereError(Exception):
    """A leak of this kind has no place in this competition."""


def need(condition: object, why: str = "no place for it") -> None:
    """Refuse a competition in which the leak cannot be planted."""
    if not condition:
        raise NotHereError(why)


def read(path: Path) -> pd.DataFrame:
    """A CSV file as it is written: texts."""
    return pd.read_csv(path, dtype=str, keep_default_na=False)


@dataclass
class Twin:
    """A copy of a prepared twin, and what its private answers say about each item to predict."""

    competition: LocalCompetition
    rng: np.random.Generator
    key: str
    target: str
    ids: list[str]
    answers: list[str]
    one_hot: bool
    placed: list[str] = field(default_factory=list)  # names of new files

    @property
    def public(self) -> Path:
        """The public folder."""
        return self.competition.public_dir

    @property
    def frame(self) -> pd.DataFrame:
        """Ids and answers under their own names."""
        return pd.DataFrame({self.key: self.ids, self.target: self.answers})

    @cached_property
    def numbers(self) -> NDArray[np.float64] | None:
        """The answers as numbers, where they are many different numbers."""
        try:
            values = np.array([float(answer) for answer in self.answers])
        except ValueError:
            return None
        return values if np.isfinite(values).all() and len(set(self.answers)) > 12 else None

    @cached_property
    def classes(self) -> list[str] | None:
        """The classes, most frequent first, where there are few."""
        counts = pd.Series(self.answers).value_counts()
        few = 2 <= len(counts) <= min(30, len(self.ids) // 3)
        return [str(name) for name in counts.index] if few and self.numbers is None else None

    def codes(self, least: int = 50) -> NDArray[np.int64]:
        """A small number per item that follows from the answer: its class, or the half that it is in."""
        need(len(self.ids) >= least, "too few items")
        if self.numbers is not None:
            found = (self.numbers > np.median(self.numbers)).astype(np.int64)
        else:
            need(self.classes is not None, "answers are neither classes nor numbers")
            assert self.classes is not None
            found = np.array([self.classes.index(answer) for answer in self.answers])
        most = np.bincount(found).max()
        need(len(found) - most >= 12, "nearly all answers are the same")
        return found

    def word(self, length: int = 7) -> str:
        """A random name that says nothing."""
        return "".join(self.rng.choice(list(string.ascii_lowercase), size=length))

    def place(self, ending: str) -> Path:
        """A new public file, at the top, in a folder, or in a hidden folder."""
        folder = self.public
        for _ in range(int(self.rng.integers(0, 3))):
            folder = folder / (str(self.rng.choice(["", "", "."])) + self.word(5))
        folder.mkdir(parents=True, exist_ok=True)
        self.placed.append(f"{self.word()}{ending}")
        return folder / self.placed[-1]

    @cached_property
    def sample(self) -> Path:
        """The sample submission, where agents can read it as it is."""
        path = self.competition.sample_submission
        need(path.is_relative_to(self.public), "the public sample submission is packed")
        return path

    @cached_property
    def test_table(self) -> Path:
        """A public CSV file with a row per item, not the sample submission."""
        for path in sorted(self.public.glob("*.csv")):
            if path == self.competition.sample_submission or self.key not in (table := read(path)):
                continue
            if set(self.ids) <= set(table[self.key]) and len(table) == len(self.ids):
                return path
        raise NotHereError("no test table")

    @cached_property
    def train_table(self) -> Path:
        """A public CSV file with the labels of train, in the column that is to be predicted."""
        wanted = {self.key, self.target}
        for path in sorted(self.public.glob("*.csv")):
            if path == self.competition.sample_submission or not wanted <= set((table := read(path)).columns):
                continue
            if not set(self.ids) & set(table[self.key]) and len(table) >= 40:
                return path
        raise NotHereError("no train table")

    @cached_property
    def files(self) -> dict[str, Path]:
        """The public file of each item, where each has exactly one."""
        by_name: dict[str, list[Path]] = {}
        for path in sorted(self.public.rglob("*")):
            if path.is_file():
                by_name.setdefault(path.name, []).append(path)
                if path.stem != path.name:
                    by_name.setdefault(path.stem, []).append(path)
        found = {item: by_name[item][0] for item in self.ids if len(by_name.get(item, ())) == 1}
        need(len(found) >= 0.95 * len(self.ids) and len(self.ids) >= 25, "no file per item")
        return found

    @cached_property
    def scans(self) -> dict[str, Path]:
        """A DICOM file of each item: its own, or the first below a folder with its name."""
        wanted, found = set(self.ids), dict[str, Path]()
        for path in sorted(self.public.rglob("*.dcm")):
            for name in (path.stem, *path.relative_to(self.public).parts[:-1]):
                if name in wanted:
                    found.setdefault(name, path)
        need(len(found) >= 0.9 * len(self.ids), "no scan per item")
        return found

    def code_of(self, least: int = 50) -> dict[str, int]:
        """The codes by id."""
        return dict(zip(self.ids, (int(code) for code in self.codes(least)), strict=True))

    def suffix(self, *endings: str) -> None:
        """Refuse a competition whose items are files of another format."""
        need(next(iter(self.files.values())).suffix.lower() in endings, "files of another format")


def _answers(competition: LocalCompetition) -> tuple[str, str, list[str], list[str], bool]:
    sample = read(competition.sample_submission)
    key, *targets = sample.columns
    need(sample[key].is_unique, "no column of ids")
    candidates = [competition.gold_submission, *sorted(competition.private_dir.glob("*.csv"))]
    for path in candidates:
        if path.suffix != ".csv" or path == competition.sample_submission or not path.is_file():
            continue
        truth = read(path)
        shared = [name for name in targets if name in truth]
        if not shared or key not in truth or set(truth[key]) != set(sample[key]) or not truth[key].is_unique:
            continue
        truth = truth.set_index(key).loc[list(sample[key])]
        given = sample.set_index(key)
        shared = [name for name in shared if not given[name].equals(truth[name])] or shared
        values = truth[shared]
        if len(shared) > 2 and values.isin(["0", "1", "0.0", "1.0"]).all(axis=None):
            hot = values.astype(float)
            if (hot.sum(axis=1) == 1).all():
                return key, "class", list(sample[key]), list(hot.idxmax(axis=1)), True
        varied = max(shared, key=lambda name: values[name].nunique())
        return key, varied, list(sample[key]), list(values[varied]), False
    raise NotHereError("answers are not in the form of a submission")


def original(source: Path, competition_id: str, edition: Edition) -> Twin:
    """A prepared twin, to be read only."""
    competition = Registry(source, edition=edition).get_competition(competition_id)
    return Twin(competition, np.random.default_rng(0), *_answers(competition))


def copy_of(twin: Twin, target: Path, seed: int) -> Twin:
    """A copy of a prepared twin, to plant something in."""
    competition = twin.competition
    copied = Registry(target, edition=competition.edition).get_competition(competition.id)
    shutil.copytree(competition.prepared_dir, copied.prepared_dir)
    return Twin(copied, np.random.default_rng(seed), twin.key, twin.target, twin.ids, twin.answers, twin.one_hot)
