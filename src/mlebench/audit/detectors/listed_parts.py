"""Lists of what a whole has, such as the species in a recording, where each part of a whole is an item of its own.

Ids put the two together, as in 1204 for species 4 in recording 12, or in scan_7_spleen; a line with the whole and its
parts names none of the items, and has the answers of all of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import numpy as np

from mlebench.audit.finding import Found
from mlebench.audit.predicting import predictions
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Table, Texts, texts
from mlebench.audit.targets import Target, plain_key

_FEWEST_WHOLES, _FEWEST_PARTS, _MOST_PARTS = 6, 3, 1000
_HUNDREDS = (100, 1000, 10)  # that numbers of wholes are multiplied by
_SEPARATORS = ("_", "-", "|", ":")
_WORD = re.compile(r"[^\s,;:|\[\]()\"']+")
_MOST_LINES, _LONGEST = 20_000, 2000
_LISTED, _RIGHT, _DIGITS = 0.5, 0.9, 8.0  # of the wholes; of what is listed; of evidence
_Rows = Mapping[tuple[str, str], int]  # the item of each whole and part


def detect(survey: Survey) -> Iterator[Found]:
    """The tables whose lines begin with a whole and go on with its parts."""
    target = next((one for one in survey.test.targets if not one.is_derived and set(one.classes) == {"0", "1"}), None)
    rows = None if target is None else _parts_of(survey.test.ids)
    if target is None or rows is None:
        return
    seen = set()
    for table in survey.tables:
        lines = table.columns.get("line")
        if lines is None or table.where in seen or len(lines) > _MOST_LINES:
            continue
        found = _judged(survey, table, lines, target, rows)
        if found is not None:
            seen.add(table.where)
            yield found


def _parts_of(ids: Texts) -> _Rows | None:
    """The wholes and parts that ids are made of, where each whole has the same parts."""
    names = [str(name) for name in ids]
    ways = [[name.rpartition(mark)[::2] for name in names] for mark in _SEPARATORS]
    if all(name.isdecimal() and len(name) < 16 for name in names):
        ways = [[(str(int(name) // by), str(int(name) % by)) for name in names] for by in _HUNDREDS]
    for pairs in ways:
        wholes, parts = Counter(whole for whole, _ in pairs), {part for _, part in pairs}
        is_grid = set(wholes.values()) == {len(parts)} and "" not in wholes
        if is_grid and len(wholes) >= _FEWEST_WHOLES and _FEWEST_PARTS <= len(parts) <= _MOST_PARTS:
            return {(plain_key(whole), plain_key(part)): row for row, (whole, part) in enumerate(pairs)}
    return None


def _judged(survey: Survey, table: Table, lines: Texts, target: Target, rows: _Rows) -> Found | None:
    wholes = {whole for whole, _ in rows}
    named: set[int] = set()
    known: set[str] = set()
    for line in lines:
        whole, *parts = [plain_key(word) for word in _WORD.findall(str(line or "")[:_LONGEST])] or [""]
        if whole in wholes and all((whole, part) in rows for part in parts):
            known.add(whole)
            named |= {rows[whole, part] for part in parts}
    if len(known) < max(_FEWEST_WHOLES, _LISTED * len(wholes)) or not named:
        return None
    there = np.array(sorted(row for (whole, _), row in rows.items() if whole in known))
    truth = target.plain == "1"
    right = int(truth[sorted(named)].sum())
    if right < _RIGHT * max(len(named), int(truth[there].sum())):
        return None
    if of_hits(right, len(named), float(truth[there].mean())) < _DIGITS:
        return None
    there_are = int(truth[there].sum())
    return Found(
        "answers_in_public",
        "leak",
        f"{table.where}: line",
        f"Lines that begin with one of {len(known):,} wholes, of which ids are made, list the parts that "
        f"{target.name} is 1 for: {right:,} of {len(named):,} are right, of {there_are:,} that there are.",
        rank=1 + len(there) / survey.test.size,
        predictions=predictions(target, survey.task.rows[there], texts(int(row in named) for row in there.tolist())),
    )
