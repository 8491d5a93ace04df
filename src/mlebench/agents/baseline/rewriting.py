"""Texts to rewrite one by one: each mostly stays as it is, and what some become can be learnt by heart.

The training table has a text and what becomes of it, the test table the text alone. Tables are read piece by piece,
twice: first to count what becomes of each text, then, for texts that become different things, beside which neighbours.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from .modelling import Candidate, Solution
from .tables import TaskError, matching, read_pieces, read_table, table_files
from .task import Given

if TYPE_CHECKING:
    import pandas as pd

LEAST_COPIES = 0.3  # share of texts that stay as they are, among the first rows
MANY_VALUES = 50  # fewer different results are classes, which other models learn
PEEK = 20_000  # rows
TENTHS = 10  # one in so many groups of rows judges the candidates
ROWS_PER_GROUP = 50  # where no column tells which rows belong together
SHARE_FOR_READING = 0.7  # of the time limit
COPY, BY_HEART, IN_CONTEXT = "copy", "most frequent form", "most frequent form beside the neighbours"

Forms = dict[str, Counter[str]]
Contexts = dict[tuple[str, str, str], Counter[str]]


@dataclass
class _Memory:
    """What was counted: forms of each text, and of each ambiguous text between two neighbours."""

    forms: Forms = field(default_factory=lambda: defaultdict(Counter))
    contexts: Contexts = field(default_factory=lambda: defaultdict(Counter))

    def form(self, model: str, before: str, text: str, after: str) -> str:
        """What becomes of a text, by the rule of a candidate."""
        if model == IN_CONTEXT:
            for context in ((before, text, after), (before, text, ""), ("", text, after)):
                if context in self.contexts:
                    return self.contexts[context].most_common(1)[0][0]
        return self.forms[text].most_common(1)[0][0] if model != COPY and text in self.forms else text


@dataclass(frozen=True)
class _Rewriting:
    """The tables and columns: `source` becomes `output`; `group` is a column of rows that belong together."""

    train: Path
    test: Path
    source: str
    output: str
    group: str | None


def find_rewriting(given: Given) -> _Rewriting | None:
    """The tables, if the one target of the training table is mostly a copy of a text that both tables have."""
    files = table_files(given.folder)
    tests = matching(files, r"^test(_|\b)", r"test")
    output = str(given.sample.columns[-1])
    if not tests or given.sample.shape[1] != 2:
        return None
    for name in matching(files, r"^train", r"train")[:3]:
        try:
            few, test = (read_table(given.folder / file, rows=PEEK, keep_default_na=False) for file in (name, tests[0]))
        except TaskError:
            continue
        if output not in few or few[output].dtype.kind in "iufb" or few[output].nunique() < MANY_VALUES:
            continue
        for source in (column for column in few if column in test and column != output):
            if (few[source].astype(str) == few[output].astype(str)).mean() >= LEAST_COPIES:
                groups = [str(column) for column in few if column in test and few[column].dtype.kind in "iu"]
                return _Rewriting(
                    given.folder / name, given.folder / tests[0], str(source), output, next(iter(groups), None)
                )
    return None


def solve_rewriting(given: Given, found: _Rewriting, submission: Path) -> Solution:
    """Count, judge the candidates on rows that were not counted, count these too, and write the submission."""
    start = time.monotonic()
    stop = given.budget.at(SHARE_FOR_READING)
    memory, rows, is_whole = _counted(found, stop)
    right: Counter[str] = Counter()
    judged = 0
    held_out: list[tuple[str, str, str, str]] = []
    for piece in _pieces(found):
        held_out += [row for row, is_judge in piece if is_judge]
        if len(held_out) > 500_000 or time.monotonic() > stop:
            break
    for before, text, after, form in held_out:
        judged += 1
        right.update(model for model in (COPY, BY_HEART, IN_CONTEXT) if memory.form(model, before, text, after) == form)
    if not judged or not rows:
        raise TaskError("The training table has too few rows to judge by.")
    seconds = time.monotonic() - start
    candidates = tuple(Candidate(model, right[model] / judged, 0.0, seconds) for model in (COPY, BY_HEART, IN_CONTEXT))
    chosen = max(candidates, key=lambda candidate: candidate.score or 0.0)
    for before, text, after, form in held_out:  # now they may be learnt from, too
        memory.forms[text][form] += 1
        for context in ((before, text, after), (before, text, ""), ("", text, after)):
            if context in memory.contexts:
                memory.contexts[context][form] += 1
    _write(given, found, memory, chosen.model, submission)
    notes = () if is_whole else (f"{found.train.name} was not read to its end, which would have taken too long",)
    return Solution(candidates, chosen, "a tenth of the rows held out", rows, notes)


def _counted(found: _Rewriting, stop: float) -> tuple[_Memory, int, bool]:
    """Both passes over the rows that do not judge."""
    memory, rows, is_whole = _Memory(), 0, True
    for piece in _pieces(found):
        for (_, text, _, form), is_judge in piece:
            rows += 1
            if not is_judge:
                memory.forms[text][form] += 1
        if time.monotonic() > stop:
            is_whole = False
            break
    ambiguous = {text for text, forms in memory.forms.items() if len(forms) > 1}
    for piece in _pieces(found):
        for (before, text, after, form), is_judge in piece:
            if text in ambiguous and not is_judge:
                for context in ((before, text, after), (before, text, ""), ("", text, after)):
                    memory.contexts[context][form] += 1
        if time.monotonic() > stop:
            is_whole = False
            break
    return memory, rows, is_whole


def _pieces(found: _Rewriting) -> Iterator[Iterator[tuple[tuple[str, str, str, str], bool]]]:
    """((text before, text, text after, form), whether the row judges) of each row, piece by piece."""
    for piece in read_pieces(found.train, keep_default_na=False, dtype=str):
        texts = piece[found.source].tolist()
        groups = piece[found.group].tolist() if found.group else [str(row // ROWS_PER_GROUP) for row in piece.index]
        judges = [group.isdecimal() and int(group) % TENTHS == 0 for group in groups]
        rows = zip(["", *texts[:-1]], texts, [*texts[1:], ""], piece[found.output].tolist(), strict=True)
        yield zip(rows, judges, strict=True)


def _write(given: Given, found: _Rewriting, memory: _Memory, model: str, path: Path) -> None:
    """The submission, in the order of the sample: its ids are one column, or several joined, or count the rows."""
    test = read_table(found.test, keep_default_na=False, dtype=str)
    texts = test[found.source].tolist()
    forms = [
        memory.form(model, before, text, after)
        for before, text, after in zip(["", *texts[:-1]], texts, [*texts[1:], ""], strict=True)
    ]
    id_name = str(given.sample.columns[0])
    sample = read_table(given.folder / given.sample_name, keep_default_na=False, dtype=str)
    by_id = dict(zip(_ids(test, sample[id_name], found.source), forms, strict=True))
    sample.assign(**{found.output: [by_id[name] for name in sample[id_name]]}).to_csv(path, index=False)


def _ids(test: pd.DataFrame, wanted: pd.Series[str], source: str) -> list[str]:
    """The id of each test row, as the sample submission has it."""
    names = [name for name in test if name != source]
    joined = ["_".join(parts) for parts in zip(*(test[name] for name in names), strict=True)] if names else []
    for ids in (*(test[name].tolist() for name in names), joined):
        if set(ids) >= set(wanted) and len(ids) == len(set(ids)):
            return list(ids)
    if len(test) == len(wanted):
        return list(wanted)
    raise TaskError("The ids of the sample submission do not tell which row of the test table they mean.")
