"""Answers that are masks, drawn by polygons or runs in a list of many pictures, whichever way these are called there.

Records of one list may refer to those of another one, as annotations do to their pictures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.frames import Grey
from mlebench.audit.item_files import side_of
from mlebench.audit.runs import Drawn, are_runs, masks_of, shapes_of, written_runs
from mlebench.audit.shapes import SCALES, Shape, drawn, shape_of_text, shapes_in
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import texts
from mlebench.audit.targets import Target, plain_key

_MOST_FILES, _MOST_BYTES = 60, 64 << 20
_MOST_RECORDS, _MOST_DEPTH, _MOST_NAMES = 50_000, 6, 12
_FEWEST, _SOME = 4, 0.1  # pictures with shapes, and of all
_LIKE, _SAME = 0.6, 0.95  # the overlap of two masks
_DIGITS = 5.0
_MOST_DRAWN = 400
_MOST_COLUMNS = 400
_Owned = Mapping[str, list[Shape]]
_Record = dict[str, Any]


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for files with shapes of many items, and for columns with one of each."""
    target = next((target for target in survey.test.targets if not target.is_derived), None)
    if target is None or not are_runs(target.values):
        return
    masks = masks_of(survey.test, target, shapes_of(survey))
    if len(masks) < _FEWEST:
        return
    answers = {plain_key(answer.name): answer for answer in masks}
    told: set[str] = set()
    for where, owned in _owned(survey, answers, target):
        file = re.split(r" \(|: ", where, maxsplit=1)[0]
        if file not in told and (found := _judged(survey, target, answers, where, owned)) is not None:
            told.add(file)
            yield found


def _owned(survey: Survey, answers: Mapping[str, Drawn], target: Target) -> Iterator[tuple[str, _Owned]]:
    """(where, the shapes of each item)."""
    of_items = {id(file.entry) for file in (*survey.test_files, *survey.train_files)}
    read = 0
    for entry in sorted(survey.entries, key=lambda entry: entry.size):
        if id(entry) in of_items or side_of(entry.name) == "train" or not _may_be_json(entry):
            continue
        if (read := read + 1) > _MOST_FILES:
            break
        for value in _values(entry):
            lists = list(_lists(value))
            names = _referred(lists, answers)
            for records in lists:
                yield from ((entry.name, owned) for owned in _of_records(records, answers, names))
    for column in survey.test_columns[:_MOST_COLUMNS]:
        if column.in_order and column.column == target.name:
            continue  # the sample submission and its like
        some = [value for value in column.values[:8] if value]
        if not some or not all(shape_of_text(value) for value in some):
            continue
        for place in range(max(len(shape_of_text(value)) for value in some)):
            owned: dict[str, list[Shape]] = {}
            for value, item in zip(column.values, column.items.tolist(), strict=True):
                shapes = shape_of_text(value) if value else []
                if place < len(shapes) and (key := plain_key(survey.test.ids[item])) in answers:
                    owned[key] = [shapes[place]]
            yield f"{column.where}: {column.column}", owned


def _may_be_json(entry: Entry) -> bool:
    if not 0 < entry.size <= _MOST_BYTES:
        return False
    try:
        return entry.read(64).lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in (b"{", b"[")
    except DAMAGED:
        return False


def _values(entry: Entry) -> Iterator[Any]:
    try:
        text = entry.read(_MOST_BYTES).decode("utf-8-sig", "replace")
        try:
            yield json.loads(text)
        except ValueError:
            yield [json.loads(line) for line in text.splitlines()[:_MOST_RECORDS] if line.strip()]
    except (*DAMAGED, RecursionError):
        return


def _lists(value: Any, depth: int = 0) -> Iterator[list[_Record]]:
    """The lists of records in a value; what is below names is one, too."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, dict):
        below = [item for item in value.values() if isinstance(item, dict | list)]
        if len(below) >= _FEWEST:
            yield [{"(key)": key, "(value)": item} for key, item in value.items()][:_MOST_RECORDS]
        for item in below[:20]:
            yield from _lists(item, depth + 1)
    elif isinstance(value, list):
        records = [item for item in value if isinstance(item, dict)][:_MOST_RECORDS]
        if len(records) >= _FEWEST:
            yield records
        elif len(value) < 20:
            for item in value:
                yield from _lists(item, depth + 1)


def _scalars(record: _Record, path: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    for name, value in list(record.items())[:30]:
        if isinstance(value, str | int) and len(str(value)) < 300:
            yield f"{path}{name}", str(value)
        elif isinstance(value, dict) and depth < 2:
            yield from _scalars(value, f"{path}{name}.", depth + 1)


def _referred(lists: list[list[_Record]], answers: Mapping[str, Drawn]) -> dict[str, dict[str, str]]:
    """By the columns of lists that name each of their records once: the item of the record."""
    found: dict[str, dict[str, str]] = {}
    for number, records in enumerate(lists):
        rows = [dict(_scalars(record)) for record in records]
        for name in _naming(rows, answers):
            for key in rows[0]:
                numbers = {row[key]: plain_key(row[name]) for row in rows if key in row and name in row}
                if key != name and len(numbers) == len(rows) and len(found) < _MOST_NAMES:
                    found[f"{number} {key}"] = numbers
    return found


def _naming(rows: list[dict[str, str]], answers: Mapping[str, Drawn]) -> list[str]:
    needed = max(_FEWEST, _SOME * len(answers))
    names = list(dict.fromkeys(name for row in rows[:20] for name in row))[:30]
    return [name for name in names if len({plain_key(row.get(name, "")) for row in rows} & answers.keys()) >= needed]


def _of_records(
    records: list[_Record], answers: Mapping[str, Drawn], names: Mapping[str, Mapping[str, str]]
) -> Iterator[_Owned]:
    shapes = [list(shapes_in(record)) for record in records]
    if sum(map(bool, shapes)) < _FEWEST:
        return
    rows = [dict(_scalars(record)) for record in records]
    owners = [[plain_key(row.get(name, "")) for row in rows] for name in _naming(rows, answers)]
    columns = list(dict.fromkeys(name for row in rows[:20] for name in row))[:30]
    owners += [
        [numbers.get(row.get(column, ""), "") for row in rows]
        for numbers in names.values()
        for column in columns
        if sum(row.get(column) in numbers for row in rows) >= 0.5 * len(rows)
    ]
    for keys in owners[: 2 * _MOST_NAMES]:
        owned: dict[str, list[Shape]] = {}
        for key, found in zip(keys, shapes, strict=True):
            if found and key in answers:
                owned.setdefault(key, []).extend(found)
        if len(owned) >= max(_FEWEST, _SOME * len(answers)):
            yield owned


def _judged(survey: Survey, target: Target, answers: Mapping[str, Drawn], where: str, owned: _Owned) -> Found | None:
    keys = list(owned)[:_MOST_DRAWN]
    best: tuple[float, float, list[str], dict[str, Grey]] | None = None
    for scale in SCALES:
        for order in "FC":
            flat = {key: one for key in keys if (one := _flat(owned[key], answers[key], scale, order)) is not None}
            known = list(flat)
            if len(known) < max(_FEWEST, 0.5 * len(keys)):
                continue
            overlaps = [_overlap(flat[key], answers[key].values) for key in known]
            moved = [
                _overlap(flat[key], answers[other].values)
                for step in (1, 2, 3)
                for key, other in zip(known, known[step:] + known[:step], strict=True)
            ]
            for least in (_LIKE, _SAME):
                hits = [key for key, overlap in zip(known, overlaps, strict=True) if overlap >= least]
                chance = max(float(np.mean(np.array(moved) >= least)), 1 / (3 * len(known)))
                digits = of_hits(len(hits), len(known), chance)
                if hits and len(hits) >= 0.5 * len(known) and (best is None or digits > best[0]):
                    best = (digits, float(np.mean(overlaps)), hits, flat)
    if best is None or best[0] < min(_DIGITS, 0.4 * len(keys)):
        return None
    _, mean, hits, flat = best
    rows = np.concatenate([answers[key].rows for key in hits])
    words = f"The shapes in it are the masks of {len(hits):,} of {len(answers):,} items (overlap {mean:.0%})"
    written = texts(written_runs(flat[key]) for key in hits)
    prediction = Prediction(target.name, target.column, survey.task.rows[rows], written)
    rank = 1 + len(hits) / len(answers)
    return Found("answers_in_public", "leak", where, f"{words}.", rank=rank, predictions=(prediction,))


def _flat(shapes: list[Shape], answer: Drawn, scale: str, order: Any) -> Grey | None:
    if answer.shape is None:
        return None
    picture = drawn(shapes, *answer.shape, scale)
    return None if picture is None else picture.ravel(order=order)


def _overlap(one: Grey, other: Grey) -> float:
    if len(one) != len(other):
        return 0.0
    union = float(np.maximum(one, other).sum())
    return float((one * other).sum()) / union if union else 0.0
