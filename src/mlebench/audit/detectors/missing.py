"""Inputs that items to predict lack: empty archives, files that only items of train have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mlebench.audit.finding import Found, Severity
from mlebench.audit.survey import Survey, slot_of
from mlebench.audit.targets import plain_key

_MANY, _FEWEST_MISSING = 0.08, 4  # items to predict without what practically all items of train have
_SOME_EMPTY = 0.03
_PRACTICALLY_ALL = 0.98
_ARCHIVES = (".zip", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for empty archives and missing files."""
    yield from _empty(survey)
    lacking = list(_lacking(survey))
    yield from lacking or _without_anything(survey)
    yield from _entities(survey)


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
    slots: dict[str, set[str]] = {}
    for file in survey.test_files:
        slots.setdefault(file.slot, set()).add(file.key)
    train: dict[str, set[str]] = {}
    for file in survey.train_files:
        train.setdefault(file.slot, set()).add(file.key)
    parts = {plain_key(part) for entry in survey.entries for part in entry.name.split("/")}
    for slot, keys in train.items():
        share_train = len(keys) / max(1, len(set(survey.train.names.values())))
        if share_train < 0.8 or len(keys) < 8:
            continue
        has = {row for key in slots.get(slot, set()) for row in survey.test.names[key]}
        has |= {row for row, name in enumerate(survey.test.ids) if plain_key(str(name).rsplit("_", 1)[0]) in parts}
        elsewhere = max((len(keys) for other, keys in slots.items() if other != slot), default=0)
        if len(slots.get(slot, ())) < elsewhere:
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
            yield Found(
                "missing_inputs", severity, slot.replace("~", "train"), f"{words}.", rank=missing / survey.test.size
            )


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


def _entities(survey: Survey) -> Iterator[Found]:
    """Files by something that several items share, as the molecule of a bond: those of train are there, others not."""
    stems = {plain_key(entry.base) for entry in survey.entries if entry.suffix not in (".csv", ".md")}
    if len(stems) < 8:
        return
    for test in survey.matched_test:
        if test.table.is_artifact:
            continue
        for train in survey.matched_train:
            if slot_of(train.table.where) != slot_of(test.table.where) or train.table is test.table:
                continue
            for name in test.table.columns:
                if name not in train.table.columns:
                    continue
                mine = {plain_key(value) for value in test.table.columns[name][:20_000] if value and len(value) > 3}
                theirs = {plain_key(value) for value in train.table.columns[name][:20_000] if value and len(value) > 3}
                if len(theirs) < 5 or len(mine) < 3:
                    continue
                has, had = len(mine & stems) / len(mine), len(theirs & stems) / len(theirs)
                if had > 0.8 and has < 0.5:
                    words = (
                        f"{had:.0%} of the values of {name} in train have a "
                        f"file of that name, but {has:.0%} of those to predict"
                    )
                    yield Found(
                        "missing_inputs", "suspicious", f"{test.table.where}: {name}", f"{words}.", rank=1 - has
                    )
            return
