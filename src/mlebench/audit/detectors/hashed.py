"""Hashes of items together with their answers, as manifests have them to check a file: with few answers each is tried.

What is hashed may be an id and an answer, a row of the answers, or a row of the test table with its answer, however
these are joined. A hash of a public row alone says nothing.
"""

from __future__ import annotations

import base64
import csv
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.encodings import HASHES, MARKS, writings
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.matching import Aligned, Matched
from mlebench.audit.survey import Survey
from mlebench.audit.table import Table, Texts
from mlebench.audit.targets import Target, plain_key
from mlebench.files.regular import open_regular

_MOST_COLUMNS, _MOST_TABLES, _MOST_CELLS = 20, 3, 200
_FEWEST, _FIRST, _TRIED, _ENOUGH = 8, 4, 40, 0.7  # items: in all, of which one must fit, and of which so many
_SHORTEST = 5  # characters of a hash that was cut off
_LONG_ENOUGH = 8  # characters that none of many hashes has by chance
_MAY_FIT = 0.1  # codes by chance, of which many more must fit
_DISTINCT, _PROBE = 0.9, 60
_MOST_BYTES = 64 << 20  # of the answers
_FURTHER_MARKS = ("\t", ";", "=", "::", ", ", ": ", "->", "\n")
_ENDINGS = ("", "\n", "\r\n")
_OF_CELLS = (",", "|", ";", "\t", "", "_", " ", ":")  # between the cells of a row
_CODE = re.compile(r"[0-9A-Za-z+/_\-]{5,140}={0,6}")
_NAMED = re.compile(r"^(?:[A-Za-z][\w\-]{1,11}[:$]|0[xX])")  # as sha256: in front
_HEX = re.compile(r"[0-9A-Fa-f]+")
_ENCODINGS = (base64.b64encode, base64.urlsafe_b64encode, base64.b32encode)
_AS_NUMBER = ("CRC-32", "Adler-32")


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for columns of hashes, those of items first, then those without ids in any order."""
    columns = [column for column in survey.test_columns if _may_be_of_items(column)][:_MOST_COLUMNS]
    loose = [pair for table in survey.tables for pair in _without_ids(table, survey.test.size)][:_MOST_COLUMNS]
    targets = [target for target in survey.test.targets if not target.is_derived]
    hashed, told = _Hashed(survey), set()  # one finding per file, whichever way it is read
    for where, name, codes, items in (
        *((column.where, column.column, column.values, column.items) for column in columns),
        *((where, name, codes, None) for where, name, codes in loose),
    ):
        found = (_found(survey, f"{where}: {name}", codes, items, target, hashed) for target in targets)
        if where not in told and (first := next((one for one in found if one is not None), None)) is not None:
            told.add(where)
            yield first


def _may_be_of_items(column: Aligned) -> bool:
    return not column.is_artifact and column.by != "itself" and _are_hashes(column.values, _SHORTEST)


def _without_ids(table: Table, size: int) -> Iterator[tuple[str, str, Texts]]:
    """(the file, the name, the hashes) of columns with at least as many hashes as there are items, or nearly so."""
    if table.is_artifact or len(table) < _ENOUGH * size:
        return
    for name, values in islice(table.columns.items(), _MOST_CELLS):
        if _are_hashes(values, _LONG_ENOUGH):
            yield table.where, name, values


def _are_hashes(values: Texts, shortest: int) -> bool:
    some = [_bare(value) for value in values[:_PROBE] if value]
    if len(some) < _FEWEST or not all(len(value) >= shortest and _CODE.fullmatch(value) for value in some):
        return False
    return len(set(some)) >= _DISTINCT * len(some) and len(set(values)) >= _DISTINCT * len(values)


def _bare(value: str) -> str:
    """A hash without the name of its kind in front, and in small letters where case says nothing."""
    plain = _NAMED.sub("", value.strip()).rstrip("=")
    return plain.lower() if _HEX.fullmatch(plain) else plain


def _found(
    survey: Survey, where: str, values: Texts, items: NDArray[np.int64] | None, target: Target, hashed: _Hashed
) -> Found | None:
    """Whether each item has its hash among some values: its own one, or any of them where items are None."""
    every = None if items is not None else {_bare(value) for value in values if value}
    owners = np.arange(survey.test.size) if items is None else items
    kinds: Counter[str] = Counter()
    tried = min(_TRIED, len(owners))
    for number in range(tried):
        codes, contents = every or {_bare(values[number] or "")}, hashed.of_item(int(owners[number]), target)
        if number < _FIRST and _by_chance(codes, len(contents)) > _MAY_FIT:
            return None
        kind = _fitting(codes, contents)
        if kind is not None:
            kinds[kind] += 1
        elif number == _FIRST - 1 and not kinds:
            return None
    if kinds.total() < max(_FEWEST / 2, _ENOUGH * tried):
        return None
    told = f"{kinds.total():,} of {tried:,} that were tried"
    return Found(
        "answers_in_public",
        "leak",
        where,
        f"These are hashes ({kinds.most_common(1)[0][0]}) of items with their {target.name} ({told}): whoever tries "
        "all answers knows them.",
        rank=1 + len(owners) / survey.test.size,
        predictions=(Prediction(target.name, target.column, survey.task.rows[owners], target.values[owners]),),
    )


def _by_chance(codes: set[str], contents: int) -> float:
    """How many of some codes one of the hashes of so many contents would be by chance: short ones among many are."""
    signs = 16 if all(map(_HEX.fullmatch, codes)) else 32
    shortest = min(len(code) for code in codes)
    return 2.0 * contents * len(HASHES) * len(codes) / float(signs) ** shortest


def _fitting(codes: set[str], contents: Sequence[bytes]) -> str | None:
    """The kind of hash that one of some codes is of one of some contents, whole or cut off; None where none is."""
    lengths = {len(code) for code in codes if len(code) >= _SHORTEST}
    are_hex = all(map(_HEX.fullmatch, codes))
    for name, digest in HASHES.items():
        for content in contents:
            written = digest(content)
            if name in _AS_NUMBER and str(int(written, 16)) in codes:
                return name
            raw = bytes.fromhex(written)
            forms = [written] if are_hex else [encode(raw).decode() for encode in _ENCODINGS]
            for length in lengths:
                if any(form[:length].rstrip("=") in codes for form in forms):
                    return name
                if are_hex and written[-length:] in codes:
                    return name
    return None


class _Hashed:
    """What may have been hashed for each item: everything that has its answer in it."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._known: dict[tuple[int, str], list[bytes]] = {}

    def of_item(self, item: int, target: Target) -> list[bytes]:
        """The contents for an item, made once."""
        if (item, target.name) not in self._known:
            found = dict.fromkeys(self._made(item, target))
            self._known[item, target.name] = [content.encode("utf-8", "replace") for content in found]
        return self._known[item, target.name]

    def _made(self, item: int, target: Target) -> Iterator[str]:
        name = str(self._survey.test.ids[item])
        yield from self._of_answers(name)
        for answer in writings(str(target.values[item])):
            for pair in self._pairs(name, answer, target.name):
                yield from (pair + ending for ending in _ENDINGS)
            for cells in self._rows(name, answer, target.name):
                yield from (mark.join(cells) + ending for mark in _OF_CELLS for ending in _ENDINGS)

    def _pairs(self, name: str, answer: str, target: str) -> Iterator[str]:
        for mark in (*MARKS, *_FURTHER_MARKS):
            yield f"{name}{mark}{answer}"
            yield f"{answer}{mark}{name}"
        keys = self._survey.task.key_columns
        key = keys[0] if keys else "id"
        for mark in (",", ";", "&", "|", " ", ", "):
            yield f"{key}={name}{mark}{target}={answer}"
        ids = [f'"{name}"', f"'{name}'", name]
        answers = [f'"{answer}"', f"'{answer}'", answer]
        for one in ids:
            for other in answers:
                yield f"({one}, {other})"
                yield f"[{one}, {other}]"
                yield f"{one},{other}"
        for one in ids[::2]:
            for other in answers[::2]:
                yield f"{json.dumps(key)}: {one}, {json.dumps(target)}: {other}".join("{}")
                yield f"{json.dumps(key)}:{one},{json.dumps(target)}:{other}".join("{}")

    def _rows(self, name: str, answer: str, target: str) -> Iterator[list[str]]:
        """The row of each table of the items with the answer behind it, behind the id, in front, or as train has it."""
        for matched, rows in self._tables:
            row = rows.get(plain_key(name))
            if row is None:
                continue
            cells = [str(values[row] or "") for values in matched.table.columns.values()]
            yield from ([*cells[:place], answer, *cells[place:]] for place in (len(cells), 1, 0))
            train = self._survey.train_table
            if train is not None and target in train.columns:
                place = list(train.columns).index(target)
                yield [*cells[:place], answer, *cells[place:]]

    @cached_property
    def _tables(self) -> list[tuple[Matched, dict[str, int]]]:
        """The tables with ids, and where in them each item is."""
        found = []
        for matched in self._survey.matched_test:
            table = matched.table
            if matched.has_keys and matched.by in table.columns and 2 <= len(table.columns) <= _MOST_CELLS:
                rows = {plain_key(value): row for row, value in enumerate(table.columns[matched.by]) if value}
                found.append((matched, rows))
        return found[:_MOST_TABLES]

    def _of_answers(self, name: str) -> Iterator[str]:
        """The row of the answers, as it is written and with other marks between its cells."""
        line = self._answers.get(plain_key(name))
        if line is None:
            return
        cells = next(csv.reader([line]))
        for text in dict.fromkeys([line, *(mark.join(cells) for mark in _OF_CELLS), json.dumps(cells), repr(cells)]):
            yield from (text + ending for ending in _ENDINGS)

    @cached_property
    def _answers(self) -> dict[str, str]:
        """The lines of the answers, by the id that is their first cell or another one."""
        task = self._survey.task
        path = task.competition.answers
        if path.suffix != ".csv" or len(task.key_columns) != 1:
            return {}
        with open_regular(path) as file:
            lines = file.read(_MOST_BYTES).decode("utf-8", "replace").splitlines()
        header = next(csv.reader(lines[:1]), [])
        if task.key_columns[0] not in header:
            return {}
        place = header.index(task.key_columns[0])
        found = {}
        for line in islice(lines, 1, None):
            cells = next(csv.reader([line]), [])
            if len(cells) == len(header):
                found[plain_key(cells[place])] = line
        return found
