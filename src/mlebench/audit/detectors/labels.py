"""Labels that train lacks, that nobody is asked for, or that the sample shows but no answer has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator

from mlebench.audit.finding import Found
from mlebench.audit.item_files import shown
from mlebench.audit.runs import are_runs
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, as_numbers, canonical, is_missing, texts
from mlebench.audit.targets import Items, Target
from mlebench.base.wording import counted

_SHOWN = 5
_MOST_TEXT = 1 << 20
_EXPECTED = 12  # items of train that would have a label if train was drawn like the items to predict
_FEWEST, _MOST_LABELS = 20, 2000
_MOST_CLASSES = 0.34  # of the items; of more classes each must be there so often:
_OFTEN = 5
_MOST_MARKS = 12  # numbers that are a scale
_LACKED = 0.3  # of the labels in lists that train may lack


def detect(survey: Survey) -> Iterator[Found]:
    """Findings about the range of labels."""
    yield from _unseen(survey)
    yield from _spelled(survey)
    yield from _never_right(survey)
    yield from _sample_only(survey)
    yield from _not_asked(survey)


def _unseen(survey: Survey) -> Iterator[Found]:
    if survey.train is None:
        return
    found: list[tuple[str, list[str], int, float, int]] = []
    for target in survey.test.targets:
        known = survey.train.target(target.name)
        if known is None or target.is_derived or not target.n_classes or are_runs(target.values):
            continue
        counts = Counter(str(value) for value in target.plain)
        answered = {str(canonical(value)) for value in target.values if not is_missing(value)}
        unseen = [name for name in target.classes if name in answered and name not in set(known.classes)]
        if target.n_classes > _MOST_CLASSES * len(target.values) + 2 or not known.n_classes:
            # Of many classes some are rare enough to be on one side by chance; lists and sentences are no classes.
            often = (name for name in unseen if counts[name] >= _OFTEN and " " not in name)
            unseen = [name for name in often if _expected(survey, survey.train, counts[name]) >= _EXPECTED]
        if unseen and (len(unseen) < target.n_classes or _are_labels(target, known)):
            rows = [counts[name] for name in unseen]
            most = _expected(survey, survey.train, max(rows))
            if most >= _EXPECTED or survey.train.size >= len(target.values):
                found.append((target.name, unseen, sum(rows), most, target.n_classes))
    if not found:
        yield from _unseen_parts(survey, survey.train)
        return
    name, unseen, rows_of_all, expected, classes = max(found, key=lambda entry: entry[2])
    words = (
        f"{len(unseen)} of {classes} labels among the answers are not "
        f"in train ({_listed(unseen)}): {rows_of_all:,} of {survey.test.size:,} items"
    )
    if len(found) > 1:
        words += f"; likewise for {counted(len(found) - 1, 'further column')}"
    yield _judged(survey, survey.train, name, unseen, words, rows_of_all, expected)


def _expected(survey: Survey, train: Items, rows: int) -> float:
    """How often train would have a label if it was drawn like the items to predict, which have it so often."""
    return rows * train.size / survey.test.size


def _are_labels(*targets: Target) -> bool:
    """Whether labels are words, or marks from a short scale, on both sides: sets that share none are two ways to write.

    Of more numbers, or rarer ones, each side may have its own: they are quantities, or names of groups.
    """
    return all(
        2 <= target.n_classes <= (_MOST_CLASSES * len(target.values) if target.numbers is None else _MOST_MARKS)
        and (target.numbers is None or target.n_classes * _EXPECTED <= len(target.values))
        for target in targets
    )


def _spelled(survey: Survey) -> Iterator[Found]:
    """Labels that train has in other letters, or with blanks around: a model that is right would be graded wrong."""
    if survey.train is None or survey.train_table is None:
        return
    for target in survey.test.targets:
        known = survey.train.target(target.name)
        if known is None or target.is_derived or not _are_labels(target) or known.numbers is not None:
            continue
        written = {str(value) for value in known.values}
        plain = {value.strip().lower() for value in written}
        counts = Counter(str(value) for value in target.values if not is_missing(value))
        other = [name for name in counts if name not in written and name.strip().lower() in plain]
        rows = sum(counts[name] for name in other)
        if other and max(_expected(survey, survey.train, counts[name]) for name in other) >= _EXPECTED:
            words = (
                f"{len(other)} of {len(counts)} labels among the answers are written otherwise in train, in capitals "
                f"or with blanks ({_listed(other)}): {rows:,} of {survey.test.size:,} items"
            )
            where = _place_of_labels(survey, survey.train, known, other)
            yield Found("unseen_labels", "suspicious", where, f"{words}.", rank=0.3)


def _never_right(survey: Survey) -> Iterator[Found]:
    """A column of the sample for a class that neither train nor the answers have, where others are common in both."""
    task, train = survey.task, survey.train
    target = next((target for target in survey.test.targets if target.column is None), None)
    known = train.target(target.name) if train is not None and target is not None else None
    if target is None or known is None:
        return
    counts = Counter([*target.plain, *known.plain])
    asked = [str(name) for name in task.sample.columns if str(name) not in task.key_columns]
    never = [name for name in asked if not counts[canonical(name)]]
    if not never or len(never) >= len(counts) or min(counts.values()) < _EXPECTED:
        return
    words = (
        f"The sample submission has a column for {_listed(never)}, which is neither an answer nor a label of train, "
        f"while each other class has {min(counts.values()):,} items and more"
    )
    where = f"{task.competition.sample_submission.name}: {never[0]}"
    yield Found("unseen_labels", "suspicious", where, f"{words}.", rank=0.2)


def _unseen_parts(survey: Survey, train: Items) -> Iterator[Found]:
    """Lists of labels, such as tags: one that many answers have, and no list of train."""
    for target in survey.test.targets:
        known = train.target(target.name)
        if known is None or target.is_derived or target.numbers is not None or train.size < _FEWEST:
            continue
        here, there = (Counter(_parts(values)) for values in (target.values, known.values))
        are_lists = sum(here.values()) > len(target.values) and sum(there.values()) > train.size
        if not are_lists or not 2 <= len(here) <= _MOST_LABELS:
            continue
        unseen = [name for name, count in here.most_common() if not there[name]]
        if len(unseen) > _LACKED * len(here):
            continue  # numbers or words of one's own, and no labels that lists are made of
        if unseen and (expected := here[unseen[0]] * train.size / survey.test.size) >= _EXPECTED:
            words = (
                f"{len(unseen)} of {len(here)} labels in the lists of the answers are in no list of train "
                f"({_listed(unseen)}): {here[unseen[0]]:,} of {survey.test.size:,} items have the first of them"
            )
            yield _judged(survey, train, target.name, unseen, words, here[unseen[0]], expected)


def _parts(values: Texts) -> Iterator[str]:
    for value in values:
        yield from set((canonical(value) or "").replace("|", " ").replace(";", " ").split())


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:_SHOWN])) + (" and more" if len(names) > _SHOWN else "")


def _judged(
    survey: Survey, train: Items, name: str, unseen: list[str], words: str, rows: int, expected: float
) -> Found:
    """Labels that train lacks are suspicious where there are too many rows of one for chance to have left it out."""
    share = rows / survey.test.size
    # Where each class is a column of the submission, the description names it as such, and says nothing by it; nor does
    # a number that it names.
    are_words = as_numbers(texts(unseen)) is None
    are_described = are_words and not _are_asked(survey, unseen) and _described(survey, unseen)
    if are_described:
        words += "; the description names them"
    is_odd = (share > 0.2 or expected >= _EXPECTED) and not are_described
    where = _place_of_labels(survey, train, train.target(name), unseen)
    return Found("unseen_labels", "suspicious" if is_odd else "note", where, f"{words}.", rank=share)


def _place_of_labels(survey: Survey, train: Items, known: Target | None, lacking: Collection[str]) -> str:
    """The public file and column that has the labels of train: that of the class itself, where each has one."""
    table, rows = survey.train_table, survey.train_rows
    if known is None or table is None or rows is None:
        return shown(survey.train_files) if survey.train_files else "the labels of train"
    wanted = {canonical(name) for name in lacking}
    fitting = [name for name in table.columns if known.column is None and canonical(name) in wanted]
    if not fitting:
        fitting = [name for name in (known.column, known.name) if name is not None and name in table.columns]
    if not fitting:
        # Labels in words keep their letters; a class that columns have together was never one of them.
        values = known.values.tolist()
        fitting = [name for name, column in table.columns.items() if column[rows].tolist() == values]
    return f"{table.where}: {fitting[0]}" if fitting else table.where


def _are_asked(survey: Survey, labels: list[str]) -> bool:
    return {canonical(str(name)) for name in survey.task.sample.columns}.issuperset(labels)


def _described(survey: Survey, labels: list[str]) -> bool:
    """Whether the public description names all labels, as code: then one can know them without an example."""
    text = next((entry.read(_MOST_TEXT) for entry in survey.entries if entry.name == "description.md"), b"")
    named = {canonical(code) for code in re.findall(r"`([^`\n]+)`", text.decode("utf-8", "replace"))}
    return named.issuperset(labels)


def _sample_only(survey: Survey) -> Iterator[Found]:
    """A label that the sample submission gives, and that is never right."""
    for target in survey.test.targets:
        if target.column is None or target.is_derived or target.numbers is not None or not target.n_classes > 2:
            continue
        if target.n_classes > 0.95 * len(target.values) or target.column not in survey.task.sample.columns:
            continue
        if as_numbers(texts(survey.task.sample[target.column])) is not None:
            continue
        if (
            any(" " in str(value) for value in survey.task.sample[target.column].head(50))
            or any(" " in name for name in target.classes[:50])
            or max(map(len, target.classes)) > 60
        ):
            continue
        shown = {str(canonical(value)) for value in texts(survey.task.sample[target.column]) if value}
        train = next(
            (
                set(labels.classes)
                for labels in (survey.train.targets if survey.train else ())
                if labels.name == target.name
            ),
            set(),
        )
        never = sorted(shown - set(target.classes) - train)
        if never and len(never) <= 3 and len(shown) <= 3:
            words = (
                f"The sample submission says {', '.join(map(repr, never))}, which is neither "
                f"an answer nor a label of train: the labels are others than the sample suggests"
            )
            yield Found(
                "unseen_labels",
                "suspicious",
                f"{survey.task.competition.sample_submission.name}: {target.column}",
                f"{words}.",
                rank=0.5,
            )


def _not_asked(survey: Survey) -> Iterator[Found]:
    """Columns of train that look like the labels and are private for test, but that no submission has."""
    answers = survey.task.answers
    if survey.train_table is None or not hasattr(answers, "columns"):
        return
    given = {
        name
        for matched in survey.matched_test
        if not matched.table.is_artifact and len(matched.items) > 0.5 * survey.test.size
        for name in matched.table.columns
    }
    asked = {str(name) for name in survey.task.sample.columns}
    binary = [target for target in survey.test.targets if target.n_classes == 2 and target.numbers is not None]
    if len(binary) < 2:
        return
    missing = []
    for name in survey.train_table.columns:
        if name in asked or name in given or name not in answers.columns:
            continue
        numbers = as_numbers(survey.train_table.columns[name], enough=1.0)
        if numbers is not None and set(numbers.tolist()) <= {0.0, 1.0}:
            missing.append(name)
    if missing:
        words = (
            f"{', '.join(missing[:_SHOWN])}: labelled in train and known "
            f"for the items to predict, but in no submission and no score"
        )
        yield Found("unseen_labels", "suspicious", f"{survey.train_table.where}: {missing[0]}", f"{words}.", rank=0.4)
