"""Answers that are pictures, masks or tracks: the same picture, mask, outline or track in a public file.

An answer may be spread over many rows (a pixel or a moment each) or packed into one (a mask as runs). Public pictures,
arrays and outlines are compared with it as pictures, whatever they are called.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

from mlebench.audit.entries import DAMAGED, Entry
from mlebench.audit.finding import Found, Prediction
from mlebench.audit.frames import Grey, frames, picture_of
from mlebench.audit.item_files import side_of
from mlebench.audit.runs import FEWEST, MOST_FILES, PICTURES, Drawn, are_runs, masks_of, shapes_of, written_runs
from mlebench.audit.strength import arrangements
from mlebench.audit.survey import Survey
from mlebench.audit.table import texts
from mlebench.audit.targets import Target, plain_key
from mlebench.base import progress

_MOST_BYTES = 64 << 20
_ALIKE = 0.97  # the correlation of two pictures that are the same
_FEW_FILES, _OFTEN = 20, 0.3  # files of train that are looked at; of these
_NEEDED = 6.0  # digits of evidence that masks are no chance
_SAME = 0.9999  # that of two pictures that differ in their shade alone


def detect(survey: Survey) -> Iterator[Found]:
    """Findings for answers in the form of pictures."""
    target = next((target for target in survey.test.targets if not target.is_derived), None)
    if target is None:
        return
    pixels = _pixels(survey, target)
    if pixels:
        yield from _in_pictures(survey, target, pixels, "pixels")
    masks = masks_of(survey.test, target, shapes_of(survey)) if are_runs(target.values) else []
    if masks:
        yield from _in_pictures(survey, target, masks, "masks")
        yield from _in_outlines(survey, target, masks)


def _pixels(survey: Survey, target: Target) -> list[Drawn]:
    """Ids such as 14_3_7: a picture, a row and a column."""
    numbers = target.numbers
    parts = [str(name).rsplit("_", 2) for name in survey.test.ids]
    if numbers is None or any(len(part) != 3 or not part[1].isdecimal() or not part[2].isdecimal() for part in parts):
        return []
    owners: dict[str, list[int]] = {}
    for row, part in enumerate(parts):
        owners.setdefault(part[0], []).append(row)
    found = []
    for name, rows in owners.items():
        places = np.array([(int(parts[row][1]), int(parts[row][2])) for row in rows])
        height, width = (int(limit) for limit in places.max(axis=0))
        if height * width == len(rows) and len(rows) >= 16:
            order = np.lexsort((places[:, 1], places[:, 0]))
            taken = np.array(rows)[order]
            found.append(Drawn(name, taken, numbers[taken], (height, width)))
    return found


def _in_pictures(survey: Survey, target: Target, answers: list[Drawn], what: str) -> Iterator[Found]:
    shapes = dict.fromkeys(answer.shape for answer in answers if answer.shape is not None)
    by_shape = {shape: _Known([answer for answer in answers if answer.shape == shape], what) for shape in shapes}
    hits: dict[str, tuple[float, Drawn, str]] = {}
    shown: dict[str, list[str]] = {}
    by_item = len(answers) >= FEWEST  # the files of the items themselves are compared with their own masks elsewhere
    of_items = {id(file.entry) for file in (*survey.train_files, *(survey.test_files if by_item else ()))}
    candidates = [entry for entry in survey.entries if entry.suffix in PICTURES][:MOST_FILES]
    drawn = _drawn(candidates) if what == "masks" else set()
    inputs, compared = _inputs(candidates, answers, what), 0
    with progress.stage("compare", "pictures with the answers", total=len(candidates), unit="files") as stage:
        for entry in candidates:
            stage.advance()
            if what == "masks" and (id(entry) in of_items or id(entry) in drawn or side_of(entry.name) == "train"):
                continue  # a mask of train may look alike by chance
            needed = _SAME if _folder(entry) == inputs else _ALIKE  # what is to be cleaned is like what is clean
            for picture in frames(entry):
                known = by_shape.get((picture.shape[0], picture.shape[1]))
                if known is None or (what == "masks" and not _has_two_values(picture)):
                    continue
                compared += 1
                likeness = known.likeness(picture)
                for place in np.flatnonzero(likeness >= needed).tolist():
                    alike, answer = float(likeness[place]), known.answers[place]
                    if alike > hits.get(answer.name, (0.0, answer, ""))[0]:
                        hits[answer.name] = (alike, answer, entry.name)
                        shown[answer.name] = _as_answer(picture, answer, what)
    if not hits or len(hits) < min(2, len(answers)):
        return
    if what == "masks" and sum(_rarity(answer) - math.log10(compared) for _, answer, _ in hits.values()) < _NEEDED:
        return  # any small mask is like one of many small pictures
    rows = np.concatenate([answer.rows for _, answer, _ in hits.values()])
    written = [value for name in hits for value in shown[name]]
    first = next(iter(hits.values()))
    folder = first[2].rsplit("/", 1)[0] if "/" in first[2] else first[2]
    yield Found(
        "answers_in_public",
        "leak",
        f"{folder}: {first[2]}",
        f"{len(hits):,} of {len(answers):,} answers ({what}) are "
        f"public pictures, as this one is that of {first[1].name}.",
        rank=1 + len(hits) / len(answers),
        predictions=(Prediction(target.name, target.column, survey.task.rows[rows], texts(written)),),
        rests_on_likeness=what == "masks",
    )


def _drawn(entries: list[Entry]) -> set[int]:
    """Files of test that have two values where those of train have, too: what they show is there to be seen."""
    often = Counter(entry.base for entry in entries)
    found: dict[str, list[bool]] = {}
    mine: dict[str, list[int]] = {}
    for entry in entries:
        slot = entry.base if often[entry.base] > 2 else entry.suffix  # each item may have a folder of its own
        if (side := side_of(entry.name)) == "test":
            mine.setdefault(slot, []).append(id(entry))
        elif side == "train" and len(found.setdefault(slot, [])) < _FEW_FILES:
            found[slot].append(any(_has_two_values(picture) and np.ptp(picture) > 0 for picture in frames(entry)))
    return {place for slot, two in found.items() if np.mean(two) >= _OFTEN for place in mine.get(slot, ())}


def _rarity(answer: Drawn) -> float:
    """How many digits the number of masks has that have as many pixels."""
    there = float(np.count_nonzero(answer.values))
    return arrangements(np.array([there, len(answer.values) - there]))


def _folder(entry: Entry) -> str:
    return entry.name.rpartition("/")[0]


def _inputs(candidates: list[Entry], answers: list[Drawn], what: str) -> str | None:
    """The folder with a picture for every answer; of several the one that is least like the answers."""
    named = {plain_key(answer.name): answer for answer in answers}
    folders: dict[str, dict[str, Entry]] = {}
    for entry in candidates:
        if (key := plain_key(entry.base)) in named:
            folders.setdefault(_folder(entry), {})[key] = entry
    likeness = {}
    for folder, entries in folders.items():
        key, entry = next(iter(entries.items()))
        if len(entries) == len(named) and (picture := picture_of(entry)) is not None:
            likeness[folder] = float(_Known([named[key]], what).likeness(picture).max(initial=0.0))
    return min(likeness, key=lambda folder: likeness[folder], default=None)


def _as_answer(picture: Grey, answer: Drawn, what: str) -> list[str]:
    """What one would submit who had the picture: its grey values from 0 to 1, or the runs of its mask."""
    if what == "pixels":
        scale = 255.0 if picture.max() > 1 else 1.0
        return [repr(float(value)) for value in picture.ravel() / scale]
    flat = max(
        (picture.ravel(order="F"), picture.ravel()),
        key=lambda order: abs(float(np.corrcoef(order, answer.values)[0, 1])),
    )
    return [written_runs((flat > flat.mean()).astype(float))]


def _has_two_values(picture: Grey) -> bool:
    return bool(((picture == picture.min()) | (picture == picture.max())).all())


class _Known:
    """Answers of one shape, with which a picture is compared at once: a mask may be written by rows or by columns."""

    def __init__(self, answers: list[Drawn], what: str) -> None:
        size = 0 if not answers or answers[0].shape is None else answers[0].shape[0] * answers[0].shape[1]
        self.answers = [answer for answer in answers if len(answer.values) == size]
        self.what = what
        self._normal = np.stack([_normal(answer.values) for answer in self.answers]) if self.answers else None

    def likeness(self, picture: Grey) -> Grey:
        """The correlation of each answer with a picture; of a mask also where it is inverted."""
        if self._normal is None or self._normal.shape[1] != picture.size:
            return np.zeros(len(self.answers))
        by_rows: Grey = self._normal @ _normal(picture.ravel())
        if self.what == "pixels":
            return by_rows
        return np.maximum(np.abs(by_rows), np.abs(self._normal @ _normal(picture.ravel(order="F"))))


def _normal(flat: Grey) -> Grey:
    """Values with mean 0 and length 1; zeros where they are all the same."""
    centred = np.nan_to_num(flat - flat.mean())
    length = float(np.linalg.norm(centred))
    return np.zeros(len(flat)) if length < 1e-9 else centred / length


def _in_outlines(survey: Survey, target: Target, masks: list[Drawn]) -> Iterator[Found]:
    """Polygons in a JSON file of an item, drawn and compared with its mask."""
    from PIL import Image, ImageDraw

    owners = {plain_key(answer.name): answer for answer in masks}
    best: dict[str, tuple[float, Entry]] = {}
    written: dict[str, str] = {}
    for file in survey.test_files:
        answer = owners.get(file.key)
        if answer is None or answer.shape is None or file.entry.suffix not in (".json", ".geojson"):
            continue
        try:
            polygons = list(_polygons(json.loads(file.entry.read(_MOST_BYTES))))
        except (*DAMAGED, RecursionError):
            continue
        canvas = Image.new("L", (answer.shape[1], answer.shape[0]))
        for polygon in polygons:
            ImageDraw.Draw(canvas).polygon(polygon, fill=1, outline=1)
        drawn = np.asarray(canvas, dtype=float)
        for flat in (drawn.ravel(order="F"), drawn.ravel()):
            union = float(np.maximum(flat, answer.values).sum())
            overlap = float((flat * answer.values).sum()) / union if union else 0.0
            if overlap > 0.6 and overlap > best.get(file.key, (0.0, file.entry))[0]:
                best[file.key] = (overlap, file.entry)
                written[file.key] = written_runs(flat)
    if len(best) < min(2, len(masks)):
        return
    rows = np.concatenate([owners[key].rows for key in best])
    first = next(iter(best.values()))[1]
    mean = float(np.mean([overlap for overlap, _ in best.values()]))
    yield Found(
        "answers_in_public",
        "leak",
        first.name,
        f"The outlines in this file and its like are the masks of "
        f"{len(best)} of {len(masks)} items (overlap {mean:.0%}).",
        rank=1 + len(best) / len(masks),
        predictions=(
            Prediction(target.name, target.column, survey.task.rows[rows], texts(written[key] for key in best)),
        ),
    )


def _polygons(value: Any, depth: int = 0) -> Iterator[list[tuple[float, float]]]:
    if depth > 10:
        return
    if isinstance(value, dict):
        for below in value.values():
            yield from _polygons(below, depth + 1)
    elif isinstance(value, list):
        if len(value) >= 3 and all(
            isinstance(point, list) and len(point) == 2 and all(isinstance(number, int | float) for number in point)
            for point in value
        ):
            yield [(float(x), float(y)) for x, y in value]
        else:
            for below in value:
                yield from _polygons(below, depth + 1)
