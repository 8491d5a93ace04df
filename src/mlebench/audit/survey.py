"""Everything public, read once and matched with the items to predict and with those of train."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mlebench.audit.checksums import names_by_checksum
from mlebench.audit.disguises import LARGEST, revealed
from mlebench.audit.entries import Entry, entries_below
from mlebench.audit.item_files import ItemFile, copies_of, item_files, side_of, slot_of, tables_of_files
from mlebench.audit.joining import joined_by_keys
from mlebench.audit.loose import beside_ids, parts_of, transposed
from mlebench.audit.masks import Telling
from mlebench.audit.matching import Aligned, Matched, by_rows, match, with_names
from mlebench.audit.naming import add_names, add_orders, names_of_copies
from mlebench.audit.near_copies import near_copies
from mlebench.audit.observations import Observations
from mlebench.audit.readers import read_tables
from mlebench.audit.split_files import split_files
from mlebench.audit.table import Numbers, Table, as_numbers, merged, texts
from mlebench.audit.targets import Items, Task, agree_on_kind, plain_key
from mlebench.audit.train_items import find_train, names_beyond
from mlebench.base import progress

_MOST_TABLES = 1500  # files that are read as tables; of more, rare kinds first, then the smallest
_MOST_SEARCHED = 500  # files in which masked, encoded and embedded contents are looked for
_MOST_BYTES = 384 << 20  # of these
_MANY_ALIKE = 100  # so many files of a kind are read after the others
_MANY_FILES = 200  # of a folder with more of a kind none is a table
_MANY_ENOUGH, _FEW_ODD, _LARGER = 20, 3, 8  # of so many files, the few that are unlike the others are read
_FEW_PICTURES = 2  # a picture or sound among others is one, and not numbers that look like one
_FEW_ALIKE = 3  # so few files of a kind may be lists of numbers for all items
_PICTURES = (".png", ".bmp", ".tif", ".tiff", ".gif", ".wav")
_FEW_FILES = 60  # so few files of items are read as tables, too: their numbers may be those of parts
_SHORT_HEX = re.compile(r"(?:[g-z_-]+)?([0-9a-f]{3,10})[g-z_-]*", re.IGNORECASE)
_RUN, _MOST_RUNS = re.compile(r"(?<!\d)\d{1,15}(?!\d)"), 4  # numbers in an id
_NUMBERED = re.compile(r"\D+(\d{1,15})\D*")


@dataclass
class Survey:
    """What the detectors look at."""

    task: Task
    entries: list[Entry]
    tables: list[Table]
    problems: list[str] = field(default_factory=list)
    test: Items = field(init=False)
    train: Items | None = field(init=False, default=None)
    train_table: Table | None = None
    train_rows: NDArray[np.int64] | None = None
    test_files: list[ItemFile] = field(default_factory=list)
    train_files: list[ItemFile] = field(default_factory=list)
    matched_test: list[Matched] = field(default_factory=list)
    matched_train: list[Matched] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.test = self.task.test

    @cached_property
    def test_columns(self) -> list[Aligned]:
        """The columns that belong to items to predict."""
        found = [column for matched in self.matched_test for column in matched.columns]
        return [*_of_ids(self.test), *found] if len(self.task.key_columns) == 1 else found

    @cached_property
    def train_columns(self) -> dict[tuple[str, str], Aligned]:
        """The columns that belong to items of train, by file (test and train being one) and name."""
        found: dict[tuple[str, str], Aligned] = {}
        for matched in self.matched_train:
            for column in matched.columns:
                found.setdefault((slot_of(column.where), column.column), column)
        if self.train is not None:
            found |= {(column.where, column.column): column for column in _of_ids(self.train)}
        return found

    @cached_property
    def _observations(self) -> tuple[Observations, Observations | None]:
        train = None if self.train is None else Observations(self.train, self.matched_train)
        test = Observations(self.test, self.matched_test)
        if train is not None:
            test.share_answers_with(train, self.counterpart)
        return test, train

    def thinned(self, column: Aligned, *, train: bool = False) -> Aligned:
        """A column for those of its items alone that count as observations: one of a patient, or of a row."""
        test, known = self._observations
        side = known if train else test
        return column if side is None else side.thinned(column)

    @cached_property
    def _numbers(self) -> dict[int, Numbers | None]:
        return {}

    def numbers_of(self, column: Aligned) -> Numbers | None:
        """The numbers of one of the columns that belong to items to predict, read once."""
        if id(column) not in self._numbers:
            self._numbers[id(column)] = as_numbers(column.values)
        return self._numbers[id(column)]

    def tables_of_train(self, where: str) -> list[Matched]:
        """The tables of train that are in the same place as one of test."""
        slot = slot_of(where)
        return [matched for matched in self.matched_train if slot_of(matched.table.where) == slot]

    def counterpart(self, column: Aligned) -> Aligned | None:
        """The same column on the side of train."""
        same = self.train_columns.get((slot_of(column.where), column.column))
        if same is not None or column.by == "itself" or column.column in ("(order of rows)", "(number of rows)"):
            return same
        ending = column.where.rpartition(".")[2]
        for matched in self.matched_train:
            # Pictures of train are pictures, whatever the folder is called.
            is_alike = matched.table.where.rpartition(".")[2] == ending
            if matched.table.is_artifact != column.is_artifact or (column.is_artifact and not is_alike):
                continue
            for other in matched.columns:
                if other.column == column.column:
                    return other
        return None


def _of_ids(items: Items) -> Iterable[Aligned]:
    """The ids as a column, and the only number in each of them where they are not numbers."""
    everything = np.arange(items.size)
    yield Aligned("the ids", "id", items.ids, everything, "itself", True)
    numbers = [_NUMBERED.fullmatch(str(name)) for name in items.ids]
    if all(numbers):
        digits = texts(found.group(1) for found in numbers if found is not None)
        yield Aligned("the ids", "number in the id", digits, everything, "itself", True)
    elif not all(str(name).isdecimal() for name in items.ids) and all(
        _SHORT_HEX.fullmatch(str(name)) for name in items.ids
    ):
        written = texts(int(_SHORT_HEX.sub(r"\1", str(name)), 16) for name in items.ids)
        yield Aligned("the ids", "number in the id", written, everything, "itself", True)
    else:
        yield from _of_several_numbers(items)


def _of_several_numbers(items: Items) -> Iterable[Aligned]:
    """Each number in ids that have several, where none recurs: one that does is that of a group, such as a patient."""
    numbers = [_RUN.findall(str(name)) for name in items.ids]
    width = len(numbers[0]) if numbers else 0
    if not 2 <= width <= _MOST_RUNS or any(len(found) != width for found in numbers):
        return
    for place in range(width):
        values = texts(found[place] for found in numbers)
        if len(set(values)) == len(values):
            yield Aligned("the ids", f"number {place + 1} in the id", values, np.arange(items.size), "itself", True)


def explained_order(
    found: Survey, order: NDArray[np.float64], items: NDArray[np.int64], *, by_ids: bool = True
) -> bool:
    """Whether rows are in the order of their ids or of a column that is given, such as a date: that is no secret."""
    from scipy.stats import rankdata

    if len(items) < 8:
        return False
    ranks = rankdata(order)
    names = found.test.ids[items].astype(str)
    candidates = [np.argsort(np.argsort(names, kind="stable"), kind="stable").astype(float)] if by_ids else []
    for column in found.test_columns:
        if column.column.startswith("(") or column.column in found.task.sample.columns or len(candidates) > 60:
            continue
        if (
            len(column.items) == len(items)
            and (column.items == items).all()
            and ((by_ids and column.by == "itself") or not column.is_artifact)
        ):
            numbers = found.numbers_of(column)
            if numbers is not None and not np.isnan(numbers).any() and len(set(numbers.tolist())) > 0.5 * len(items):
                candidates.append(numbers)
    return any(abs(float(np.corrcoef(ranks, rankdata(values))[0, 1])) > 0.999 for values in candidates)


def survey(task: Task) -> Survey:
    """Read all that is public and match it."""
    problems: list[str] = []
    with progress.stage("list", "public files"):
        entries = entries_below(task.competition.public_dir, problems)
    found = Survey(task, entries, [], problems)
    sample = task.competition.sample_submission
    sample_name = (
        sample.relative_to(task.competition.public_dir).as_posix()
        if sample.is_relative_to(task.competition.public_dir)
        else None
    )
    rest = _split_files(found, sample_name)
    chosen = _rare_first(rest)
    if len(chosen) > _MOST_TABLES:
        problems.append(f"{_MOST_TABLES:,} of {len(chosen):,} further files are read as tables")
        chosen = chosen[:_MOST_TABLES]
    in_all = np.cumsum([min(entry.size, LARGEST) for entry in chosen]) <= _MOST_BYTES
    searched = {id(entry) for entry, is_within in zip(chosen[:_MOST_SEARCHED], in_all, strict=False) if is_within}
    if len(searched) < len(chosen):
        problems.append(f"{len(searched):,} of {len(chosen):,} further files are searched for hidden contents")
    with progress.stage("read", "tables", total=len(chosen), unit="files") as stage:
        telling, alike = Telling(task.test.names), Counter(_place(entry) for entry in chosen)
        opened = {entry.container for entry in entries}
        for entry in [*sorted(chosen, key=lambda entry: entry.name), *split_files(chosen)]:
            stage.advance()
            is_searched = (id(entry) in searched or entry.order < 0) and entry.name not in opened
            for file in (entry, *(revealed(entry, telling) if is_searched else ())):
                tables = [table for table in read_tables(file) if len(table)]
                found.tables += tables
                if file.name in opened:
                    continue  # its members are read by themselves
                found.tables += beside_ids(file, task.test, tables, with_lists=alike[_place(entry)] <= _FEW_ALIKE)
    found.tables = [
        *merged(found.tables),
        *(turned for table in found.tables if (turned := transposed(table, task.test))),
    ]
    problems += sorted({f"only the first rows of {table.where} are read" for table in found.tables if table.sampled})
    found.train, found.train_table, found.train_rows = find_train(task, found.tables, entries)
    for known in found.train.targets if found.train is not None else ():
        for target in (target for target in task.test.targets if target.name == known.name):
            agree_on_kind(target, known)
    beyond = names_beyond(task, found.train, found.train_table)
    add_names(found, beyond)
    found.tables += list(joined_by_keys(found.tables, found.test))
    add_orders(found)
    # What bears the name of another item is a file of that one, also of one that is not looked at.
    named = beyond | (found.train.names.keys() if found.train else set())
    found.test_files = item_files(entries, found.test.names, named, "test")
    copies = copies_of(found.test_files, [entry for entry in entries if plain_key(entry.base) not in named])
    found.test_files += copies
    if found.train is not None:
        found.train_files = item_files(entries, found.train.names, found.test.names, "train")
    owned = {id(file.entry) for file in (*found.test_files, *found.train_files)}
    strange = [entry for entry in entries if id(entry) not in owned and plain_key(entry.base) not in beyond]
    copies += (near := near_copies(found.test_files, strange))
    found.test_files += near
    found.test = with_names(found.test, names_of_copies(copies, found))
    found.test = with_names(found.test, names_by_checksum(found.test_files, found.tables, found.test.names))
    if found.train is not None:
        found.train = with_names(found.train, names_by_checksum(found.train_files, found.tables, found.train.names))
    rows, full = task.rows, len(task.sample)
    tables = [*found.tables, *tables_of_files(found.test_files, "test")]
    for table in tables:
        # In train any number may be that of an item to predict, and stands there many times.
        is_train = side_of(table.where) == "train" and not table.is_artifact
        found.matched_test += match(table, found.test, task.key_columns, full, rows, once=is_train)
        if table.where == (found.train_table.where if found.train_table else None):
            continue  # train is no list that goes on to test, however long it is
        for part in parts_of(table, found.test.size, found.train.size if found.train else 0):
            found.matched_test += match(part, found.test, task.key_columns, full, rows)
    if found.train is not None:
        for table in [*found.tables, *tables_of_files(found.train_files, "train")]:
            if table is found.train_table and found.train_rows is not None:
                found.matched_train.insert(0, by_rows(table, found.train_rows))
            elif side_of(table.where) != "test":
                found.matched_train += match(table, found.train, task.key_columns)
    return found


def _rare_first(entries: list[Entry]) -> list[Entry]:
    """Files in the order in which they are worth reading: of many of a kind the rest says little more."""
    alike = Counter((entry.suffix, entry.name.count("/")) for entry in entries)
    same_name = Counter(entry.base for entry in entries)
    return sorted(
        entries,
        key=lambda entry: (
            max(alike[entry.suffix, entry.name.count("/")], same_name[entry.base]) > _MANY_ALIKE,
            entry.size,
        ),
    )


def _split_files(found: Survey, sample_name: str | None) -> list[Entry]:
    """The entries that are no files of single items."""
    entries = [entry for entry in found.entries if entry.name != sample_name]
    guessed = item_files(entries, found.test.names, {}, "test")
    slots: dict[str, list[ItemFile]] = {}
    for file in guessed:
        slots.setdefault(file.slot, []).append(file)
    single = {id(file.entry) for files in slots.values() if len(files) > _FEW_FILES for file in files}
    folders: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        folders.setdefault(_place(entry), []).append(entry)
    most = {place: _FEW_PICTURES if place[1] in _PICTURES else _MANY_FILES for place in folders}
    whole = {
        (slot_of(folder), suffix)
        for (folder, suffix), members in folders.items()
        if len(members) <= most[folder, suffix] and any(id(entry) not in single for entry in members)
    }
    rest = []
    for (folder, suffix), members in folders.items():
        read = members if len(members) <= most[folder, suffix] else odd_files(members)
        if read is not members and (slot_of(folder), suffix) in whole:
            # What is read of test is read of train, too: what is not compared looks as if train did not have it.
            some = np.random.default_rng(0).choice(len(members), most[folder, suffix], replace=False)
            read = list({id(entry): entry for entry in (*read, *(members[place] for place in np.sort(some)))}.values())
        rest += [entry for entry in read if id(entry) not in single]
    return rest


def _place(entry: Entry) -> tuple[str, str]:
    return entry.name.rpartition("/")[0], entry.suffix


def odd_files(entries: list[Entry]) -> list[Entry]:
    """The few among many files whose names have another form, or which are much larger."""
    if len(entries) < _MANY_ENOUGH:
        return []
    forms: dict[str, list[Entry]] = {}
    for entry in entries:
        stem = entry.base.rpartition(".")[0].lower() or entry.base
        form = re.sub(r"[a-z]+", "a", re.sub(r"\d+", "0", re.sub(r"[0-9a-f]{4,}", "0", stem)))
        forms.setdefault(form, []).append(entry)
    rare = [entry for members in forms.values() if len(members) <= _FEW_ODD for entry in members]
    usual = float(np.median([entry.size for entry in entries]))
    large = [entry for entry in entries if entry.size > _LARGER * usual]
    return [
        *(rare if len(rare) <= 2 * _FEW_ODD else []),
        *(entry for entry in large if len(large) <= _FEW_ODD and entry not in rare),
    ]
