"""Inputs that items to predict lack: empty archives, files that only items of train have."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from mlebench.audit.finding import Found, Severity
from mlebench.audit.item_files import ItemFile, shown, slot_of
from mlebench.audit.survey import Survey
from mlebench.audit.table import Table
from mlebench.audit.targets import Items, plain_key

_MANY, _FEWEST_MISSING = 0.08, 4  # items to predict without what practically all items of train have
_FEWEST_FILES, _SOME_FILES = 4, 0.05  # of a kind that items to predict have; fewer may be left of what was taken out
_SOME_EMPTY = 0.03
_TIMES = 5  # as large a share of items to predict as of train lacks a file: that is no chance
_PRACTICALLY_ALL = 0.98
_ANSWERS = re.compile(r"mask|label|annot|box|truth|target|answer|clean|segm", re.IGNORECASE)  # what answers are called
_ARCHIVES = (".zip", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for empty archives and missing files."""
    yield from _empty(survey)
    lacking = list(_lacking(survey))
    yield from lacking or _without_anything(survey)
    yield from _entities(survey, known=survey.task.key_columns if lacking else ())


def _empty(survey: Survey) -> Iterator[Found]:
    filled = {entry.container for entry in survey.entries}
    for entry in survey.entries:
        if (
            entry.suffix in _ARCHIVES
            and entry.name not in filled
            and not any(entry.name in text for text in survey.problems)
        ):
            yield Found("missing_inputs", "suspicious", entry.name, "The archive has no files.", rank=1.0)
    empty = [entry for entry in survey.entries if entry.size == 0 and not {"link", "kind"} & set(entry.facts)]
    if empty:
        found = {id(entry) for entry in empty}
        share, of_train = (
            len({file.key for file in files if id(file.entry) in found}) / max(1, len({file.key for file in files}))
            for files in (survey.test_files, survey.train_files)
        )
        words = f"{len(empty):,} files are empty, the first of them this one"
        is_odd = share >= _MANY and of_train < 0.5 * share
        # A file without a byte is never honest data: where train has none, fewer are enough.
        is_odd |= of_train == 0 and share >= _SOME_EMPTY and len(empty) >= _FEWEST_MISSING and bool(survey.train_files)
        if is_odd:
            words += f": {share:.0%} of the files of items to predict, and {of_train:.0%} of those of train"
        severity: Severity = "suspicious" if is_odd else "note"
        yield Found("missing_inputs", severity, empty[0].name, f"{words}.", rank=share)


def _lacking(survey: Survey) -> Iterator[Found]:
    if survey.train is None:
        return
    slots, train = _by_slot(survey.test_files), _by_slot(survey.train_files)
    parts = {plain_key(part) for entry in survey.entries for part in entry.name.split("/")}
    share_of = {slot: _share(files, survey.train) for slot, files in train.items()}
    for slot, known in train.items():
        share_train, mine = share_of[slot], slots.get(slot, [])
        if share_train < 0.8 or len({file.key for file in known}) < 8:
            continue
        has = {row for file in mine for row in survey.test.names[file.key]}
        has |= {row for row, name in enumerate(survey.test.ids) if _has_a_part(str(name), parts)}
        # What both sides have is a kind of its own; else their files may be called otherwise.
        is_common = len({file.key for file in mine}) >= max(_FEWEST_FILES, _SOME_FILES * survey.test.size)
        is_kind = is_common or (not mine and _is_half_of_a_folder(slot, known))
        others = [other for other in slots if other != slot and not (is_kind and share_of.get(other, 0.0) >= 0.8)]
        elsewhere = max((len({file.key for file in slots[other]}) for other in others), default=0)
        if len({file.key for file in mine}) < elsewhere:
            continue  # their files are somewhere else; few have a name that is in both by chance
        missing = survey.test.size - len(has)
        if missing > 0.02 * survey.test.size and missing > 1:
            is_odd = missing > 0.5 * survey.test.size or (
                share_train >= _PRACTICALLY_ALL and missing >= max(_FEWEST_MISSING, _MANY * survey.test.size)
            )
            severity: Severity = "suspicious" if is_odd else "note"
            words = (
                f"{missing:,} of {survey.test.size:,} items to predict have "
                f"no such file, but {share_train:.0%} of the items of train do"
            )
            where = _places(slot, mine, known)
            yield Found("missing_inputs", severity, where, f"{words}.", rank=missing / survey.test.size)


def _by_slot(files: Iterable[ItemFile]) -> dict[str, list[ItemFile]]:
    slots: dict[str, list[ItemFile]] = {}
    for file in files:
        slots.setdefault(file.slot, []).append(file)
    return slots


def _share(files: Iterable[ItemFile], items: Items) -> float:
    """The share of the items that have one of the files; several items may share one."""
    return len({row for key in {file.key for file in files} for row in items.names[key]}) / max(1, items.size)


def _has_a_part(name: str, parts: Container[str]) -> bool:
    """Whether the id of a part, such as the third picture of a patient, begins with what something is called."""
    whole, mark, _ = name.rpartition("_")
    return bool(mark) and plain_key(whole) in parts


def _is_half_of_a_folder(slot: str, files: Sequence[ItemFile]) -> bool:
    """Whether files of train are in a folder of that name within one for all items, and are no answers."""
    folders = {file.entry.name.rpartition("/")[0].rpartition("/")[2] for file in files}
    return "~" not in slot and {slot_of(folder) for folder in folders} == {"~"} and not _ANSWERS.search(slot)


def _places(slot: str, mine: Sequence[ItemFile], known: Sequence[ItemFile]) -> str:
    """Where the files should be, and those of train are."""
    of_train = shown(known)
    folder, _, name = of_train.rpartition("/")
    expected = shown(mine) if mine else f"{slot_of(folder).replace('~', 'test')}/{name}".lstrip("/")
    return of_train if expected == of_train else f"{expected} (as {of_train})"


def _without_anything(survey: Survey) -> Iterator[Found]:
    """Items about which nothing is public, where most have a file and train cannot be compared."""
    slots = Counter({file.slot: 0 for file in survey.test_files})
    has: set[int] = set()
    for file in survey.test_files:
        slots[file.slot] += 1
        has |= set(survey.test.names[file.key])
    for matched in survey.matched_test:
        if matched.has_keys and len(matched.table.columns) > 1:
            has |= set(matched.items.tolist())
    missing = survey.test.size - len(has)
    if slots and 0.5 * survey.test.size < len(has) and missing >= max(_FEWEST_MISSING, _MANY * survey.test.size):
        words = (
            f"{missing:,} of {survey.test.size:,} items to predict have no such file, and nothing else is known of them"
        )
        where = slots.most_common(1)[0][0].replace("~", "test")
        yield Found("missing_inputs", "suspicious", where, f"{words}.", rank=missing / survey.test.size)


def _entities(survey: Survey, known: Container[str]) -> Iterator[Found]:
    """Files by something that several items share, as the molecule of a bond: those of train are there, others not."""
    stems = {plain_key(entry.base) for entry in survey.entries if entry.suffix not in (".csv", ".md")}
    if len(stems) < 8:
        return
    for test, train in _both_sides(survey):
        for name in test.columns:
            if name not in train.columns or name in known:
                continue
            mine, theirs = (
                {plain_key(value) for value in table.columns[name][:20_000] if value and len(value) > 3}
                for table in (test, train)
            )
            if len(theirs) < 5 or len(mine) < 3:
                continue
            has, had = len(mine & stems) / len(mine), len(theirs & stems) / len(theirs)
            # What few of train lack, and many of the others, was not lost by chance.
            is_gap = 1 - has >= max(_MANY, _TIMES * (1 - had)) and len(mine - stems) >= _FEWEST_MISSING
            if had > 0.8 and (has < 0.5 or is_gap):
                words = (
                    f"{had:.0%} of the values of {name} in train have a "
                    f"file of that name, but {has:.0%} of those to predict"
                )
                where = f"{test.where}: {name}"
                holders = {entry.container for entry in survey.entries if plain_key(entry.base) in mine} - {""}
                if len(holders) == 1:
                    where = f"{holders.pop()} ({where})"
                yield Found("missing_inputs", "suspicious", where, f"{words}.", rank=1 - has)
                break


def _both_sides(survey: Survey) -> Iterator[tuple[Table, Table]]:
    """A table of items to predict and that of train of the same name, also where no labels of train are known."""
    seen: set[str] = set()
    for test in survey.matched_test:
        slot = slot_of(test.table.where)
        if test.table.is_artifact or slot in seen:
            continue
        for train in survey.tables:
            if train.where != test.table.where and not train.is_artifact and slot_of(train.where) == slot:
                seen.add(slot)
                yield test.table, train
                break
