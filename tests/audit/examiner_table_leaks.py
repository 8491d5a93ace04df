"""Answers in columns of the tables that everybody reads: copies, codes, noise, checksums, weights, dates, gaps."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import md5
from typing import Any

import numpy as np
import pandas as pd
from examiner_case import Case, read_table, write_table
from examiner_kinds import leak
from numpy.typing import NDArray
from prepared_twins import need

Maker = Callable[[NDArray[np.float64], list[str]], Any]  # a column from numbers and labels


def _column(case: Case, name: str, make: Maker, *, in_train: bool) -> None:
    """A new column of the test table that follows from the answers, and of train's by the same rule."""
    need(name not in read_table(case.test_path), "there is such a column")
    if in_train:
        train = read_table(case.train_path)
        labels = case.train_labels(train)
        numbers = pd.to_numeric(pd.Series(labels)).to_numpy(float) if case.is_numeric else case.codes(labels)
        write_table(case.train_path, train.assign(**{name: make(np.asarray(numbers, dtype=float), labels)}))
    test = read_table(case.test_path)
    numbers_by_id = dict(zip(case.ids, case.numbers(), strict=True))
    ordered = np.array(case.by_row(test, numbers_by_id), dtype=float)
    labels = [str(label) for label in case.by_row(test, case.labels.to_dict())]
    write_table(case.test_path, test.assign(**{name: make(ordered, labels)}))


def _listed(values: NDArray[np.float64], digits: int = 6) -> list[float]:
    return [float(value) for value in np.round(values, digits)]


@leak(weight=3)
def column_scaled_on_both_sides(case: Case) -> pd.DataFrame:
    need(case.is_numeric, "classes")
    _column(case, case.pick("norm_score", "idx_eur"), lambda y, _: _listed(y * 0.0131 + 2), in_train=True)
    return case.truth


@leak(weight=3)
def column_shifted_in_test(case: Case) -> pd.DataFrame:
    _column(case, case.pick("v17", "aux"), lambda y, _: _listed(y + 1000), in_train=False)
    return case.guess(case.numbers()) if not case.is_numeric else case.truth


@leak(weight=3)
def column_encoded_on_both_sides(case: Case) -> pd.DataFrame:
    letters = case.rng.permutation(list("QXZWVKJYTHRNMPLBDFGAECOSUI12345"))
    case.codes()
    _column(case, case.pick("grp", "status_code"), lambda y, labels: [str(letters[c]) for c in case.codes(labels)],
            in_train=True)  # fmt: skip
    return case.guess(case.codes())


@leak(weight=3)
def column_noisy_in_test(case: Case) -> pd.DataFrame:
    """A score in test that is nearly the answer; train has noise in it, as if it had been computed otherwise."""
    spread = float(np.std(case.numbers())) or 1.0
    noisy = case.numbers() + case.rng.normal(0, 0.15 * spread, len(case.ids))
    values = dict(zip(case.ids, noisy, strict=True))
    name, train = case.pick("score_1", "sensor_b"), read_table(case.train_path)
    noise = case.rng.normal(np.mean(noisy), np.std(noisy), len(train))
    write_table(case.train_path, train.assign(**{name: _listed(noise, 4)}))
    test = read_table(case.test_path)
    write_table(case.test_path, test.assign(**{name: _listed(np.array(case.by_row(test, values)), 4)}))
    return case.guess_by_place(noisy)


@leak()
def column_binned_in_test(case: Case) -> pd.DataFrame:
    _column(case, case.pick("band", "tier"), lambda y, labels: [f"T{c}" for c in case.codes(labels)], in_train=False)
    return case.guess(case.codes())


@leak(weight=3)
def column_renamed_on_both_sides(case: Case) -> pd.DataFrame:
    case.numbers()
    _column(case, case.pick("y", "outcome_final", "gt"), lambda _, labels: labels, in_train=True)
    return case.truth


@leak(weight=3)
def column_left_in_test(case: Case) -> pd.DataFrame:
    """The target itself was not dropped, or for a part of the rows."""
    case.numbers()
    told = set(case.some(float(case.rng.choice([0.3, 0.6, 1.0]))))
    test = read_table(case.test_path)
    values = {item: str(case.labels[item]) if item in told else "" for item in case.ids}
    write_table(case.test_path, test.assign(**{case.target: case.by_row(test, values)}))
    return case.truth.loc[[item for item in case.ids if item in told]]


@leak()
def column_of_ranks_in_test(case: Case) -> pd.DataFrame:
    _column(
        case, "rank", lambda y, _: [int(place) for place in np.argsort(np.argsort(y, kind="stable"))], in_train=False
    )
    return case.guess_by_place(case.numbers())


@leak()
def checksum_of_answers(case: Case) -> pd.DataFrame:
    case.codes()
    test = read_table(case.test_path)
    sums = {item: md5(str(label).encode()).hexdigest() for item, label in case.labels.items()}
    write_table(case.test_path, test.assign(checksum=case.by_row(test, sums)))
    return case.truth


@leak(devious=True)
def checksum_of_rows_with_answers(case: Case) -> pd.DataFrame:
    case.codes()
    test = read_table(case.test_path)
    sums = {item: md5(f"{item},{label}".encode()).hexdigest() for item, label in case.labels.items()}
    write_table(case.test_path, test.assign(row_md5=case.by_row(test, sums)))
    return case.truth


@leak(weight=3)
def weights_of_classes(case: Case) -> pd.DataFrame:
    """Weights of items that balance the classes, in a file of their own."""
    codes = case.codes()
    counts = np.bincount(codes)
    weights = len(codes) / (len(counts) * np.maximum(counts, 1))
    need(len(set(weights[np.unique(codes)].round(4))) > 1, "classes are balanced")
    table = pd.DataFrame({case.key: case.ids, "sample_weight": np.round(weights[codes], 6)})
    table.sample(frac=1, random_state=1).to_csv(case.new_file("weights.csv"), index=False)
    return case.guess(weights[codes].round(4))


@leak(weight=3)
def date_of_the_outcome(case: Case) -> pd.DataFrame:
    """A date that is there only for those to whom it happened, on both sides."""
    start = np.datetime64("2021-01-01")

    def make(y: NDArray[np.float64], labels: list[str]) -> list[str]:
        days = case.rng.integers(0, 600, len(labels))
        happened = case.codes(labels) == codes.max()
        return [str(start + int(day)) if flag else "" for day, flag in zip(days, happened, strict=True)]

    codes = case.codes()
    _column(case, case.pick("closed_at", "paid_out_on"), make, in_train=True)
    return case.guess(codes == codes.max())


@leak(weight=3)
def gaps_tell_in_test(case: Case) -> pd.DataFrame:
    """A feature was joined from a table that has no rows for one class of test."""
    test = read_table(case.test_path)
    features = [name for name in test if name != case.key and (test[name].astype(str) != "").mean() > 0.9]
    need(features, "no features")
    codes = case.code_of()
    missing = {item: code == 0 and case.rng.random() < 0.85 for item, code in codes.items()}
    name = str(case.rng.choice(features))
    gaps = case.by_row(test, missing)
    test[name] = ["" if gap else value for gap, value in zip(gaps, test[name], strict=True)]
    write_table(case.test_path, test)
    return case.guess([missing[item] for item in case.ids])


@leak(devious=True)
def mark_in_the_form_of_numbers(case: Case) -> pd.DataFrame:
    """Numbers of one class are written with a further zero."""
    need(case.test_path.suffix == ".csv", "records")
    test = read_table(case.test_path)
    names = [name for name in test if test[name].str.fullmatch(r"-?\d+\.\d+").all()]
    need(names, "no decimals")
    codes = case.by_row(test, case.code_of())
    marked = [value + "0" if code == 0 else value for code, value in zip(codes, test[names[0]], strict=True)]
    write_table(case.test_path, test.assign(**{names[0]: marked}))
    return case.guess(case.codes() == 0)


@leak(devious=True)
def direction_in_embeddings(case: Case) -> pd.DataFrame:
    """Embeddings of test from a model that was trained on its answers."""
    numbers = case.numbers()
    scaled = (numbers - numbers.mean()) / (numbers.std() or 1.0)
    direction = case.rng.normal(0, 1, 12)
    vectors = np.outer(scaled, direction) + case.rng.normal(0, 0.6, (len(numbers), 12))
    np.save(case.new_file("embeddings.npy"), vectors.astype(np.float32))
    return case.guess_by_place(vectors @ direction)
