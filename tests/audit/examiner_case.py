"""A prepared competition in the hands of an examiner: its answers, tables and item files, and what a leak is worth.

Nothing here knows how the audit works. Prepared data is copied before anything in it is changed.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from prepared_twins import NotHereError, Twin, need, original

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import Edition
from mlebench.data.record import RECORD_NAME
from mlebench.grade.grading import grade_csv

LEAST_GAIN = 0.1  # of the way from the sample's score to the perfect one
_FOLDERS = ("", "", "data", "extra", "raw", "misc", "old", "backup/2021", "tmp", ".cache", "docs")


def read_table(path: Path) -> pd.DataFrame:
    """A public table as it is written: a CSV file as texts, or a JSON list of records."""
    if path.suffix == ".json":
        records = json.loads(path.read_text())
        need(isinstance(records, list) and records and isinstance(records[0], dict), "no records")
        return pd.DataFrame(records)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table in the form of its name."""
    path.unlink(missing_ok=True)
    if path.suffix == ".json":
        path.write_text(json.dumps(table.to_dict("records")))
    else:
        table.to_csv(path, index=False)


@dataclass
class Case:
    """A copy of a prepared competition to plant something in."""

    competition: LocalCompetition
    rng: np.random.Generator
    key: str
    truth: pd.DataFrame  # the answers in the form of a submission, as texts, by id
    one_hot: bool
    placed: list[str] = field(default_factory=list)  # new files, below public

    @property
    def public(self) -> Path:
        """The public folder."""
        return self.competition.public_dir

    @property
    def ids(self) -> list[str]:
        """The ids to predict, in the order of the sample submission."""
        return [str(item) for item in self.truth.index]

    @property
    def targets(self) -> list[str]:
        """The columns to predict."""
        return [str(name) for name in self.truth]

    @property
    def target(self) -> str:
        """The column that says most, or `class` for the class that several columns say together."""
        return "class" if self.one_hot else max(self.targets, key=lambda name: self.truth[name].nunique())

    @cached_property
    def labels(self) -> pd.Series[Any]:
        """One answer per item, as text."""
        if self.one_hot:
            return self.truth.astype(float).idxmax(axis=1)
        return self.truth[self.target]

    @property
    def answers(self) -> pd.DataFrame:
        """Ids and labels as columns, in a random order."""
        table = pd.DataFrame({self.key: self.ids, self.target: self.labels.to_numpy()})
        return table.iloc[self.rng.permutation(len(table))].reset_index(drop=True)

    @cached_property
    def is_numeric(self) -> bool:
        """Whether the answers are many different numbers."""
        values = pd.to_numeric(self.labels, errors="coerce")
        return bool(values.notna().all() and values.nunique() > 12)

    def numbers(self) -> NDArray[np.float64]:
        """The answers as numbers: as they are, or the number of the class."""
        if self.is_numeric:
            return np.asarray(pd.to_numeric(self.labels), dtype=np.float64)
        return self.codes().astype(np.float64)

    def codes(self, labels: Sequence[str] | None = None) -> NDArray[np.int64]:
        """A small number per label, of test or given: its class, or the third of the range that it is in."""
        wanted = list(self.labels) if labels is None else list(labels)
        if self.is_numeric:
            limits = np.quantile(pd.to_numeric(self.labels), [1 / 3, 2 / 3])
            values = np.asarray(pd.to_numeric(pd.Series(wanted)), dtype=np.float64)
            return np.digitize(values, limits).astype(np.int64)
        names = sorted(set(self.labels))
        need(2 <= len(names) <= min(30, len(self.ids) // 3), "answers are neither classes nor numbers")
        places = {name: number for number, name in enumerate(names)}
        found = np.array([places.get(label, len(names)) for label in wanted])
        need(len(found) - np.bincount(found).max() >= 12, "nearly all answers are the same")
        return found

    def code_of(self) -> dict[str, int]:
        """The codes of the items by id."""
        return dict(zip(self.ids, (int(code) for code in self.codes()), strict=True))

    def rename(self, names: dict[str, str]) -> None:
        """Give the items the ids that their tables have by now; what was recorded of the old answers is void."""
        (self.competition.prepared_dir / RECORD_NAME).unlink(missing_ok=True)
        self.truth.index = pd.Index([names[item] for item in self.ids], name=self.key)
        self.__dict__.pop("labels", None)

    # What a leak gives away: target columns by id, of some items or of all.

    def some(self, share: float) -> list[str]:
        """A random part of the items."""
        count = max(1, round(share * len(self.ids)))
        return [self.ids[place] for place in self.rng.permutation(len(self.ids))[:count]]

    def guess(self, groups: Sequence[Any] | NDArray[Any]) -> pd.DataFrame:
        """What follows from a group per item: the mean where the sample has decimals, else the most frequent answer."""
        by = pd.Series(list(groups), index=self.truth.index)
        sample = read_table(self.competition.sample_submission)
        found = {}
        for name in self.targets:
            numeric = pd.to_numeric(self.truth[name], errors="coerce")
            if numeric.notna().all() and (sample[name].str.contains(".", regex=False).all() or self.is_numeric):
                smooth = numeric.groupby(by).transform("mean")
                found[name] = (0.98 * smooth + 0.02 * numeric.mean()).astype(str)
            else:
                found[name] = self.truth[name].groupby(by).transform(lambda values: values.mode().iloc[0])
        return pd.DataFrame(found)

    def guess_by_place(self, places: NDArray[Any]) -> pd.DataFrame:
        """What follows from the place of each item in an order that the answers made."""
        ranks = np.argsort(np.argsort(places, kind="stable"))
        return self.guess(ranks * 20 // len(ranks))

    # Where things are.

    def new_file(self, name: str, folder: str | None = None) -> Path:
        """A new public file in one of the folders in which organisers forget things."""
        folder = str(self.rng.choice(_FOLDERS)) if folder is None else folder
        path = self.public / folder / name
        need(not path.exists(), f"{name} is there already")
        path.parent.mkdir(parents=True, exist_ok=True)
        self.placed.append(path.relative_to(self.public).as_posix())
        return path

    def pick(self, *names: str) -> str:
        """One of several names."""
        return str(self.rng.choice(list(names)))

    @cached_property
    def sample(self) -> Path:
        """The public sample submission."""
        path = self.competition.sample_submission
        need(path.is_relative_to(self.public) and path.suffix == ".csv", "the sample submission is packed")
        return path

    def _tables(self) -> list[tuple[Path, pd.DataFrame]]:
        paths = sorted([*self.public.glob("*.csv"), *self.public.glob("*.json")])
        found = []
        for path in paths:
            if path != self.competition.sample_submission:
                try:
                    found.append((path, read_table(path)))
                except (NotHereError, ValueError):
                    continue
        return found

    @cached_property
    def test_path(self) -> Path:
        """The public table of the items to predict."""
        wanted = set(self.ids)
        for path, table in self._tables():
            if self.key in table and len(table) == len(wanted) and set(table[self.key].astype(str)) == wanted:
                need(len(table.columns) > 1, "the test table has ids alone")
                return path
        raise NotHereError("no test table")

    @cached_property
    def train_path(self) -> Path:
        """The public table with the labels of train."""
        wanted = {self.key, *self.targets}
        for path, table in self._tables():
            if wanted <= set(table) and len(table) >= 40 and not set(table[self.key].astype(str)) & set(self.ids):
                return path
        raise NotHereError("no train table")

    def both_tables(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The tables of train and test; train has labels of the same kind."""
        return read_table(self.train_path), read_table(self.test_path)

    def by_row(self, table: pd.DataFrame, values: dict[str, Any]) -> list[Any]:
        """Values by id in the order of a table of items."""
        return [values[str(item)] for item in table[self.key]]

    def train_labels(self, train: pd.DataFrame) -> list[str]:
        """The labels of train in the form of `labels`."""
        if self.one_hot:
            return [str(name) for name in train[self.targets].astype(float).idxmax(axis=1)]
        return [str(label) for label in train[self.target]]

    @cached_property
    def archive(self) -> Path:
        """The zip archive with one file per item."""
        for path in sorted(self.public.rglob("*.zip")):
            with zipfile.ZipFile(path) as packed:
                if len({Path(name).stem for name in packed.namelist()} & set(self.ids)) >= 0.95 * len(self.ids):
                    return path
        raise NotHereError("no archive of item files")

    def files_of(self, ids: Sequence[str]) -> dict[str, Path]:
        """The file of each of these items, where each has exactly one in a folder of such files."""
        by_name: dict[str, list[Path]] = {}
        for path in sorted(self.public.rglob("*")):
            if path.is_file():
                for name in {path.stem, path.name}:
                    by_name.setdefault(name, []).append(path)
        found = {item: by_name[item][0] for item in ids if len(by_name.get(item, ())) == 1}
        need(len(found) >= 0.95 * len(ids) and len(ids) >= 25, "no file per item")
        return found

    @cached_property
    def files(self) -> dict[str, Path]:
        """The file of each item to predict."""
        return self.files_of(self.ids)

    def change_items(self, change: Callable[[str, bytes], bytes], *suffixes: str) -> None:
        """Rewrite the file of each item to predict, in its folder or its archive."""
        try:
            files = self.files
        except NotHereError:
            self._change_members(change, suffixes)
            return
        need(next(iter(files.values())).suffix in suffixes, "files of another format")
        for item, path in files.items():
            data = change(item, path.read_bytes())
            path.unlink()  # it may be a link to data of somebody else
            path.write_bytes(data)

    def _change_members(self, change: Callable[[str, bytes], bytes], suffixes: tuple[str, ...]) -> None:
        with zipfile.ZipFile(self.archive) as packed:
            members = [(info, packed.read(info)) for info in packed.infolist()]
        need(any(Path(info.filename).suffix in suffixes for info, _ in members), "files of another format")
        self.rewrite_archive(
            [(info, change(Path(info.filename).stem, data) if Path(info.filename).stem in self.truth.index else data)
             for info, data in members]
        )  # fmt: skip

    def rewrite_archive(self, members: Sequence[tuple[zipfile.ZipInfo, bytes]]) -> None:
        """Write the archive of item files anew."""
        self.archive.unlink()
        with zipfile.ZipFile(self.archive, "w") as packed:
            for info, data in members:
                packed.writestr(info, data)

    # What it is worth.

    def score(self, told: pd.DataFrame | None) -> float | None:
        """The score of the sample submission with what was told put in; None where the grader refuses it."""
        table = read_table(self.competition.sample_submission).set_index(self.key)
        if told is not None:
            for name in told:
                table.loc[told.index, name] = told[name].to_numpy()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "submission.csv"
            table.reset_index().to_csv(path, index=False)
            return grade_csv(path, self.competition).score

    def gain(self, told: pd.DataFrame, sample_score: float | None) -> float:
        """How far what was told leads from the sample's score to the perfect one, from 0 to 1."""
        scores = [sample_score, self.score(told), self.score(self.truth)]
        need(None not in scores, "the grader refuses a probe")
        sample, reached, perfect = (float(score) for score in scores if score is not None)
        need(abs(perfect - sample) > 1e-9, "the sample submission is perfect")
        return (reached - sample) / (perfect - sample)


def own_case(competition: LocalCompetition, key: str, targets: Sequence[str], seed: int) -> Case:
    """A case of a competition of one's own, whose data was made for it."""
    truth = pd.read_csv(competition.answers, dtype=str, keep_default_na=False).set_index(key)[list(targets)]
    hot = len(targets) > 2 and bool(truth.isin(["0", "1"]).all(axis=None))
    one_hot = hot and bool((truth.astype(float).sum(axis=1) == 1).all())
    return Case(competition, np.random.default_rng(seed), key, truth, one_hot)


def twin_case(data: Path, competition_id: str, edition: Edition, target: Path, seed: int) -> Case:
    """A case of a copy of a prepared twin; NotHereError where its answers are not in the form of a submission."""
    twin: Twin = original(data, competition_id, edition)
    sample = read_table(twin.competition.sample_submission)
    names = [str(name) for name in sample.columns[1:]] if twin.one_hot else [twin.target]
    if twin.one_hot:
        columns = {name: ["1" if answer == name else "0" for answer in twin.answers] for name in names}
    else:
        columns = {twin.target: twin.answers}
    copied = Registry(target, edition=edition).get_competition(competition_id)
    shutil.copytree(twin.competition.prepared_dir, copied.prepared_dir)
    truth = pd.DataFrame(columns, index=pd.Index(twin.ids, name=twin.key))
    return Case(copied, np.random.default_rng(seed), twin.key, truth, twin.one_hot)
