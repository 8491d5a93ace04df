"""Answers of many words or numbers, such as sentences and masks, that stand in a public table as they are.

Nothing needs to say there whose answers they are: a sentence without a word, or the picture of a mask, finds its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlebench.audit.finding import Found
from mlebench.audit.item_files import side_of
from mlebench.audit.matching import Matched
from mlebench.audit.survey import Survey
from mlebench.audit.table import Table, Texts, is_missing, texts

_MANY_WORDS, _MANY_CHARACTERS = 8, 60  # that no two answers have in common by chance
_ENOUGH = 24  # words of all answers that are found
_SHARE = 0.5  # of such answers
_LONGEST_TABLE = 300_000
_MOST_CELLS = 4_000_000  # that are compared


def detect(survey: Survey) -> Iterator[Found]:
    """The tables that have such answers, but for those of train and those in which rows have the ids of items."""
    for name, answers in _answers(survey):
        long = {plain for value in answers if value and _is_long(plain := _plain(value))}
        if sum(map(_words, long)) < _ENOUGH:
            continue
        left, seen = _MOST_CELLS, set()
        for table in _tables(survey):
            if (left := left - len(table) * len(table.columns)) < 0:
                return
            found = None if table.where in seen else _in_table(table, name, long)
            if found is not None:
                seen.add(table.where)
                yield found


def _answers(survey: Survey) -> Iterator[tuple[str, Texts]]:
    """(the name of what is asked for, the answers), also where there is one item and nothing to tell apart."""
    targets = [target for target in survey.test.targets if not target.is_derived]
    if targets:
        yield from ((target.name, target.values) for target in targets if target.numbers is None)
        return
    task = survey.task
    for name in map(str, task.sample.columns):
        if name not in task.key_columns and name in getattr(task.answers, "columns", ()):
            yield name, texts(task.answers[name])


def _plain(value: str) -> str:
    return " ".join(value.split()).lower()


def _words(value: str) -> int:
    return value.count(" ") + 1


def _is_long(value: str) -> bool:
    return _words(value) >= _MANY_WORDS or len(value) >= _MANY_CHARACTERS


def _tables(survey: Survey) -> Iterator[Table]:
    """Tables that may have answers; what is given with the ids of items may be what an answer repeats."""
    given = {
        matched.table.where for matched in survey.matched_test if matched.has_keys and not _has_few(survey, matched)
    }
    labels = survey.train_table.where if survey.train_table is not None else None
    for table in survey.tables:
        is_train = table.where == labels or side_of(table.where) == "train"
        if not table.is_artifact and not is_train and table.where not in given and len(table) <= _LONGEST_TABLE:
            yield table


def _has_few(survey: Survey, matched: Matched) -> bool:
    return not survey.test.targets or len(matched.items) < _SHARE * survey.test.size


def _in_table(table: Table, name: str, long: set[str]) -> Found | None:
    for column, values in table.columns.items():
        said = {plain for value in values if not is_missing(value) and _is_long(plain := _plain(str(value)))}
        hits = said & long
        if len(hits) >= _SHARE * len(long) and sum(map(_words, hits)) >= _ENOUGH:
            share = len(hits) / len(long)
            return Found(
                "answers_in_public",
                "leak",
                f"{table.where}: {column}",
                f"The column {column} has {share:.0%} of the {len(long):,} answers for {name} that are of "
                f"{_MANY_WORDS} words or {_MANY_CHARACTERS} characters and more, as they are.",
                rank=1 + share,
            )
    return None
