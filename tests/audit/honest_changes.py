"""What honest data has and what looks like a leak: strong features, repeats, dates, gaps, lists, labels of train.

Each change is made in a copy of a prepared twin and gives no answer away that the twin does not give away itself.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sqlite3
import zipfile
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image
from prepared_twins import Twin, need, read

from mlebench.files.tables import to_numbers

Change = Callable[[Twin], None]
HONEST: dict[str, Change] = {}
NEEDS: dict[str, tuple[str, ...]] = {}


def honest(*needs: str) -> Callable[[Change], Change]:
    """Register an honest change, with what a twin must have for it."""

    def register(change: Change) -> Change:
        HONEST[change.__name__] = change
        NEEDS[change.__name__] = needs
        return change

    return register


def _both(twin: Twin, column: Callable[[NDArray[np.int64]], object]) -> None:
    """A column in both tables, made from codes of the answers by the same rule."""
    train, test = read(twin.train_table), read(twin.test_table)
    labels = dict.fromkeys(twin.answers)
    if twin.numbers is not None:
        middle = np.median(twin.numbers)
        codes = (to_numbers(train[twin.target]).fillna(middle) > middle).astype(int).to_numpy()
    else:
        need(twin.classes and set(train[twin.target]) <= set(labels))
        codes = np.array([(twin.classes or []).index(label) for label in train[twin.target]])
    name, by_id = twin.word(5), twin.code_of(20)
    train[name] = column(codes)
    test[name] = column(np.array([by_id[item] for item in test[twin.key]]))
    train.to_csv(twin.train_table, index=False)
    test.to_csv(twin.test_table, index=False)


@honest()
def as_it_is(twin: Twin) -> None:
    """Nothing."""


@honest("test_table", "train_table")
def feature_of_auc_097(twin: Twin) -> None:
    _both(twin, lambda codes: np.round(twin.rng.normal(size=len(codes)) + 2.7 * codes, 4))


@honest("test_table", "train_table")
def class_in_another_words_mostly(twin: Twin) -> None:
    """A category that is the class in nine of ten cases, on both sides."""
    many = 6

    def column(codes: NDArray[np.int64]) -> object:
        other = twin.rng.integers(0, many, len(codes))
        return [f"zone{code}" for code in np.where(twin.rng.random(len(codes)) < 0.9, codes % many, other)]

    _both(twin, column)


@honest("test_table", "train_table")
def gaps_that_follow_on_both_sides(twin: Twin) -> None:
    def column(codes: NDArray[np.int64]) -> object:
        gaps = twin.rng.random(len(codes)) < np.where(codes > 0, 0.5, 0.1)
        return [
            "" if gap else f"{value:.3f}" for gap, value in zip(gaps, twin.rng.normal(size=len(codes)), strict=True)
        ]

    _both(twin, column)


@honest("test_table", "train_table")
def gaps_by_chance(twin: Twin) -> None:
    def column(codes: NDArray[np.int64]) -> object:
        gaps = twin.rng.random(len(codes)) < 0.4
        return [
            "" if gap else f"{value:.3f}" for gap, value in zip(gaps, twin.rng.normal(size=len(codes)), strict=True)
        ]

    _both(twin, column)


@honest("test_table", "train_table")
def dates_with_a_trend(twin: Twin) -> None:
    """Later rows have higher codes on both sides, as prices rise."""
    start = np.datetime64("2015-01-01")

    def column(codes: NDArray[np.int64]) -> object:
        days = twin.rng.integers(0, 700, len(codes)) + 200 * np.minimum(codes, 3)
        return [str(start + int(day)) for day in days]

    _both(twin, column)


@honest("test_table", "train_table")
def rows_that_repeat(twin: Twin) -> None:
    """A fifth of the rows of both sides repeats rows of train, as forms that many people fill in alike."""
    train, test = read(twin.train_table), read(twin.test_table)
    features = [name for name in test if name in train and name not in (twin.key, twin.target)]
    need(len(features) >= 2)
    for table in (train, test):
        rows = np.flatnonzero(twin.rng.random(len(table)) < 0.2)
        from_rows = twin.rng.integers(0, len(train), len(rows))
        table.loc[rows, features] = train[features].to_numpy()[from_rows]
    train.to_csv(twin.train_table, index=False)
    test.to_csv(twin.test_table, index=False)


@honest("test_table", "train_table")
def groups_on_both_sides(twin: Twin) -> None:
    """Groups that say something, but not all, on both sides."""

    def column(codes: NDArray[np.int64]) -> object:
        return [
            f"g{(int(code) * 7 + int(shift)) % 40:02d}"
            for code, shift in zip(codes, twin.rng.integers(0, 25, len(codes)), strict=True)
        ]

    _both(twin, column)


@honest("test_table")
def test_in_order_of_ids(twin: Twin) -> None:
    table = read(twin.test_table)
    table.sort_values(twin.key).to_csv(twin.test_table, index=False)


@honest("train_table")
def labels_of_train_in_other_files(twin: Twin) -> None:
    train = read(twin.train_table)[[twin.key, twin.target]]
    train.to_json(twin.place(".json"), orient="records")
    train.to_parquet(twin.place(".parquet"))
    with sqlite3.connect(twin.place(".db")) as base:
        base.execute("create table labels (a text, b text)")
        base.executemany("insert into labels values (?, ?)", train.to_numpy().tolist())
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("labels.csv", train.to_csv(index=False))
    twin.place(".zip").write_bytes(out.getvalue())


@honest()
def lists_of_ids(twin: Twin) -> None:
    order = twin.rng.permutation(len(twin.ids))
    twin.place(".txt").write_text("\n".join(twin.ids[row] for row in order))
    folds = pd.DataFrame({twin.key: twin.ids, "fold": twin.rng.integers(0, 5, len(twin.ids))})
    folds.sample(frac=1, random_state=1).to_csv(twin.place(".csv"), index=False)


@honest()
def checksums(twin: Twin) -> None:
    lines = []
    for path in sorted(twin.public.rglob("*"))[:3000]:
        if path.is_file():
            digest = hashlib.md5(path.read_bytes()).hexdigest()
            lines.append(f"{digest}  {path.relative_to(twin.public)}  {path.stat().st_size}")
    twin.place(".md5").write_text("\n".join(lines))


@honest()
def random_features_of_items(twin: Twin) -> None:
    """Numbers of another model that knows nothing, for the items to predict alone."""
    table = pd.DataFrame(twin.rng.normal(size=(len(twin.ids), 40)).round(4))
    table.insert(0, "item", twin.ids)
    table.to_csv(twin.place(".csv"), index=False)
    np.save(twin.place(".npy"), twin.rng.normal(size=(len(twin.ids), 16)))


@honest()
def names_of_classes(twin: Twin) -> None:
    names = sorted(set(twin.answers))[:200]
    twin.place(".json").write_text(json.dumps({str(number): name for number, name in enumerate(names)}))
    twin.place(".txt").write_text("\n".join(names))


@honest("sample")
def sample_by_chance(twin: Twin) -> None:
    table = read(twin.sample)
    column = twin.target if twin.target in table else table.columns[1]
    need(not twin.one_hot)
    table[column] = twin.rng.permutation(np.array(twin.answers, dtype=object))
    table.to_csv(twin.sample, index=False)


@honest("files")
def files_of_several_days(twin: Twin) -> None:
    for path in twin.public.rglob("*"):
        if path.is_file():
            when = 1_500_000_000 + int(twin.rng.integers(0, 40)) * 86400 + int(twin.rng.integers(0, 4000))
            os.utime(path, (when, when))


@honest("files")
def files_written_in_order(twin: Twin) -> None:
    for number, path in enumerate(sorted(twin.public.rglob("*"))):
        if path.is_file():
            os.utime(path, (1_500_000_000 + number // 7, 1_500_000_000 + number // 7))


@honest("files")
def cameras_by_chance(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg")
    for path in list(twin.public.rglob("*.jpg"))[:3000]:
        picture = Image.open(path)
        exif = picture.getexif()
        exif[0x0110] = str(twin.rng.choice(["A100", "B7", "C-3PO"]))
        exif[0x0132] = (
            f"20{int(twin.rng.integers(10, 20))}:0{int(twin.rng.integers(1, 9))}:11 10:00:0{int(twin.rng.integers(9))}"
        )
        data = io.BytesIO()
        picture.save(data, "JPEG", exif=exif, quality=int(twin.rng.choice([85, 90, 95])))
        path.unlink()
        path.write_bytes(data.getvalue())


@honest("files")
def further_pictures_without_labels(twin: Twin) -> None:
    twin.suffix(".jpg", ".jpeg", ".png")
    folder = twin.place("")
    folder.mkdir()
    for _ in range(60):
        noise = twin.rng.integers(0, 256, (24, 24, 3)).astype(np.uint8)
        Image.fromarray(noise).save(folder / f"{twin.word(10)}.png")
