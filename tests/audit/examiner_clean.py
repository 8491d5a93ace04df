"""Honest things that look like leaks: strong features, repeats, drift, gaps, groups, dates, labels of train everywhere.

`CONDITIONS` change how a competition of one's own is drawn, `HONEST` changes a prepared one. None gives away an answer
that features do not give away on both sides alike.
"""

from __future__ import annotations

import json
import os
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import replace
from hashlib import md5
from typing import Any

import numpy as np
import pandas as pd
from examiner_case import Case, read_table, write_table
from examiner_draws import Conditions
from examiner_kinds import HONEST, honest
from examiner_media import with_exif, with_png_text
from numpy.typing import NDArray
from prepared_twins import NotHereError, need

__all__ = ["CONDITIONS", "HONEST"]
CONDITIONS: dict[str, Callable[[Conditions], Conditions]] = {
    "repeated_rows": lambda at: replace(at, repeats=True, split="random"),
    "rare_positives": lambda at: replace(at, balance=1.1, rows=max(at.rows, 600)),
    "small_test_set": lambda at: replace(at, test_share=0.08, rows=2 * at.rows),
    "split_by_time": lambda at: replace(at, split="time"),
    "strong_features": lambda at: replace(at, strength=3.0),
    "features_say_nothing": lambda at: replace(at, strength=0.0),
}


def _both(case: Case, name: str, make: Callable[[NDArray[np.int64]], Any]) -> None:
    """A column on both sides, made from the codes of the answers by the same rule."""
    train, test = case.both_tables()
    need(name not in test, "there is such a column")
    train[name] = make(case.codes(case.train_labels(train)))
    test[name] = make(np.array(case.by_row(test, case.code_of())))
    write_table(case.train_path, train)
    write_table(case.test_path, test)


@honest
def as_it_is(case: Case) -> None:
    """Nothing."""


@honest
def feature_of_auc_097(case: Case) -> None:
    _both(case, "risk", lambda codes: list(np.round(2.7 * codes + case.rng.normal(size=len(codes)), 4)))


@honest
def category_that_is_mostly_the_class(case: Case) -> None:
    def make(codes: NDArray[np.int64]) -> list[str]:
        other = case.rng.integers(0, 5, len(codes))
        return [f"z{code}" for code in np.where(case.rng.random(len(codes)) < 0.88, codes % 5, other)]

    _both(case, "zone", make)


@honest
def many_noise_columns(case: Case) -> None:
    train, test = case.both_tables()
    for path, table in ((case.train_path, train), (case.test_path, test)):
        noise = pd.DataFrame(case.rng.normal(size=(len(table), 60)).round(4), index=table.index).add_prefix("n")
        write_table(path, pd.concat([table, noise], axis=1))


@honest
def gaps_by_chance(case: Case) -> None:
    def make(codes: NDArray[np.int64]) -> list[str]:
        values = case.rng.normal(5, 2, len(codes))
        return ["" if case.rng.random() < 0.35 else f"{value:.3f}" for value in values]

    _both(case, "lab_value", make)


@honest
def gaps_that_tell_on_both_sides(case: Case) -> None:
    def make(codes: NDArray[np.int64]) -> list[str]:
        shares = np.where(codes == 0, 0.6, 0.2)
        return ["" if case.rng.random() < share else f"{case.rng.normal(5, 2):.3f}" for share in shares]

    _both(case, "follow_up", make)


@honest
def groups_on_both_sides(case: Case) -> None:
    """Groups that lean to a class, as wards do, without settling it."""

    def make(codes: NDArray[np.int64]) -> list[str]:
        return [f"W{(3 * int(code) + int(case.rng.integers(0, 12))) % 20:02d}" for code in codes]

    _both(case, "ward", make)


@honest
def groups_that_say_nothing(case: Case) -> None:
    _both(case, "visitor", lambda codes: [f"V{number:04d}" for number in case.rng.integers(0, 150, len(codes))])


@honest
def drift_between_train_and_test(case: Case) -> None:
    test = read_table(case.test_path)
    need(case.test_path.suffix == ".csv", "records")
    names = [name for name in test if name != case.key and test[name].str.fullmatch(r"-?\d+\.\d+").all()]
    need(names, "no decimals")
    for name in names:
        values = test[name].astype(float)
        test[name] = (values * 1.2 + 0.3 * values.std()).round(4).astype(str)
    write_table(case.test_path, test)


@honest
def ids_that_follow_dates(case: Case) -> None:
    """A date that grows with the id, and with it a little of the answer, on both sides."""
    train, test = case.both_tables()
    whole = sorted([*map(str, train[case.key]), *map(str, test[case.key])], key=lambda item: (len(item), item))
    days = {item: str(np.datetime64("2016-01-01") + 1500 * place // len(whole)) for place, item in enumerate(whole)}
    write_table(case.train_path, train.assign(created=case.by_row(train, days)))
    write_table(case.test_path, test.assign(created=case.by_row(test, days)))


@honest
def dates_with_a_trend(case: Case) -> None:
    def make(codes: NDArray[np.int64]) -> list[str]:
        days = case.rng.integers(0, 800, len(codes)) + 150 * np.minimum(codes, 3)
        return [str(np.datetime64("2018-06-01") + int(day)) for day in days]

    _both(case, "signed_up", make)


@honest
def labels_of_train_in_several_files(case: Case) -> None:
    train = read_table(case.train_path)[[case.key, *case.targets]].astype(str)
    train.to_parquet(case.new_file("train_labels.parquet"))
    train.to_json(case.new_file("labels.json"), orient="records")
    with sqlite3.connect(case.new_file("train.db")) as base:
        base.execute("create table labels (id text, y text)")
        base.executemany("insert into labels values (?, ?)", train.iloc[:, :2].to_numpy().tolist())
    base.close()
    with zipfile.ZipFile(case.new_file("train_labels.zip"), "w") as archive:
        archive.writestr("labels.csv", train.to_csv(index=False))


@honest
def folds_and_lists(case: Case) -> None:
    train = [str(item) for item in read_table(case.train_path)[case.key]]
    table = pd.DataFrame({case.key: [*train, *case.ids]})
    table["fold"] = case.rng.integers(0, 5, len(table))
    table.sample(frac=1, random_state=5).to_csv(case.new_file("folds.csv"), index=False)
    case.new_file("test_ids.txt").write_text("\n".join(case.rng.permutation(case.ids)))


@honest
def embeddings_that_know_nothing(case: Case) -> None:
    np.save(case.new_file("test_embeddings.npy"), case.rng.normal(size=(len(case.ids), 24)).astype(np.float32))


@honest
def predictions_of_an_honest_model(case: Case) -> None:
    """Predictions for both sides by a model that has seen neither: equally good there and here."""
    train = read_table(case.train_path)
    codes = np.concatenate([case.codes(case.train_labels(train)), case.codes()])
    table = pd.DataFrame({case.key: [*map(str, train[case.key]), *case.ids]})
    table["pred"] = np.round(codes + case.rng.normal(0, 0.9, len(codes)), 4)
    table.sample(frac=1, random_state=2).to_csv(case.new_file("zero_shot.csv"), index=False)


@honest
def checksums_of_files(case: Case) -> None:
    paths = [path for path in sorted(case.public.rglob("*")) if path.is_file()][:2000]
    lines = [f"{md5(path.read_bytes()).hexdigest()}  {path.relative_to(case.public)}" for path in paths]
    case.new_file("MD5SUMS", "").write_text("\n".join(lines))


@honest
def names_of_classes(case: Case) -> None:
    case.codes()  # masks and texts are no classes: a list of them would be the answers
    need(not case.is_numeric, "numbers")
    names = sorted(set(case.labels))[:100]
    case.new_file("class_names.json").write_text(json.dumps(dict(enumerate(names))))


@honest
def sample_by_chance(case: Case) -> None:
    """Labels of train, drawn at random."""
    table, train = read_table(case.sample), read_table(case.train_path)
    need(not case.one_hot, "distributions")
    for name in case.targets:
        table[name] = case.rng.choice(train[name].to_numpy(dtype=object), len(table))
    write_table(case.sample, table)


@honest
def notebook_and_log_of_train(case: Case) -> None:
    """A notebook and a log that show labels of train and ids of test, and no label of these."""
    train = read_table(case.train_path)
    shown = [f"{item}  {label}\n" for item, label in zip(train[case.key], case.train_labels(train), strict=True)][:300]
    output = {"output_type": "stream", "name": "stdout", "text": shown}
    cell = {"cell_type": "code", "source": ["print(train)"], "outputs": [output], "metadata": {}, "execution_count": 1}
    book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    case.new_file("starter.ipynb").write_text(json.dumps(book))
    lines = [f"INFO fetched {item} in {case.rng.integers(5, 90)} ms" for item in case.rng.permutation(case.ids)]
    case.new_file("download.log").write_text("\n".join(lines))


@honest
def further_rows_without_labels(case: Case) -> None:
    test = read_table(case.test_path)
    more = test.iloc[case.rng.integers(0, len(test), 300)].copy()
    more[case.key] = [f"u{number}" for number in case.rng.permutation(10**6)[:300]]
    for name in more.columns.drop(case.key):
        more[name] = case.rng.permutation(more[name].to_numpy(dtype=object))
    more.to_csv(case.new_file("unlabeled.csv"), index=False)


@honest
def metadata_by_chance(case: Case) -> None:
    """Cameras, software and dates that have nothing to do with the answers."""
    try:
        case.change_items(lambda _, data: with_exif(data, 0x0110, case.pick("A7", "EOS 5D", "D90")), ".jpg", ".jpeg")
    except NotHereError:
        case.change_items(lambda _, data: with_png_text(data, "Software", case.pick("GIMP", "ImageJ", "fiji")), ".png")
    for path in case.public.rglob("*.jpg"):
        when = 1_500_000_000 + int(case.rng.integers(0, 3_000_000))
        os.utime(path, (when, when))


@honest
def files_written_in_order(case: Case) -> None:
    for number, item in enumerate(sorted(case.files)):
        os.utime(case.files[item], (1_500_000_000 + number // 5, 1_500_000_000 + number // 5))


@honest
def means_of_train_per_category(case: Case) -> None:
    """A category and the mean of its labels in train, on both sides."""
    train, test = case.both_tables()
    codes = case.codes(case.train_labels(train))
    branches = case.rng.integers(0, 25, len(train))
    means = pd.Series(codes).groupby(branches).mean().round(4)
    drawn = case.rng.integers(0, 25, len(test))
    write_table(case.train_path, train.assign(branch=branches, branch_mean=[means.get(b, 0.5) for b in branches]))
    write_table(case.test_path, test.assign(branch=drawn, branch_mean=[means.get(b, 0.5) for b in drawn]))
