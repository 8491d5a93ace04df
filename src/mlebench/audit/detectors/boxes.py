"""Answers that are boxes in one text, such as "class conf x y w h": public numbers of the same item that fit them.

Boxes are written in many ways: two corners, a corner or the middle with the size, in pixels or as shares of the
picture; in elements of XML, lines of text, columns, or records of a list. Whatever the form, the four numbers of a box
stand in the file or in the rows of the item, and hardly ever in those of another one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mlebench.audit.contents import dicom_pixels
from mlebench.audit.entries import DAMAGED
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.item_files import ItemFile, shown
from mlebench.audit.runs import are_runs, runs_of, shapes_of_files
from mlebench.audit.strength import of_hits
from mlebench.audit.survey import Survey
from mlebench.audit.table import Numbers, Texts, text_of, texts
from mlebench.audit.targets import Target, plain_key

_NUMBER = re.compile(r"(?<![\w.])[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.]*[A-Za-z_])")
_WORDS_OF_A_BOX = (6, 5, 4, 7)
_FEWEST, _MOST_ITEMS, _MOST_BOXES, _MOST_NUMBERS = 6, 300, 20, 2000
_USUAL = 0.2  # of the boxes, that are the same where there is nothing to be seen
_MOST_ROWS, _MOST_BYTES, _MOST_SIZES = 100_000, 1 << 20, 400
_RISING = 0.95  # of the masks, whose runs are in their order
_WORD_AT_END = re.compile(r"(.+)[_\-][a-z]+")
_TEXTS = (".xml", ".txt", ".json", ".csv", ".yaml", ".yml", ".html", ".md", "")
_SCANS = (".dcm", ".dicom")
_NEARNESS = (0.05, 1.01)  # pixels
_SHIFTS = (1, 2, 3, 5)
_SHARE, _DIGITS = 0.5, 6.0
_Numbers = Mapping[int, Numbers]  # of items, sorted


@dataclass(frozen=True)
class _Boxes:
    """The boxes of the items that have some: four numbers each, and the width and height of the picture, if known."""

    of: Mapping[int, Numbers]
    sizes: Mapping[int, tuple[float, float]]


@dataclass(frozen=True)
class _Fit:
    form: str
    hits: int
    count: int
    digits: float
    items: tuple[int, ...]  # whose boxes are all there


def detect(survey: Survey) -> Iterator[Found]:
    """A finding for each kind of files, and for each table, with numbers that fit."""
    target = next((target for target in survey.test.targets if not target.is_derived), None)
    if target is None or target.numbers is not None or _are_masks(target.values):
        return
    found = boxes_of(target.values)
    if len(found) < _FEWEST and (graded := _as_graded(survey, target)) is not None:
        found = boxes_of(graded)
    if len(found) < _FEWEST:
        return
    boxes = _Boxes(found, _sizes(survey, found))
    for where, numbers in (*_of_files(survey, found), *_of_tables(survey, found)):
        fit = _best(boxes, numbers)
        if fit is not None and fit.digits >= _DIGITS and fit.hits >= _SHARE * fit.count:
            yield _finding(survey, target, boxes, where, fit)


def _as_graded(survey: Survey, target: Target) -> Texts | None:
    """What the grader compares submissions with, such as the boxes in which the points of a submission must lie."""
    answers, keys = survey.task.answers, survey.task.key_columns
    names = getattr(answers, "columns", ())
    if len(keys) != 1 or keys[0] not in names or target.column not in names:
        return None
    known = dict(zip(texts(answers[keys[0]]), texts(answers[target.column]), strict=True))
    return texts(known.get(name) for name in survey.test.ids)


def _are_masks(values: Texts) -> bool:
    """Whether values are runs of pixels, which follow one another; the numbers of boxes are in no order."""
    runs = [found for value in values if (found := runs_of(value)) is not None]
    return (
        are_runs(values) and bool(runs) and float(np.mean([(np.diff(one[:, 0]) > 0).all() for one in runs])) >= _RISING
    )


def boxes_of(values: Texts) -> dict[int, Numbers]:
    """The boxes of each answer that has some, without those that most have; empty where answers are no boxes."""
    split = {row: value.split() for row, value in enumerate(values) if value and value.strip()}
    for length in _WORDS_OF_A_BOX:
        if not split or any(len(words) % length for words in split.values()):
            continue
        found = {row: _numbers_of_boxes(words, length) for row, words in split.items()}
        there = {row: boxes for row, boxes in found.items() if boxes is not None}
        if len(there) < len(found):
            continue
        counts = Counter(tuple(box) for boxes in there.values() for box in boxes.tolist())
        most = max(2, _USUAL * counts.total())
        kept = {
            row: np.array([box for box in boxes.tolist() if counts[tuple(box)] < most])[:_MOST_BOXES]
            for row, boxes in there.items()
        }
        chosen = [row for row, boxes in kept.items() if len(boxes)]
        if len(chosen) > _MOST_ITEMS:
            chosen = np.sort(np.random.default_rng(0).choice(chosen, _MOST_ITEMS, replace=False)).tolist()
        return {row: kept[row] for row in chosen}
    return {}


def _numbers_of_boxes(words: Sequence[str], length: int) -> Numbers | None:
    """The last four words of each box, where they are numbers of a box: its size, or its second corner, is no 0."""
    try:
        boxes = np.array([words[start + length - 4 : start + length] for start in range(0, len(words), length)], float)
    except ValueError:
        return None
    is_box = np.isfinite(boxes).all() and (boxes[:, 2:] > 0).all() and (boxes[:, :2] >= 0).all()
    return boxes if is_box else None


def _sizes(survey: Survey, boxes: Mapping[int, Numbers]) -> dict[int, tuple[float, float]]:
    """The width and height of the pictures of items, also of scans."""
    wanted = {row: plain_key(str(survey.test.ids[row]).split("|")[0]) for row in boxes}
    files = [file for file in survey.test_files if file.key in set(wanted.values())]
    shapes = shapes_of_files(files)
    for file in [file for file in files if file.entry.suffix in _SCANS][:_MOST_SIZES]:
        try:
            pixels = dicom_pixels(file.entry.read())
        except (*DAMAGED, TypeError):
            continue
        if pixels is not None:
            shapes.setdefault(file.key, (pixels.shape[0], pixels.shape[1]))
    return {row: (float(shapes[key][1]), float(shapes[key][0])) for row, key in wanted.items() if key in shapes}


def numbers_in(text: str) -> list[float]:
    """The numbers that stand in a text by themselves, and not in a name."""
    return [float(number) for number, _ in zip(_NUMBER.findall(text), range(_MOST_NUMBERS), strict=False)]


def _of_files(survey: Survey, boxes: Mapping[int, Numbers]) -> Iterator[tuple[str, _Numbers]]:
    slots: dict[str, list[ItemFile]] = {}
    for file in (*survey.test_files, *_by_beginning(survey, boxes)):
        if file.entry.suffix in _TEXTS and file.entry.size <= _MOST_BYTES:
            slots.setdefault(file.slot, []).append(file)
    for files in slots.values():
        found: dict[int, Numbers] = {}
        for file in files:
            rows = [row for row in survey.test.names.get(file.key, ()) if row in boxes]
            if not rows:
                continue
            try:
                numbers = numbers_in(file.entry.read(_MOST_BYTES).decode("utf-8", "replace"))
            except DAMAGED:
                continue
            found |= dict.fromkeys(rows, np.unique(numbers))
        yield shown(files), found


def _by_beginning(survey: Survey, boxes: Mapping[int, Numbers]) -> Iterator[ItemFile]:
    """Files that are called like an item without the word at its end, as 12ab.xml for 12ab_image."""
    known = {id(file.entry) for file in survey.test_files}
    begun: dict[str, str] = {}
    for row in boxes:
        name = plain_key(survey.test.ids[row])
        if found := _WORD_AT_END.fullmatch(name):
            begun[plain_key(found.group(1))] = name
    for entry in survey.entries if begun else ():
        key = begun.get(plain_key(entry.base))
        if key is not None and id(entry) not in known:
            yield ItemFile(entry, key, f"{entry.name.split('/')[0]}/*{entry.suffix}")


def _of_tables(survey: Survey, boxes: Mapping[int, Numbers]) -> Iterator[tuple[str, _Numbers]]:
    """The numbers in all rows of each item, of whichever table names the items."""
    for matched in survey.matched_test:
        table = matched.table
        keys = table.columns.get(matched.by)
        if not matched.has_keys or keys is None or len(table) > _MOST_ROWS:
            continue
        others = [values for name, values in table.columns.items() if name != matched.by]
        found: dict[int, list[float]] = {}
        for place, key in enumerate(keys):
            for row in survey.test.names.get(plain_key(key), ()) if key else ():
                if row in boxes:
                    cells = " ".join(text_of(values[place]) or "" for values in others)
                    found.setdefault(row, []).extend(numbers_in(cells))
        yield table.where, {row: np.unique(numbers) for row, numbers in found.items()}


def _best(boxes: _Boxes, numbers: _Numbers) -> _Fit | None:
    rows = [row for row in boxes.of if len(numbers.get(row, ())) >= 4]
    if len(rows) < _FEWEST:
        return None
    found = []
    for form in _forms(np.zeros((1, 4))):
        for is_share in (False, True):
            known = [row for row in rows if row in boxes.sizes] if is_share else rows
            if len(known) >= _FEWEST:
                name = f"{form} as shares" if is_share else form
                found += [_fit(boxes, numbers, known, form, name, near, is_share=is_share) for near in _NEARNESS]
    return max(found, key=lambda fit: fit.digits, default=None)


def _forms(boxes: Numbers) -> dict[str, Numbers]:
    """The ways to write boxes: what is given may be a corner and the size, or two corners."""
    start, last = boxes[:, :2], boxes[:, 2:]
    return {
        "the numbers themselves": boxes,
        "two corners": np.hstack([start, start + last]),
        "the middle and the size": np.hstack([start + last / 2, last]),
        "a corner and the size": np.hstack([start, last - start]),
        "the middle and the size of two corners": np.hstack([(start + last) / 2, last - start]),
    }


def _fit(
    boxes: _Boxes, numbers: _Numbers, rows: Sequence[int], form: str, name: str, near: float, *, is_share: bool
) -> _Fit:
    written = {row: _forms(boxes.of[row])[form] for row in rows}

    def right(row: int, owner: int) -> Numbers:
        """Which boxes of an item are among the numbers of another, or of itself."""
        wide, high = boxes.sizes[row] if is_share else (1.0, 1.0)
        unit = np.array([wide, high, wide, high])
        wanted, known = written[row] / unit, numbers[owner]
        place = np.searchsorted(known, wanted)
        below, above = known[np.maximum(place - 1, 0)], known[np.minimum(place, len(known) - 1)]
        off = np.minimum(np.abs(below - wanted), np.abs(above - wanted)) * unit
        hits: Numbers = (off <= near).all(axis=1).astype(float)
        return hits

    own = {row: right(row, row) for row in rows}
    others = [
        right(row, other)
        for step in _SHIFTS
        for row, other in zip(rows, [*rows[step:], *rows[:step]], strict=True)
        if not np.array_equal(numbers[row], numbers[other])
    ]
    count, hits = sum(map(len, own.values())), int(sum(one.sum() for one in own.values()))
    moved = np.concatenate(others) if others else np.ones(1)
    # The boxes of one item may be found together, so that items are counted for the evidence.
    full = tuple(row for row in rows if own[row].all())
    chance = max(float(moved.mean()), 1 / (len(_SHIFTS) * len(rows)))
    return _Fit(name, hits, count, of_hits(len(full), len(rows), chance), full)


def _finding(survey: Survey, target: Target, boxes: _Boxes, where: str, fit: _Fit) -> Found:
    rows = np.array(fit.items, dtype=np.int64)
    return Found(
        "answers_in_public",
        "leak",
        where,
        f"Numbers in it are {fit.hits:,} of the {fit.count:,} boxes of the items to predict ({fit.form}).",
        rank=1 + len(rows) / len(boxes.of),
        predictions=(Prediction(target.name, target.column, survey.task.rows[rows], target.values[rows]),),
    )
