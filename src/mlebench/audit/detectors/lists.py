"""Answers that are lists, at the end of what is known of an item: of its history, or of its entries in a log.

Whoever bought what is to be predicted is in a log that goes on past the day on which it should end. All that a list
has in common with the answer tells little, for people buy again what they bought; that it ends with the answer is no
chance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mlebench.audit.finding import Found, Prediction
from mlebench.audit.item_files import slot_of
from mlebench.audit.matching import Matched
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, as_numbers, is_missing, texts
from mlebench.audit.targets import Items, Target, plain_key

_FEWEST, _FEWEST_KNOWN = 8, 20  # items to predict, whose lists may be long; items of train
_MOST_COLUMNS, _MOST_ROWS = 40, 300_000
_RIGHT, _DIGITS = 0.5, 10.0
_SOME = 0.15  # right, and more than in train, where the same can be seen in train
_MORE = 0.2  # than in train, where it may be so, too, in a text
_CERTAIN = 0.97
Lists = dict[int, list[str]]


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns and logs that end with the answers."""
    for target in survey.test.targets:
        if target.is_derived or target.numbers is not None or not are_lists(target.values):
            continue
        for matched in survey.matched_test:
            if not matched.has_keys:
                continue
            for name, lists in endings(matched, survey.test):
                found = _judged(survey, target, matched, name, lists)
                if found is not None:
                    yield found
                    break


def are_lists(values: Texts) -> bool:
    """Whether values are mostly several words each."""
    some = [len(value.split()) for value in values[:500] if value]
    return len(some) >= _FEWEST and float(np.mean(some)) > 1.2


def endings(matched: Matched, items: Items) -> Iterator[tuple[str, Lists]]:
    """(column, the words of each item) of lists in one cell, and of the rows of a log in the order of a column."""
    table = matched.table
    if matched.by not in table.columns or len(table) <= 1.2 * len(matched.items):
        for column in matched.whole_columns[:_MOST_COLUMNS]:
            if are_lists(column.values):
                words = [(value or "").split() for value in column.values]
                yield column.column, dict(zip(column.items.tolist(), words, strict=True))
        return
    if len(table) > _MOST_ROWS:
        return
    others = {name: values for name, values in list(table.columns.items())[:_MOST_COLUMNS] if name != matched.by}
    orders = {name: numbers for name, values in others.items() if (numbers := as_numbers(values)) is not None}
    owners = [items.names.get(plain_key(value), ()) if value else () for value in table.columns[matched.by]]
    for by, numbers in orders.items():
        rows = np.argsort(numbers, kind="stable")
        for name, values in others.items():
            if name == by:
                continue
            lists: Lists = {}
            for row in rows.tolist():
                if not is_missing(values[row]):
                    for item in owners[row]:
                        lists.setdefault(item, []).append(str(values[row]))
            yield f"{name} in the order of {by}", lists


def _judged(survey: Survey, target: Target, matched: Matched, name: str, lists: Lists) -> Found | None:
    known = [item for item, words in lists.items() if target.values[item] and words]
    if len(known) < max(_FEWEST, 0.3 * survey.test.size):
        return None
    ends = [_end(lists[item], target.values[item]) for item in known]
    hits = sum(_same(end, target.values[item]) for end, item in zip(ends, known, strict=True))
    longer = np.mean([len(lists[item]) > len(str(target.values[item]).split()) for item in known])
    share = hits / len(known)
    if share < _SOME or longer < _RIGHT:
        return None  # equal lists are found as such
    moved = [known[-1], *known[:-1]]
    chance = sum(
        _same(_end(lists[one], target.values[two]), target.values[two]) for one, two in zip(known, moved, strict=True)
    )
    if of_hits(hits, len(known), max(chance / len(known), 1e-3)) < _DIGITS:
        return None
    in_train = _in_train(survey, target, matched, name)
    if share < _RIGHT and (
        in_train is None or share - in_train < _SOME or of_hits(hits, len(known), max(in_train, 1e-3)) < _DIGITS
    ):
        return None
    if in_train is not None and share - in_train < _MORE and share < _CERTAIN and share >= _RIGHT:
        return None
    words = f"It ends with the answers for {target.name}: the last words are those of {hits:,} of {len(known):,} items"
    if in_train is not None:
        words += f"; in train of {in_train:.0%}"
    rows = survey.task.rows[np.array(known)]
    prediction = Prediction(target.name, target.column, rows, texts(" ".join(end) for end in ends))
    where = f"{matched.table.where}: {name}"
    return Found("answers_in_public", "leak", where, f"{words}.", rank=1 + share, predictions=(prediction,))


def _in_train(survey: Survey, target: Target, test: Matched, name: str) -> float | None:
    """How often a column, or the log, ends with the label for items of train; None where train has none."""
    known = survey.train.target(target.name) if survey.train is not None else None
    if known is None or survey.train is None:
        return None
    for matched in sorted(survey.matched_train, key=lambda one: slot_of(one.table.where) != slot_of(test.table.where)):
        column = next((column for column in matched.columns if column.column == name), None)
        if column is not None and len(column.items):
            lists = {
                item: (value or "").split() for value, item in zip(column.values, column.items.tolist(), strict=True)
            }
        elif matched.has_keys and slot_of(matched.table.where) == slot_of(test.table.where):
            lists = next((found for other, found in endings(matched, survey.train) if other == name), {})
        else:
            continue
        pairs = [(words, known.values[item]) for item, words in lists.items()]
        if len(pairs) >= _FEWEST_KNOWN:
            return float(np.mean([_same(_end(words, label), label) for words, label in pairs]))
    return None


def _end(words: Sequence[str], answer: str | None) -> list[str]:
    count = len(set((answer or "").split()))
    last: list[str] = []
    for word in reversed(words):
        if len(last) < count and word not in last:
            last.append(word)
    return last[::-1]


def _same(words: Sequence[str], answer: str | None) -> bool:
    return set(words) == set((answer or "").split())
