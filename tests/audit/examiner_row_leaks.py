"""Answers in the rows of tables: their order and ids, the sample submission, repeats, groups, the future, records."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from examiner_case import Case, read_table, write_table
from examiner_kinds import leak
from prepared_twins import need


@leak(weight=3)
def order_of_rows(case: Case) -> pd.DataFrame:
    test = read_table(case.test_path)
    numbers = dict(zip(case.ids, case.numbers(), strict=True))
    order = np.argsort(np.array(case.by_row(test, numbers)), kind="stable")
    write_table(case.test_path, test.iloc[order])
    return case.guess_by_place(case.numbers())


@leak(weight=3)
def order_of_ids(case: Case) -> pd.DataFrame:
    """Ids were given when the raw file was still sorted by its answers."""
    need(case.competition.answers.suffix == ".csv", "answers of another form")
    answers = read_table(case.competition.answers)
    need(case.key in answers and len(answers) == len(case.ids), "answers of another form")
    need(not any(item in path.name for item in case.ids[:3] for path in case.public.rglob("*")), "files have ids")
    keys = sorted(case.ids, key=lambda item: (len(item), item))
    order = np.argsort(case.numbers(), kind="stable")
    new = {case.ids[row]: keys[place] for place, row in enumerate(order)}
    for path in (case.test_path, case.sample, case.competition.answers):
        table = read_table(path)
        numeric = path.suffix == ".json" and not isinstance(table[case.key].iloc[0], str)
        renamed = [new[str(item)] for item in table[case.key]]
        table[case.key] = [int(name) for name in renamed] if numeric else renamed
        write_table(path, table.iloc[case.rng.permutation(len(table))] if path == case.test_path else table)
    case.rename(new)
    return case.guess_by_place(case.numbers())


@leak(weight=3)
def index_of_the_sorted_raw_file(case: Case) -> pd.DataFrame:
    """The column that pandas leaves behind: the row in a raw file that was sorted by class."""
    train, test = case.both_tables()
    labels = [*case.train_labels(train), *case.by_row(test, case.labels.to_dict())]
    values = (
        pd.to_numeric(pd.Series(labels)).to_numpy() if case.is_numeric else case.codes([str(label) for label in labels])
    )
    order = np.lexsort((case.rng.random(len(values)), values))
    places = [int(place) for place in np.argsort(order)]
    train.insert(0, "Unnamed: 0", places[: len(train)])
    test.insert(0, "Unnamed: 0", places[len(train) :])
    write_table(case.train_path, train)
    write_table(case.test_path, test)
    return case.guess_by_place(case.numbers())


def _sample(case: Case, told: pd.DataFrame) -> pd.DataFrame:
    table = read_table(case.sample).set_index(case.key)
    for name in told:
        table.loc[told.index, name] = told[name].to_numpy()
    write_table(case.sample, table.reset_index())
    return told


@leak(weight=3)
def sample_has_the_answers(case: Case) -> pd.DataFrame:
    return _sample(case, case.truth)


@leak(weight=3)
def sample_has_some_answers(case: Case) -> pd.DataFrame:
    return _sample(case, case.truth.loc[case.some(float(case.rng.choice([0.3, 0.5])))])


@leak(weight=3)
def sample_in_the_order_of_answers(case: Case) -> pd.DataFrame:
    table, places = read_table(case.sample), dict(zip(case.ids, case.numbers(), strict=True))
    table = table.iloc[np.argsort(np.array(case.by_row(table, places)), kind="stable")]
    write_table(case.sample, table)
    return case.guess_by_place(case.numbers())


@leak()
def sample_is_made_from_answers(case: Case) -> pd.DataFrame:
    """A sample of an organiser's model: near the answers, or rounded from them."""
    told = case.truth.copy()
    for name in told:
        values = pd.to_numeric(told[name], errors="coerce")
        need(values.notna().all() and (case.is_numeric or not case.one_hot), "words")
        spread = float(values.std()) or 1.0
        near = values.mean() + 0.1 * (values - values.mean()) + case.rng.normal(0, 0.02 * spread, len(values))
        told[name] = [f"{value:.6f}" for value in near]
    need("." in read_table(case.sample)[told.columns[0]].iloc[0], "the sample has no decimals")
    _sample(case, told)
    return case.guess_by_place(case.numbers())


def _rows_in_train(case: Case, share: float, change: Callable[[str, Any], Any]) -> pd.DataFrame:
    """Rows of test are in train too, under other ids and with labels."""
    train, test = case.both_tables()
    features = [name for name in test if name != case.key]
    need((set(features) <= set(train.columns) and not case.is_numeric) or len(features) >= 3, "no features in common")
    told = set(case.some(share))
    copied = test[[str(item) in told for item in test[case.key]]].copy()
    for name in features:
        copied[name] = [change(name, value) for value in copied[name]]
    for name in case.targets:
        copied[name] = case.by_row(copied, case.truth[name].to_dict())
    old = [str(item) for item in copied[case.key]]
    fresh = case.rng.integers(10**8, 10**9, len(old))
    whole_numbers = train[case.key].astype(str).str.fullmatch(r"\d+").all()
    copied[case.key] = [int(number) if whole_numbers else f"{item[:2]}{number}"
                        for item, number in zip(old, fresh, strict=True)]  # fmt: skip
    whole = pd.concat([train, copied])[list(train.columns)]
    write_table(case.train_path, whole.iloc[case.rng.permutation(len(whole))])
    return case.truth.loc[old]


@leak(weight=3)
def rows_again_in_train(case: Case) -> pd.DataFrame:
    return _rows_in_train(case, float(case.rng.choice([0.4, 0.8])), lambda _, value: value)


@leak()
def rows_nearly_again_in_train(case: Case) -> pd.DataFrame:
    """Numbers are a hundred-thousandth larger, texts lose their capitals and full stops."""
    need(case.test_path.suffix == ".csv", "records")
    test = read_table(case.test_path)
    decimals = [name for name in test if name != case.key and test[name].str.fullmatch(r"-?\d+\.\d{2,}").mean() > 0.9]
    texts = [name for name in test if test[name].str.len().mean() > 40]
    need(len(decimals) >= 2 or texts, "nothing to change a little")

    def change(name: str, value: Any) -> Any:
        if name in decimals and value:
            return f"{float(value) * (1 + 1e-5):.7g}"
        return value.lower().replace(".", " ").strip() if name in texts else value

    return _rows_in_train(case, 0.6, change)


@leak(weight=3)
def groups_share_labels(case: Case) -> pd.DataFrame:
    """Patients, sessions or sellers are on both sides, and all items of one have the same label."""
    need(not case.is_numeric, "a group of like numbers, such as a district, is honest")
    train, test = case.both_tables()
    name = case.pick("patient_id", "session", "seller")
    need(name not in train, "there is such a column")
    train_codes = case.codes(case.train_labels(train))
    groups = max(4, len(test) // 3 // (int(train_codes.max()) + 1))
    names = case.rng.permutation(10**5)

    def column(codes: Any) -> list[str]:
        return [f"P{names[int(code) * groups + int(case.rng.integers(groups))]:05d}" for code in codes]

    write_table(case.train_path, train.assign(**{name: column(train_codes)}))
    test = test.assign(**{name: column(case.by_row(test, case.code_of()))})
    write_table(case.test_path, test)
    return case.guess(case.codes())


@leak(weight=3)
def lag_in_test(case: Case) -> pd.DataFrame:
    """Each row to predict says what the row before it in its series was."""
    train, test = case.both_tables()
    need({"store", "date"} <= set(test), "no time series")
    both = pd.concat([train, test.assign(sales=case.by_row(test, case.labels.to_dict()))])
    both = both.sort_values(["store", "date"])
    both["sales_prev_day"] = both.groupby("store")["sales"].shift(1).fillna("")
    by_id = dict(zip(both[case.key], both["sales_prev_day"], strict=True))
    for path, table in ((case.train_path, train), (case.test_path, test)):
        write_table(path, table.assign(sales_prev_day=case.by_row(table, by_id)))
    last = test.sort_values("date").groupby("store").tail(1)[case.key]
    return case.truth.drop(index=list(last))


@leak()
def rolling_mean_of_the_future(case: Case) -> pd.DataFrame:
    """A mean of the last two days that includes the day itself; with the last known day it can be unrolled."""
    train, test = case.both_tables()
    need({"store", "date"} <= set(test), "no time series")
    both = pd.concat([train, test.assign(sales=case.by_row(test, case.labels.to_dict()))])
    both = both.assign(sales=both["sales"].astype(float)).sort_values(["store", "date"])
    means = both.groupby("store")["sales"].transform(lambda values: values.rolling(2, min_periods=1).mean())
    by_id = dict(zip(both[case.key], means.round(4), strict=True))
    for path, table in ((case.train_path, train), (case.test_path, test)):
        write_table(path, table.assign(sales_ma=case.by_row(table, by_id)))
    return case.truth


@leak()
def later_history_in_another_file(case: Case) -> pd.DataFrame:
    test = read_table(case.test_path)
    need({"store", "date"} <= set(test), "no time series")
    sold = test.assign(units=case.by_row(test, case.labels.to_dict()))[["store", "date", "units"]]
    wide = sold.pivot(index="date", columns="store", values="units")
    wide.to_csv(case.new_file(case.pick("history_wide.csv", "dashboard_export.csv")))
    return case.truth


@leak()
def label_deep_in_records(case: Case) -> pd.DataFrame:
    """A record of test still has its label, below another name."""
    need(case.test_path.suffix == ".json", "no records")
    told = set(case.some(float(case.rng.choice([0.5, 1.0]))))
    records = json.loads(case.test_path.read_text())
    for record in records:
        item = str(record[case.key])
        record["meta"] = {"source": "web", "tags": [str(case.labels[item])] if item in told else []}
    case.test_path.write_text(json.dumps(records))
    return case.truth.loc[[item for item in case.ids if item in told]]


@leak(weight=1, defect="unseen_labels")
def class_is_not_in_train(case: Case) -> pd.DataFrame:
    """All rows of one class were taken from train; what is to be predicted has it."""
    need(not case.is_numeric and not case.one_hot and len(case.targets) == 1, "no classes")
    train = read_table(case.train_path)
    codes = case.codes(case.train_labels(train))
    need(codes.max() >= 2, "two classes")
    write_table(case.train_path, train[codes != 1])
    return case.truth.iloc[:0]
