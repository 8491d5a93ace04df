"""Rows of the test table in other tables, without ids, and what stands beside them there.

A table of one's own making may have the texts or the numbers of the items to predict with their labels, in any order.
So rows are recognised by a value that no other item has, or by several values together, such as a shop and a date, also
where each shop has a column of its own. Texts are the same in other punctuation, too, and where they were cut off.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.column_values import Relation
from mlebench.audit.finding import Found
from mlebench.audit.matching import Matched
from mlebench.audit.predicting import predicted_values, predictions
from mlebench.audit.relations import relation
from mlebench.audit.survey import Survey
from mlebench.audit.table import Table, Texts, as_numbers, canonical, canonical_column, texts
from mlebench.audit.targets import plain_key

_MOST_TABLES = 60
_MOST_ROWS = 100_000
_FEWEST = 12
_SHARE = 0.1  # of the items that must be recognised
_TELLS = 0.6
_MOST_COLUMNS = 200
_LONG, _FINE = 12, 5  # characters of a text and digits of a number that no two items have by chance
_FEW_COLUMNS = 12  # of a table whose columns are recognised by their values
_BEGINNING = 40  # characters of a text that was cut off, at least
_WORD = re.compile(r"\w+")
_ENOUGH = 3  # columns with the same names tell that rows are the same; of fewer only the answers themselves count
_Key = tuple[str | None, ...]


@dataclass(frozen=True)
class _Source:
    """A table with the items to predict, and what they are recognised by."""

    matched: Matched

    @property
    def where(self) -> str:
        return self.matched.table.where

    @property
    def items(self) -> NDArray[np.int64]:
        return self.matched.items

    @cached_property
    def columns(self) -> dict[str, Texts]:
        return {column.column: column.values for column in self.matched.whole_columns}

    @cached_property
    def known(self) -> dict[str, set[str | None]]:
        """The values of each column."""
        return {name: {canonical(value) for value in set(values)} for name, values in self.columns.items()}

    @cached_property
    def single(self) -> list[dict[str | None, int]]:
        """The row of each value that only one item has, for each column of such."""
        found = (_unique(values) for values in self.columns.values())
        return [keys for keys in found if keys is not None]

    @cached_property
    def worded(self) -> list[dict[str | None, int]]:
        """The same of texts by their words alone."""
        found = (_unique(_words_of(values)) for values in self.columns.values() if _are_texts(values))
        return [keys for keys in found if keys is not None]

    @cached_property
    def begun(self) -> list[dict[str, tuple[int, str]]]:
        """The row and the words of each text by its beginning, where no other begins so."""
        found = []
        for keys in self.worded:
            begins: dict[str, list[tuple[int, str]]] = {}
            for text, row in keys.items():
                if text and len(text) > _BEGINNING:
                    begins.setdefault(text[:_BEGINNING], []).append((row, text))
            found.append({begin: rows[0] for begin, rows in begins.items() if len(rows) == 1})
        return found


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for tables that have rows of the test table, and more columns."""
    sources = [
        matched
        for matched in survey.matched_test
        if matched.has_keys and len(matched.items) >= max(_FEWEST, 0.5 * survey.test.size)
    ]
    named = set() if survey.train_table is None else set(survey.train_table.columns)
    # What train has, too, is what is known of the items; embeddings and other tables with their ids come after it.
    sources = sorted(sources, key=lambda matched: -len(named & set(matched.table.columns)))[:2]
    known = {
        id(matched.table)
        for matched in survey.matched_test
        if not matched.in_order and not any(column.column == "(number of rows)" for column in matched.columns)
    }
    tables = [
        table
        for table in survey.tables
        if not table.is_artifact and id(table) not in known and _FEWEST <= len(table) <= _MOST_ROWS
    ]
    for source in map(_Source, sources):
        for table in tables[:_MOST_TABLES]:
            for form in (table, *_molten(table, source.known)):
                found = _in_table(survey, source, form)
                if found is not None:
                    yield found
                    break


def _molten(table: Table, known: dict[str, set[str | None]]) -> Iterator[Table]:
    """A table with a column for each value of a column of test, such as a shop, with a row for each of its cells."""
    if len(table.columns) < _ENOUGH or len(table) * len(table.columns) > _MOST_ROWS:
        return
    for name, values in known.items():
        named = [other for other in table.columns if canonical(other) in values]
        if len(named) < _ENOUGH or len(values) < _ENOUGH:
            continue
        rest = [other for other in table.columns if other not in named][:_FEW_COLUMNS]
        repeated = {other: np.tile(table.columns[other], len(named)) for other in rest}
        cells = np.concatenate([table.columns[other] for other in named])
        yield Table(table.where, {**repeated, name: np.repeat(texts(named), len(table)), "its cells": cells})


def _unique(values: Texts) -> dict[str | None, int] | None:
    """The row of each value, where values are too long to be equal by chance and few repeat."""
    some = [value for value in values[:300] if value]
    if len(some) < _FEWEST or len(set(some)) < 0.8 * len(some):
        return None
    numbers = as_numbers(values[:300])
    if numbers is not None:
        if np.mean([sum(map(str.isdigit, value)) for value in some]) < _FINE or all("." not in value for value in some):
            return None
    elif np.mean([len(value) for value in some]) < _LONG:
        return None
    rows: dict[str | None, int] = {}
    twice: set[str | None] = set()
    for row, value in enumerate(values):
        key = canonical(value)
        if key in rows:
            twice.add(key)
        rows[key] = row
    return {key: row for key, row in rows.items() if key and key not in twice}


def _are_texts(values: Texts) -> bool:
    some = [value for value in values[:300] if value]
    is_long = sum(map(len, some)) >= _LONG * max(len(some), 1)
    return len(some) >= _FEWEST and is_long and as_numbers(values[:300]) is None


def _words_of(values: Texts) -> Texts:
    return texts(" ".join(_WORD.findall(value.lower())) if value else None for value in values)


def _in_table(survey: Survey, source: _Source, table: Table) -> Found | None:
    for by, places, owners in _pairings(source, table):
        if len(set(owners)) < max(_FEWEST, _SHARE * len(source.items)):
            continue
        _, first = np.unique(owners, return_index=True)
        rows, mine = np.array(places)[first], source.items[np.array(owners)[first]]
        if _are_train(survey, table, by, rows):
            continue  # items that train repeats are looked at by themselves
        for name, values in table.columns.items():
            if name in by or name in source.columns:
                continue
            found = _told(survey, source.where, table.where, name, values[rows], mine, by)
            if found is not None and 1 < len(by) < _ENOUGH and found.kind != "answers_in_public":
                continue  # what is known of a shop and a date may be there to be used
            if found is not None:
                return found
    return None


def _are_train(survey: Survey, table: Table, by: tuple[str, ...], rows: NDArray[np.int64]) -> bool:
    """Whether most of these rows are in train as well, under the same names: a copy of train, whose rows repeat."""
    train = survey.train_table
    if train is None:
        return False
    if table is train:
        key = survey.task.key_columns[0] if survey.task.key_columns else None
        if key is None or key not in table.columns:
            return True
        # Not those that train is known to have: of a large train that is a sample.
        return sum(plain_key(name) in survey.test.names for name in table.columns[key][rows]) < 0.5 * len(rows)
    if any(name not in train.columns for name in by):
        return False
    known = set(_keys([train.columns[name] for name in by]))
    mine = _keys([table.columns[name][rows] for name in by])
    return sum(key in known for key in mine) > 0.5 * len(mine)


def _pairings(source: _Source, table: Table) -> Iterator[tuple[tuple[str, ...], list[int], list[int]]]:
    """(the columns, rows of the table, rows of test) that have the same values."""
    for name, values in list(table.columns.items())[:_MOST_COLUMNS]:
        for places, owners in _by_value(source, values):
            if len(places) >= _FEWEST:
                yield (name,), places, owners
    for mine, theirs in _same_columns(source.columns, source.known, table):
        rows: dict[_Key, list[int]] = {}
        for row, key in enumerate(_keys([source.columns[name] for name in mine])):
            rows.setdefault(key, []).append(row)
        once = {key: found[0] for key, found in rows.items() if len(found) == 1}
        if len(once) < 0.5 * len(next(iter(source.columns.values()))):
            continue
        keys_there = _keys([table.columns[name] for name in theirs])
        places = [place for place, key in enumerate(keys_there) if key in once]
        yield theirs, places, [once[keys_there[place]] for place in places]


def _by_value(source: _Source, values: Texts) -> Iterator[tuple[list[int], list[int]]]:
    """(rows of the table, rows of test) whose value of one column is the same, or the same text."""
    plain = canonical_column(values)
    for keys in source.single:
        places = [place for place, value in enumerate(plain) if value in keys]
        yield places, [keys[plain[place]] for place in places]
    if not source.worded or not _are_texts(values):
        return
    words = _words_of(values)
    for keys in source.worded:
        places = [place for place, value in enumerate(words) if value in keys]
        yield places, [keys[words[place]] for place in places]
    for begun in source.begun:
        cut = [(place, text, begun.get(text[:_BEGINNING])) for place, text in enumerate(words) if text]
        same = [
            (place, known[0])
            for place, text, known in cut
            if known is not None and (known[1].startswith(text) or text.startswith(known[1]))
        ]
        yield [place for place, _ in same], [row for _, row in same]


def _same_columns(
    columns: dict[str, Texts], known: dict[str, set[str | None]], table: Table
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """(columns of test, columns of a table) that are the same: by their names, or by what is in them."""
    shared = tuple(name for name in columns if name in table.columns)
    if len(shared) >= 2:
        yield shared, shared
    if len(table.columns) > _FEW_COLUMNS or len(columns) > 4 * _FEW_COLUMNS:
        return
    alike: dict[str, str] = {}
    for name, values in table.columns.items():
        there = {canonical(value) for value in set(values)}
        fits = [mine for mine, here in known.items() if len(there) > 1 and len(there & here) > 0.5 * len(there)]
        if fits:  # the one whose values are all there, and few others
            alike[name] = max(fits, key=lambda mine: len(there & known[mine]) / len(there | known[mine]))
    for pair in combinations(alike, 2):
        mine = tuple(alike[name] for name in pair)
        if mine[0] != mine[1] and pair != mine:
            yield mine, pair


def _keys(columns: list[Texts]) -> list[_Key]:
    return list(zip(*(canonical_column(column) for column in columns), strict=True))


def _told(
    survey: Survey, where: str, there: str, name: str, values: Texts, items: NDArray[np.int64], by: tuple[str, ...]
) -> Found | None:
    for target in survey.test.targets:
        part = target.part(items)
        if target.is_derived or not part.varies:
            continue
        found: Relation = relation(values, part, survey.test.ids[items], thorough=False)
        if found.power < _TELLS or found.strength.digits < 8 or not found.codes:
            continue
        spoken = predicted_values(values, found, part)
        same = by[0] if len(by) == 1 else f"{len(by)} columns"
        return Found(
            "duplicates" if found.strength.form != "equal" else "answers_in_public",
            "leak",
            f"{there}: {name}",
            f"{len(items):,} rows of {where} are there too, by equal values of {same}, and {name} beside them "
            f"{found.what} for {target.name} ({found.power:.0%}).",
            rank=found.power * len(items) / survey.test.size,
            predictions=predictions(target, survey.task.rows[items], spoken),
        )
    return None
