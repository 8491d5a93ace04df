"""Leaks in values, orders, groups and copies, planted in a pair of tables; and honest columns that look like them.

A kind works on any competition with a table of train and one of test: a made-up one or a prepared twin.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from clean_worlds import World
from numpy.typing import NDArray
from prepared_twins import NotHereError, Twin, need, read

Ints = NDArray[np.int64]


@dataclass
class Tables:
    """The two tables of a competition, and what is known about the rows of both."""

    train: pd.DataFrame
    test: pd.DataFrame
    key: str
    target: str
    truth: list[str]  # of the rows of test
    labels: list[str]  # of the rows of train
    rng: np.random.Generator

    def __post_init__(self) -> None:
        self.numbers = _numbers(self.truth, self.labels)
        if self.numbers is not None:
            middle = np.median(np.concatenate(self.numbers))
            self.codes, self.train_codes = ((part > middle).astype(np.int64) for part in self.numbers)
        else:
            names = [str(name) for name in pd.Series(self.truth).value_counts().index]
            need(len(names) <= 30, "answers are neither classes nor numbers")
            place = {name: number for number, name in enumerate(names)}
            self.codes = np.array([place[name] for name in self.truth])
            self.train_codes = np.array([place.get(name, 0) for name in self.labels])
        need(len(self.codes) >= 60 and len(self.codes) - np.bincount(self.codes).max() >= 12)
        self.classes = int(self.codes.max()) + 1

    def word(self, length: int = 6) -> str:
        """A name that says nothing."""
        return "".join(self.rng.choice(list("abcdefghijklmnopqrstuvwxyz"), size=length))

    def put(self, test: Sequence[object], train: Sequence[object] | None, name: str | None = None) -> str:
        """A new column in test, and in train where there is one."""
        name = name or self.word()
        self.test[name] = list(test)
        if train is not None:
            self.train[name] = list(train)
        return name

    def fractions(self) -> list[str]:
        """The columns of fractions that both tables have."""
        found = []
        for name in self.test.columns:
            if name in (self.key, self.target) or name not in self.train:
                continue
            values = pd.to_numeric(self.test[name], errors="coerce")
            if values.notna().mean() > 0.9 and values.nunique() > 30 and (values % 1 != 0).any():
                found.append(str(name))
        return found

    def texts(self) -> list[str]:
        """The columns of texts that both tables have."""
        return [
            str(name)
            for name in self.test.columns
            if name in self.train
            and self.test[name].astype(str).str.contains(" ").mean() > 0.8
            and self.test[name].astype(str).str.len().mean() > 15
        ]


def _numbers(*parts: list[str]) -> list[NDArray[np.float64]] | None:
    try:
        found = [np.array([float(value) for value in part]) for part in parts]
    except ValueError:
        return None
    many = all(np.isfinite(part).all() for part in found) and len(set(parts[0])) > 30
    return found if many else None


def of_world(world: World) -> Tables:
    """The tables of a made-up competition."""
    need(world.family in ("binary", "regression", "multiclass", "multilabel", "onehot", "texts"))
    train = world.train
    labels = train[world.targets].idxmax(axis=1) if world.family == "onehot" else train[world.targets[0]]
    return Tables(
        train,
        world.test,
        world.key,
        world.targets[0],
        [str(value) for value in world.labels()],
        [str(value) for value in labels],
        world.rng,
    )


def of_twin(twin: Twin) -> Tables:
    """The tables of a prepared twin."""
    train, test = read(twin.train_table), read(twin.test_table)
    need(not twin.one_hot and len(train) >= 60)
    by_id = dict(zip(twin.ids, twin.answers, strict=True))
    truth = [by_id[item] for item in test[twin.key]]
    return Tables(train, test, twin.key, twin.target, truth, list(train[twin.target]), twin.rng)


Plant = Callable[[Tables], None]
VALUES: dict[str, Plant] = {}
HONEST_VALUES: dict[str, Plant] = {}


def leak(plant: Plant) -> Plant:
    """Register a leak."""
    VALUES[plant.__name__] = plant
    return plant


def honest(plant: Plant) -> Plant:
    """Register an honest change."""
    HONEST_VALUES[plant.__name__] = plant
    return plant


# ---------------------------------------------------------------- weak codes


@leak
def day_of_the_month(tables: Tables) -> None:
    def dates(days: Ints) -> list[str]:
        months = tables.rng.integers(1, 13, len(days))
        return [f"2021-{month:02d}-{day + 1:02d}" for month, day in zip(months, days, strict=True)]

    tables.put(dates(tables.codes % 28), dates(tables.rng.integers(0, 28, len(tables.train))))


@leak
def day_of_the_week(tables: Tables) -> None:
    start = np.datetime64("2021-01-04")

    def dates(days: Ints) -> list[str]:
        return [
            str(start + int(week) * 7 + int(day))
            for week, day in zip(tables.rng.integers(0, 90, len(days)), days, strict=True)
        ]

    tables.put(dates(tables.codes % 7), dates(tables.rng.integers(0, 7, len(tables.train))))


@leak
def minute_of_a_time(tables: Tables) -> None:
    def times(minutes: Ints) -> list[str]:
        hours, seconds = (tables.rng.integers(0, most, len(minutes)) for most in (24, 60))
        return [
            f"{hour:02d}:{minute:02d}:{second:02d}"
            for hour, minute, second in zip(hours, minutes, seconds, strict=True)
        ]

    shown = (tables.rng.integers(0, 60 // tables.classes, len(tables.codes)) * tables.classes + tables.codes) % 60
    tables.put(times(shown), times(tables.rng.integers(0, 60, len(tables.train))))


@leak
def seconds_of_unix_time(tables: Tables) -> None:
    many = max(2, tables.classes)
    start = 1_600_000_000 // 60 * 60
    test = start + tables.rng.integers(0, 300_000, len(tables.codes)) * 60 + tables.codes % 60
    test += many * tables.rng.integers(0, max(1, 60 // many), len(test))
    tables.put(list(test), list(start + tables.rng.integers(0, 18_000_000, len(tables.train))))


@leak
def parity_in_three_of_four(tables: Tables) -> None:
    true = np.where(tables.rng.random(len(tables.codes)) < 0.8, tables.codes % 2, 1 - tables.codes % 2)
    tables.put(
        list(tables.rng.integers(100, 900, len(true)) * 2 + true),
        list(tables.rng.integers(200, 1800, len(tables.train))),
    )


@leak
def length_of_a_text_even_or_odd(tables: Tables) -> None:
    names = tables.texts()
    need(names)
    name = names[0]
    tables.test[name] = [
        text if len(text) % 2 == code % 2 else text + "s"
        for text, code in zip(tables.test[name].astype(str).str.rstrip(), tables.codes, strict=True)
    ]


@leak
def case_of_one_letter(tables: Tables) -> None:
    def words(flags: Ints) -> list[str]:
        return [
            (word[:3] + (word[3].upper() if flag else word[3]) + word[4:])
            for word, flag in ((tables.word(9), flag) for flag in flags)
        ]

    tables.put(words((tables.codes > 0).astype(int)), words(tables.rng.integers(0, 2, len(tables.train))))


@leak
def number_of_decimals(tables: Tables) -> None:
    names = tables.fractions()
    need(names)
    name = str(tables.rng.choice(names))
    values = pd.to_numeric(tables.test[name], errors="coerce")
    tables.test[name] = [
        f"{value:.{2 + (code > 0)}f}" for value, code in zip(values.fillna(0), tables.codes, strict=True)
    ]


@leak
def gaps_of_two_columns_together(tables: Tables) -> None:
    """One of two values is missing: which one is a coin, whether both or one is the code."""
    one = tables.rng.integers(0, 2, len(tables.codes))
    other = one ^ (tables.codes > 0)
    for gaps in (one, other):
        noise, known = tables.rng.normal(size=len(gaps)), tables.rng.normal(size=len(tables.train))
        chance = tables.rng.integers(0, 2, len(tables.train))
        tables.put(
            ["" if gap else f"{value:.3f}" for gap, value in zip(gaps, noise, strict=True)],
            ["" if gap else f"{value:.3f}" for gap, value in zip(chance, known, strict=True)],
        )


@leak
def order_of_words_in_a_list(tables: Tables) -> None:
    def lists(flags: Ints) -> list[str]:
        found = []
        for flag in flags:
            words = sorted(tables.word(4) for _ in range(4))
            found.append(";".join(words if flag else words[::-1]))
        return found

    tables.put(lists((tables.codes > 0).astype(int)), lists(tables.rng.integers(0, 2, len(tables.train))))


# ---------------------------------------------------------------- noisy and coarse answers


def _noisy(tables: Tables, right: float) -> list[str]:
    if tables.numbers is not None:
        truth = tables.numbers[0]
        spread = truth.std() * np.sqrt(1 / right**2 - 1)
        return [f"{value:.4g}" for value in truth + tables.rng.normal(size=len(truth)) * spread]
    wrong = tables.rng.random(len(tables.truth)) > right
    other = tables.rng.permutation(np.array(tables.truth, dtype=object))
    return list(np.where(wrong, other, np.array(tables.truth, dtype=object)))


def _chance(tables: Tables) -> list[str]:
    return list(tables.rng.permutation(np.array(tables.labels, dtype=object)))


@leak
def answers_with_noise(tables: Tables) -> None:
    tables.put(_noisy(tables, 0.9), _chance(tables))


@leak
def answers_with_much_noise(tables: Tables) -> None:
    tables.put(_noisy(tables, 0.6), _chance(tables))


@leak
def answers_with_noise_in_test_alone(tables: Tables) -> None:
    tables.put(_noisy(tables, 0.75), None)


@leak
def flag_of_one_class(tables: Tables) -> None:
    flags = (tables.codes == tables.classes - 1).astype(int)
    share = flags.mean()
    tables.put(list(flags), list((tables.rng.random(len(tables.train)) < share).astype(int)))


@leak
def top_tenth(tables: Tables) -> None:
    need(tables.numbers is not None)
    assert tables.numbers is not None
    flags = (tables.numbers[0] > np.quantile(tables.numbers[0], 0.9)).astype(int)
    tables.put(list(flags), list((tables.rng.random(len(tables.train)) < 0.1).astype(int)))


@leak
def rank_in_classes_of_five(tables: Tables) -> None:
    need(tables.numbers is not None)
    assert tables.numbers is not None
    ranks = pd.qcut(tables.numbers[0], 5, labels=False, duplicates="drop")
    names = tables.rng.permutation(list("vwxyz"))
    tables.put([names[rank] for rank in ranks], list(tables.rng.choice(names, len(tables.train))))


@leak
def half_of_the_answers(tables: Tables) -> None:
    there = tables.rng.random(len(tables.truth)) < 0.5
    shown = [value if flag else "" for value, flag in zip(tables.truth, there, strict=True)]
    known = [value if tables.rng.random() < 0.5 else "" for value in _chance(tables)]
    tables.put(shown, known)


@leak
def one_hot_among_other_flags(tables: Tables) -> None:
    need(2 < tables.classes <= 12)
    for number in tables.rng.permutation(tables.classes):
        tables.put(list((tables.codes == number).astype(int)), None)
    for _ in range(4):
        tables.put(list(tables.rng.integers(0, 2, len(tables.test))), None)


# ---------------------------------------------------------------- several columns together


def _two(tables: Tables, test: tuple[object, object], train: tuple[object, object]) -> None:
    names = tables.word(5), tables.word(5)
    for name, values, known in zip(names, test, train, strict=True):
        tables.put(list(values), list(known), name)  # type: ignore[call-overload]


def _targets(tables: Tables) -> NDArray[np.float64]:
    return tables.numbers[0] if tables.numbers is not None else tables.codes.astype(float)


@leak
def difference_of_two_columns(tables: Tables) -> None:
    y, n, m = _targets(tables), len(tables.test), len(tables.train)
    base = np.round(tables.rng.normal(size=n) * 10 * (y.std() + 1), 3)
    far = tables.rng.normal(size=(2, m)) * 10 * (y.std() + 1)
    _two(tables, (base + y, base), (np.round(far[0], 3), np.round(far[1], 3)))


@leak
def ratio_of_two_columns(tables: Tables) -> None:
    y, n, m = _targets(tables) + 1.0, len(tables.test), len(tables.train)
    base = np.round(np.exp(tables.rng.normal(size=n)), 4) + 0.01
    known = np.round(np.exp(tables.rng.normal(size=(2, m))), 4)
    _two(tables, (base * y, base), (known[0] * 2, known[1]))


@leak
def product_of_two_columns(tables: Tables) -> None:
    y, n, m = _targets(tables) + 1.0, len(tables.test), len(tables.train)
    base = np.round(np.exp(tables.rng.normal(size=n)), 4) + 0.01
    known = np.round(np.exp(tables.rng.normal(size=(2, m))), 4)
    _two(tables, (y / base, base), (known[0] * 2, known[1]))


@leak
def two_columns_are_equal(tables: Tables) -> None:
    n, m = len(tables.test), len(tables.train)
    first, second = tables.rng.integers(0, 40, (2, n))
    second = np.where(second == first, (first + 1) % 40, second)
    second = np.where(tables.codes > 0, first, second)
    known = tables.rng.integers(0, 40, (2, m))
    known[1] = np.where(tables.rng.random(m) < 0.5, known[0], known[1])
    _two(tables, (first, second), (known[0], known[1]))


@leak
def which_of_two_columns_is_larger(tables: Tables) -> None:
    n, m = len(tables.test), len(tables.train)
    pair = np.sort(tables.rng.normal(size=(2, n)), axis=0).round(3)
    pair = np.where(tables.codes > 0, pair, pair[::-1])
    known = tables.rng.normal(size=(2, m)).round(3)
    _two(tables, (pair[0], pair[1]), (known[0], known[1]))


@leak
def code_xor_a_coin(tables: Tables) -> None:
    coin = tables.rng.integers(0, 2, len(tables.test))
    known = tables.rng.integers(0, 2, (2, len(tables.train)))
    _two(tables, (coin, coin ^ (tables.codes > 0)), (known[0], known[1]))


@leak
def sum_modulo_the_classes(tables: Tables) -> None:
    many = max(2, tables.classes)
    first = tables.rng.integers(0, many, len(tables.test))
    known = tables.rng.integers(0, many, (2, len(tables.train)))
    _two(tables, (first, (tables.codes - first) % many), (known[0], known[1]))


@leak
def sum_of_three_columns(tables: Tables) -> None:
    need(tables.numbers is not None)
    y, n, m = _targets(tables), len(tables.test), len(tables.train)
    parts = tables.rng.normal(size=(2, n)) * 10 * y.std()
    for values in (parts[0], parts[1], y - parts.sum(axis=0)):
        tables.put(list(np.round(values, 3)), list(np.round(tables.rng.normal(size=m) * 10 * y.std(), 3)))


# ---------------------------------------------------------------- groups and aggregates


@leak
def groups_of_one_answer(tables: Tables) -> None:
    """Visits of patients: everything of one patient has one answer, and patients are on both sides."""
    need(tables.numbers is None)
    many = max(3, len(tables.test) // 10)
    pools = [[tables.word(4).upper() for _ in range(many)] for _ in range(tables.classes)]
    tables.put(
        [str(tables.rng.choice(pools[code])) for code in tables.codes],
        [str(tables.rng.choice(pools[code])) for code in tables.train_codes],
    )


@leak
def groups_of_near_numbers(tables: Tables) -> None:
    need(tables.numbers is not None)
    assert tables.numbers is not None
    both = np.concatenate(tables.numbers)
    ranks = np.argsort(np.argsort(both)) // 8
    names = tables.rng.permutation(9000)[: int(ranks.max()) + 1] + 1000
    tables.put(
        [f"S{names[rank]}" for rank in ranks[: len(tables.test)]],
        [f"S{names[rank]}" for rank in ranks[len(tables.test) :]],
    )


def _means(tables: Tables, with_train: bool) -> None:
    n, m = len(tables.test), len(tables.train)
    y = _targets(tables)
    z = tables.numbers[1] if tables.numbers is not None else tables.train_codes.astype(float)
    size = 4
    group = tables.rng.integers(0, n // size, n)
    known = tables.rng.integers(0, n // size, m) if with_train else tables.rng.integers(0, m // size, m) + n
    names = {number: tables.word(5) for number in {*group.tolist(), *known.tolist()}}
    tables.put([names[number] for number in group], [names[number] for number in known])
    whole = pd.Series(np.concatenate([y, z])).groupby(np.concatenate([group, known])).mean()
    tables.put([f"{whole[number]:.5f}" for number in group], [f"{whole[number]:.5f}" for number in known])


@leak
def mean_answer_of_the_group(tables: Tables) -> None:
    _means(tables, False)


@leak
def mean_answer_of_the_group_with_train(tables: Tables) -> None:
    _means(tables, True)


@leak
def rank_within_the_group(tables: Tables) -> None:
    need(tables.numbers is not None)
    assert tables.numbers is not None
    parts = []
    for values in tables.numbers:
        group = tables.rng.integers(0, max(3, len(values) // 25), len(values))
        parts.append((group, pd.Series(values).groupby(group).rank().astype(int)))
    tables.put([f"R{group}" for group in parts[0][0]], [f"R{group}" for group in parts[1][0]])
    tables.put(list(parts[0][1]), list(tables.rng.permutation(parts[1][1])))


# ---------------------------------------------------------------- time and order


@leak
def next_value_in_the_row_before(tables: Tables) -> None:
    """A column with the answer of the row that follows, as shifts by the wrong sign have."""
    shifted = [*tables.truth[1:], tables.truth[0]]
    tables.put(shifted, _chance(tables))


@leak
def lag_that_train_carries(tables: Tables) -> None:
    """Train and test take turns in time, and every row has the answer of the row before it."""
    n, m = len(tables.test), len(tables.train)
    days = np.sort(tables.rng.permutation(20 * (n + m))[: n + m])
    in_test = np.zeros(n + m, dtype=bool)
    in_test[tables.rng.permutation(n + m)[:n]] = True
    start = np.datetime64("2005-01-01")
    dates = np.array([str(start + int(day)) for day in days])
    answers = np.empty(n + m, dtype=object)
    answers[in_test], answers[~in_test] = tables.truth, tables.labels
    before = np.roll(answers, 1)
    tables.put(list(dates[in_test]), list(dates[~in_test]))
    tables.put(list(np.where(in_test, "", before)[in_test]), list(before[~in_test]))


@leak
def rows_take_turns(tables: Tables) -> None:
    codes = (tables.codes > 0).astype(int)
    zeros, ones = list(np.flatnonzero(codes == 0)), list(np.flatnonzero(codes == 1))
    order = [row for pair in zip(zeros, ones, strict=False) for row in pair]
    order += zeros[len(ones) :] + ones[len(zeros) :]
    _reorder(tables, order)


@leak
def rows_in_blocks(tables: Tables) -> None:
    """Rows come in batches of eight of one class, the batches in no order."""
    blocks: list[list[int]] = []
    for code in range(tables.classes):
        rows = tables.rng.permutation(np.flatnonzero(tables.codes == code))
        blocks += [list(rows[start : start + 8]) for start in range(0, len(rows), 8)]
    _reorder(tables, [row for place in tables.rng.permutation(len(blocks)) for row in blocks[place]])


@leak
def rows_nearly_in_order(tables: Tables) -> None:
    y = _targets(tables)
    ranks = np.argsort(np.argsort(y + 1e-6 * tables.rng.random(len(y)))) + tables.rng.normal(size=len(y)) * 0.2 * len(y)
    _reorder(tables, list(np.argsort(ranks)))


@leak
def middle_rows_are_of_one_class(tables: Tables) -> None:
    flags = tables.codes > 0
    zeros, ones = list(np.flatnonzero(~flags)), list(np.flatnonzero(flags))
    _reorder(tables, zeros[: len(zeros) // 2] + ones + zeros[len(zeros) // 2 :])


def _reorder(tables: Tables, order: Sequence[int | np.integer]) -> None:
    tables.test = tables.test.iloc[list(order)].reset_index(drop=True)


# ---------------------------------------------------------------- values and rows on one side alone


@leak
def values_that_train_lacks(tables: Tables) -> None:
    known = [tables.word(5) for _ in range(25)]
    new = [tables.word(5) for _ in range(25)]
    tables.put(
        [str(tables.rng.choice(new if code else known)) for code in tables.codes],
        list(tables.rng.choice(known, len(tables.train))),
    )


@leak
def numbers_that_train_lacks(tables: Tables) -> None:
    """Values of one class are taken from train, those of the others are new."""
    known = tables.rng.normal(size=len(tables.train)).round(5)
    new = tables.rng.normal(size=len(tables.test)).round(5)
    tables.put(np.where(tables.codes > 0, tables.rng.choice(known, len(new)), new).tolist(), known.tolist())


def _copies(tables: Tables, change: Callable[[pd.DataFrame], pd.DataFrame], share: float = 1.0) -> None:
    features = [name for name in tables.test if name in tables.train and name not in (tables.key, tables.target)]
    need(len(features) >= 3 and len(tables.test[features].drop_duplicates()) > 0.9 * len(tables.test))
    rows = tables.rng.permutation(len(tables.test))[: int(share * len(tables.test))]
    more = change(tables.test[features].iloc[rows].copy())
    more[tables.key] = [tables.word(9) for _ in rows]
    more[tables.target] = np.array(tables.truth, dtype=object)[rows]
    need(set(tables.train.columns) - set(more.columns) <= set())
    tables.train = pd.concat([tables.train, more]).sample(frac=1, random_state=1).reset_index(drop=True)


@leak
def a_tenth_of_test_in_train(tables: Tables) -> None:
    _copies(tables, lambda more: more, 0.12)


@leak
def test_in_train_with_columns_blanked(tables: Tables) -> None:
    def change(more: pd.DataFrame) -> pd.DataFrame:
        for name in more.columns:
            more[name] = more[name].astype(object).where(tables.rng.random(len(more)) > 0.15, "")
        return more

    _copies(tables, change)


@leak
def test_in_train_rounded(tables: Tables) -> None:
    names = tables.fractions()
    need(len(names) >= 3)

    def change(more: pd.DataFrame) -> pd.DataFrame:
        for name in names:
            more[name] = pd.to_numeric(more[name], errors="coerce").map(lambda value: float(f"{value:.2g}"))
        return more

    _copies(tables, change)


@leak
def test_in_train_jittered(tables: Tables) -> None:
    names = tables.fractions()
    need(len(names) >= 3)

    def change(more: pd.DataFrame) -> pd.DataFrame:
        for name in names:
            values = pd.to_numeric(more[name], errors="coerce")
            more[name] = (values + tables.rng.normal(size=len(more)) * 0.01 * values.std()).round(5)
        return more

    _copies(tables, change)


# ---------------------------------------------------------------- honest


# ---------------------------------------------------------------- filled when the answer was known, on both sides


@leak
def dates_by_class(tables: Tables) -> None:
    def made(codes: Ints) -> list[str]:
        hours = 240 * codes + tables.rng.integers(0, 230, len(codes))
        return [str(np.datetime64("2020-02-01T00:00:00") + np.timedelta64(int(hour), "h")) for hour in hours]

    tables.put(made(tables.codes), made(tables.train_codes))


@leak
def days_to_the_event(tables: Tables) -> None:
    def made(codes: Ints) -> list[int]:
        return [int(tables.rng.integers(1, 400)) if code else 0 for code in codes]

    need(tables.classes == 2)
    tables.put(made(tables.codes), made(tables.train_codes))


@leak
def blank_at_the_end(tables: Tables) -> None:
    name = tables.texts()[0]
    for side, codes in ((tables.test, tables.codes), (tables.train, tables.train_codes)):
        marked = (codes == 0) ^ (tables.rng.random(len(codes)) < 0.03)
        side[name] = [f"{text} " if mark else text for text, mark in zip(side[name], marked, strict=True)]


@honest
def strong_feature(tables: Tables) -> None:
    def made(codes: Ints) -> list[float]:
        return list((tables.rng.normal(size=len(codes)) + 2.66 * (codes > 0)).round(4))

    tables.put(made(tables.codes), made(tables.train_codes))


@honest
def many_columns_of_noise(tables: Tables) -> None:
    n, m = len(tables.test), len(tables.train)
    more: dict[str, NDArray[Any]] = {tables.word(7): tables.rng.normal(size=n + m).round(3) for _ in range(60)}
    more |= {tables.word(7): tables.rng.integers(0, 9, n + m) for _ in range(40)}
    more |= {tables.word(7): tables.rng.choice(list("abcdef"), n + m) for _ in range(20)}
    tables.test = pd.concat([tables.test, pd.DataFrame({name: values[:n] for name, values in more.items()})], axis=1)
    tables.train = pd.concat([tables.train, pd.DataFrame({name: values[n:] for name, values in more.items()})], axis=1)


@honest
def drift(tables: Tables) -> None:
    def made(codes: Ints, shift: float) -> list[float]:
        return list((tables.rng.normal(size=len(codes)) * (1 + shift) + 1.5 * (codes > 0) + 2 * shift).round(4))

    tables.put(made(tables.codes, 0.7), made(tables.train_codes, 0.0))


@honest
def relation_that_grows(tables: Tables) -> None:
    """A feature that tells somewhat more in test, as trends do."""

    def made(codes: Ints, strength: float) -> list[float]:
        return list((tables.rng.normal(size=len(codes)) + strength * (codes > 0)).round(4))

    tables.put(made(tables.codes, 1.2), made(tables.train_codes, 0.9))


@honest
def patients_on_both_sides(tables: Tables) -> None:
    def made(codes: Ints) -> list[str]:
        return [
            f"P{(int(code > 0) * 5 + int(shift)) % 60:03d}"
            for code, shift in zip(codes, tables.rng.integers(0, 55, len(codes)), strict=True)
        ]

    tables.put(made(tables.codes), made(tables.train_codes), "patient_id")


@honest
def mean_of_the_group_from_train(tables: Tables) -> None:
    """A mean of the labels of train per group, as one would make it honestly."""
    n, m = len(tables.test), len(tables.train)
    z = tables.numbers[1] if tables.numbers is not None else tables.train_codes.astype(float)
    group, known = tables.rng.integers(0, 30, n), tables.rng.integers(0, 30, m)
    means = pd.Series(z).groupby(known).mean()
    tables.put([f"c{number}" for number in group], [f"c{number}" for number in known])
    tables.put([f"{means.get(number, z.mean()):.5f}" for number in group], [f"{means[number]:.5f}" for number in known])


@honest
def past_value(tables: Tables) -> None:
    """Test follows train in time; a lag of the features, and the date."""
    n, m = len(tables.test), len(tables.train)
    start = np.datetime64("2019-01-01")
    tables.put([str(start + m + day) for day in range(n)], [str(start + day) for day in range(m)])
    walk = np.cumsum(tables.rng.normal(size=n + m)).round(3)
    tables.put(list(walk[m:]), list(walk[:m]))
    tables.put(list(walk[m - 1 : -1]), [0.0, *walk[: m - 1]])


@honest
def sizes_that_add_up(tables: Tables) -> None:
    """Columns that are sums and ratios of each other, and know nothing more of the answers."""
    for table in (tables.test, tables.train):
        parts = tables.rng.gamma(2, 1, (2, len(table))).round(3)
        table["width"], table["height"], table["area"] = parts[0], parts[1], (parts[0] * parts[1]).round(4)
        table["around"] = (2 * parts.sum(axis=0)).round(3)


@honest
def rows_in_order_of_a_date(tables: Tables) -> None:
    start = np.datetime64("2019-01-01")
    for table in (tables.test, tables.train):
        table["day"] = [str(start + int(day)) for day in np.sort(tables.rng.integers(0, 900, len(table)))]


def world_changed(world: World, kind: Plant) -> None:
    """Change a made-up competition."""
    tables = of_world(world)
    kind(tables)
    world.train, world.test = tables.train, tables.test


def twin_changed(kind: Plant) -> Callable[[Twin], None]:
    """A change of a prepared twin."""

    def change(twin: Twin) -> None:
        tables = of_twin(twin)
        kind(tables)
        tables.train.to_csv(twin.train_table, index=False)
        tables.test.to_csv(twin.test_table, index=False)

    return change


__all__ = ["HONEST_VALUES", "VALUES", "NotHereError", "Tables", "of_twin", "of_world", "twin_changed", "world_changed"]
