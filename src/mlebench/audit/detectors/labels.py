"""Labels that train lacks, that nobody is asked for, or that the sample shows but no answer has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from mlebench.audit.finding import Found
from mlebench.audit.survey import Survey
from mlebench.audit.table import Texts, as_numbers, canonical, texts
from mlebench.audit.targets import Items

_SHOWN = 5
_MOST_TEXT = 1 << 20
_EXPECTED = 12  # items of train that would have a label if train was drawn like the items to predict
_FEWEST, _MOST_LABELS = 20, 2000
_LACKED = 0.3  # of the labels in lists that train may lack


def detect(survey: Survey) -> Iterator[Found]:
    """Findings about the range of labels."""
    yield from _unseen(survey)
    yield from _sample_only(survey)
    yield from _not_asked(survey)


def _unseen(survey: Survey) -> Iterator[Found]:
    if survey.train is None:
        return
    found: list[tuple[str, list[str], int, int, int]] = []
    for target in survey.test.targets:
        known = next((labels for labels in survey.train.targets if labels.name == target.name), None)
        if (
            known is None
            or target.is_derived
            or not target.n_classes
            or target.n_classes > 0.34 * len(target.values) + 2
        ):
            continue
        unseen = [name for name in target.classes if name not in set(known.classes)]
        if unseen and known.n_classes and len(unseen) < target.n_classes and survey.train.size >= len(target.values):
            counts = Counter(target.plain)
            rows = [counts[name] for name in unseen]
            found.append((target.name, unseen, sum(rows), max(rows), target.n_classes))
    if not found:
        yield from _unseen_parts(survey, survey.train)
        return
    name, unseen, rows_of_all, most, classes = max(found, key=lambda entry: entry[2])
    words = (
        f"{len(unseen)} of {classes} labels among the answers are not "
        f"in train ({_listed(unseen)}): {rows_of_all:,} of {survey.test.size:,} items"
    )
    if len(found) > 1:
        words += f"; likewise for {len(found) - 1} further columns"
    yield _judged(survey, name, unseen, words, rows_of_all, most * survey.train.size / survey.test.size)


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
            yield _judged(survey, target.name, unseen, words, here[unseen[0]], expected)


def _parts(values: Texts) -> Iterator[str]:
    for value in values:
        yield from set((canonical(value) or "").replace("|", " ").replace(";", " ").split())


def _listed(names: list[str]) -> str:
    return ", ".join(map(repr, names[:_SHOWN])) + (" and more" if len(names) > _SHOWN else "")


def _judged(survey: Survey, name: str, unseen: list[str], words: str, rows: int, expected: float) -> Found:
    """Labels that train lacks are suspicious where there are too many rows of one for chance to have left it out."""
    share = rows / survey.test.size
    are_described = _described(survey, unseen)
    if are_described:
        words += "; the description names them"
    is_odd = (share > 0.2 or expected >= _EXPECTED) and not are_described
    return Found("unseen_labels", "suspicious" if is_odd else "note", f"the answers: {name}", f"{words}.", rank=share)


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
