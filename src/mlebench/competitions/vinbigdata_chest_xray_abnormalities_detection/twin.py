"""Twin of vinbigdata-chest-xray-abnormalities-detection: tiny X-rays, brighter within findings, read by three each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.dicom import radiograph
from mlebench.twins.kit.examples import Example

# How often each finding is drawn, in relation to the others; "No finding" comes after them as class 14.
FINDINGS = {
    "Aortic enlargement": 14,
    "Atelectasis": 2,
    "Calcification": 3,
    "Cardiomegaly": 11,
    "Consolidation": 2,
    "ILD": 3,
    "Infiltration": 3,
    "Lung Opacity": 5,
    "Nodule/Mass": 5,
    "Other lesion": 4,
    "Pleural effusion": 5,
    "Pleural thickening": 9,
    "Pneumothorax": 1,
    "Pulmonary fibrosis": 8,
}
NAMES = [*FINDINGS, "No finding"]
NO_FINDING = 14
COLUMNS = ["image_id", "class_name", "class_id", "rad_id", "x_min", "y_min", "x_max", "y_max"]

Row: TypeAlias = tuple[Any, ...]
Box: TypeAlias = NDArray[np.float64]  # class, confidence, x_min, y_min, x_max, y_max
Boxes: TypeAlias = Sequence[Box] | Box  # those of one image


def make(raw: Path, seed: int, scale: int) -> None:
    """Write X-rays and the boxes of their readers, and test images of Kaggle's own, which are not used."""
    rng = np.random.default_rng(seed)
    n, others = 150 * scale, 3 * scale
    found: set[str] = set()
    while len(found) < n + others:
        found.add(rng.bytes(16).hex())
    images = [str(each) for each in rng.permutation(sorted(found))]
    (raw / "train").mkdir()
    (raw / "test").mkdir()
    rows: list[Row] = []
    for position, image in enumerate(images[:n]):
        pixels = rng.integers(0, 60, (10, 10))
        rows += _readings(rng, image, position, pixels)
        sex = str(rng.choice(["M", "F", "O"]))
        picture = radiograph(pixels, [(0x08, 0x60, "CS", "DX"), (0x10, 0x40, "CS", sex)])
        (raw / f"train/{image}.dicom").write_bytes(picture)
    table = pd.DataFrame(rows, columns=COLUMNS)
    # The real rows are not grouped by image either.
    table.iloc[rng.permutation(len(table))].to_csv(raw / "train.csv", index=False)
    for image in images[n:]:
        (raw / f"test/{image}.dicom").write_bytes(radiograph(rng.integers(0, 60, (10, 10))))
    sample = pd.DataFrame({"image_id": sorted(images[n:]), "PredictionString": "14 1 0 0 1 1"})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def _readings(rng: np.random.Generator, image: str, position: int, pixels: NDArray[np.int64]) -> list[Row]:
    """What three radiologists found in an image; the findings are brightened in the picture."""
    readers = [f"R{number}" for number in rng.choice(np.arange(1, 18), 3, replace=False)]
    if rng.random() < 0.35:
        return [_nothing(image, reader) for reader in readers]
    rows: list[Row] = []
    weights = np.array(list(FINDINGS.values()))
    count = int(rng.integers(1, 4))
    for finding in rng.choice(len(FINDINGS), count, replace=False, p=weights / weights.sum()):
        for _ in range(1 + int(rng.random() < 0.2)):  # now and then two boxes of a class in one image
            left, top = rng.integers(100, 1400, 2)
            width, height = rng.integers(150, 900, 2)
            right, bottom = left + width, top + height
            pixels[top // 250 : bottom // 250 + 1, left // 250 : right // 250 + 1] += 20 * (int(finding) + 1)
            for reader in readers:  # each draws another box; the second and the third may see none
                if reader == readers[0] or rng.random() < 0.75:
                    box = np.array([left, top, right, bottom]) + rng.integers(-60, 61, 4)
                    rows.append((image, NAMES[finding], int(finding), reader, *box.astype(float).tolist()))
    if position % 25 == 3:
        rows.append(_nothing(image, "R17"))  # one radiologist saw nothing
    if position % 20 == 5:
        *who, left, top, right, bottom = rows[-1]
        rows[-1] = (*who, left + 0.25, top + 1 / 3, right + 0.1, bottom)
    return rows


def _nothing(image: str, reader: str) -> Row:
    return (image, NAMES[NO_FINDING], NO_FINDING, reader, None, None, None, None)


class _Gold:
    """The gold submission as text and as boxes, and submissions like it."""

    def __init__(self, prepared: Path) -> None:
        self.table = examples.table(prepared, "private/gold_submission.csv")
        self.ids: list[str] = self.table["image_id"].tolist()
        self.boxes: list[Box] = [_parsed(text) for text in self.table["PredictionString"]]

    def submission(self, boxes: Sequence[Boxes], order: Sequence[int] | None = None) -> pd.DataFrame:
        """These boxes of each image; `order` are the numbers of the images if they are in another order."""
        ids = self.ids if order is None else [self.ids[number] for number in order]
        return pd.DataFrame({"image_id": ids, "PredictionString": [_formatted(each) for each in boxes]})

    def each_box(self, change: Callable[[Box], Box]) -> pd.DataFrame:
        """Every box of a finding changed by a function, which gets a copy of it."""
        return self.submission(
            [[box if box[0] == NO_FINDING else change(box.copy()) for box in boxes] for boxes in self.boxes]
        )

    def with_more(self, more: Callable[[Box], list[float]]) -> pd.DataFrame:
        """After the boxes of each image, another one for each finding."""
        changed: list[Boxes] = []
        for boxes in self.boxes:
            others = [np.array(more(box)) for box in boxes if box[0] != NO_FINDING]
            changed.append([*boxes, *others])
        return self.submission(changed)

    def with_text(self, texts: Any) -> pd.DataFrame:
        return self.table.assign(PredictionString=texts)

    def others(self, number: int) -> list[int]:
        """The numbers of all images but one."""
        return [each for each in range(len(self.boxes)) if each != number]


def _parsed(text: str) -> Box:
    return np.array([float(value) for value in text.split(" ")]).reshape(-1, 6)


def _formatted(boxes: Boxes) -> str:
    return " ".join(
        " ".join([str(int(box[0])), f"{box[1]:.6g}", *(f"{value:.8g}" for value in box[2:])]) for box in boxes
    )


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Boxes of all sorts, the oddities of the grader one by one, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    gold = _Gold(prepared)
    yield Example("perfect", gold.table, "the gold submission: below 1, as the first true box never counts")
    best = [boxes.copy() for boxes in gold.boxes]
    best[0][0, 1] = 0.01
    yield Example("best", gold.submission(best), "as gold, unsure of that box: the best that honest boxes reach")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission")
    noisy = gold.submission([_noisy(rng, boxes) for boxes in gold.boxes])
    yield Example("noisy", noisy, "boxes shifted, some left out, some invented")
    yield examples.shuffled(noisy, seed)
    yield Example("extra_column", noisy.assign(note="a,b"), "as noisy, one more column")
    sure = [_parsed(text) for text in noisy["PredictionString"]]
    for boxes in sure:
        boxes[:, 1] = 1
    yield Example("equal_confidence", gold.submission(sure), "as noisy, certain everywhere: images decide the order")
    yield from _repeated(gold)
    yield from _moved(gold)
    yield from _first_numbers(gold)
    yield from _many(gold)
    yield from _odd_values(gold)
    yield from _mistakes(gold.table)


def _noisy(rng: np.random.Generator, boxes: Box) -> Boxes:
    guessed: list[Box] = []
    for true in boxes:
        if rng.random() < 0.85:
            box = true.copy()
            box[1] = round(float(rng.uniform(0.3, 1)), 3)
            if box[0] != NO_FINDING:
                box[2:] += rng.normal(0, 150, 4).round(2)
            guessed.append(box)
    for _ in range(int(rng.integers(0, 4))):
        x, y = rng.integers(0, 1000, 2)
        kind, confidence = rng.integers(0, 15), round(float(rng.uniform(0.05, 0.8)), 3)
        corner = (x + rng.integers(50, 900), y + rng.integers(50, 900))
        guessed.append(np.array([kind, confidence, x, y, *corner], float))
    return guessed or [np.array([NO_FINDING, 0.2, 0, 0, 1, 1])]


def _repeated(gold: _Gold) -> Iterator[Example]:
    """Boxes twice, and images on two rows."""
    twice = [np.concatenate([boxes, boxes]) for boxes in gold.boxes]
    yield Example("double_boxes", gold.submission(twice), "each box twice: all second ones are false, save one")
    backwards = range(len(twice))[::-1]
    reversed_rows = gold.submission(twice[::-1], backwards)
    yield Example("double_reversed", reversed_rows, "the same, last image first: another detection is number 0")
    first = gold.submission([boxes[:1] for boxes in gold.boxes])
    rest = gold.submission([boxes[1:] for boxes in gold.boxes])
    split = pd.concat([first, rest[[len(boxes) > 1 for boxes in gold.boxes]]])
    yield Example("split_rows", split, "images on two rows: accepted, their boxes are put together")


def _moved(gold: _Gold) -> Iterator[Example]:
    """Boxes that match or do not match by a little, or by the wrong reading of corners as sizes."""
    for name, edge, note in (("iou_0.4", 2.5, "exactly 0.4: a match"), ("iou_below_0.4", 2.51, "below 0.4: no match")):
        changed = np.array([NO_FINDING, 1, 0, 0, 1, edge])
        boxes = [[changed if box[0] == NO_FINDING else box for box in boxes] for boxes in gold.boxes]
        yield Example(name, gold.submission(boxes), f"boxes of no finding with an IoU of {note}")

    def corner_moved(box: Box) -> Box:
        box[2:4] -= 100
        return box

    def moved_aside(box: Box) -> Box:
        box[[2, 4]] += box[4] - box[2] + 1
        return box

    yield Example("corner_moved", gold.each_box(corner_moved), "upper left corners moved by 100 pixels")
    yield Example("disjoint", gold.each_box(moved_aside), "boxes beside the true ones: some match all the same")
    inside_out = gold.with_more(lambda box: [box[0], 2, box[4] + 9000, box[3], box[2], box[5]])
    yield Example("negative_area", inside_out, "with surer boxes of negative area, which are ignored")
    far_away = gold.with_more(lambda box: [box[0], 2, 9000, 9000, 9010, 9010])
    yield Example("far_away", far_away, "with surer boxes far away, which are false")


def _first_numbers(gold: _Gold) -> Iterator[Example]:
    """What the numbers 0 of annotations and detections do."""

    def doubled(number: int, kind: float, confidence: float) -> Box:
        """The boxes of an image, first those of one class, twice."""
        boxes = gold.boxes[number]
        same = boxes[:, 0] == kind
        again = boxes[same] * [1, confidence, 1, 1, 1, 1]
        return np.concatenate([again, again, boxes[~same]])

    kinds, counts = np.unique(np.concatenate(gold.boxes[1:])[:, 0], return_counts=True)
    common = kinds[counts.argmax()]
    last = max(number for number, boxes in enumerate(gold.boxes) if common in boxes[:, 0])
    others = gold.others(last)
    rest = [gold.boxes[number] for number in others]
    row = doubled(last, common, confidence=2)
    ahead = gold.submission([row, *rest], [last, *others])
    yield Example("duplicate_first", ahead, "a box twice, first of all: number 0 leaves it free, so both are right")
    behind = gold.submission([*rest, row], [*others, last])
    yield Example("duplicate_last", behind, "the same at the end: the second one is false")
    kind = gold.boxes[0][0, 0]
    number = next((each for each in gold.others(0) if kind in gold.boxes[each][:, 0]), None)
    if number is not None:
        others = gold.others(number)
        first, *rest = (gold.boxes[each] for each in others)
        first = first[1:] if len(first) > 1 else np.array([[99, 0.1, 0, 0, 1, 1]])
        trick = gold.submission([doubled(number, kind, confidence=1), first, *rest], [number, *others])
        yield Example("trick", trick, "a true box as detections 0 and 1 makes up for the first true box: full score")


def _many(gold: _Gold) -> Iterator[Example]:
    """More boxes of a class in one image than are looked at."""
    for count, note in ((60, "within the limit of 100 per class"), (100, "the true boxes are beyond the limit")):
        second = gold.boxes[1]
        junk = [np.array([[box[0], 0.9, 3000, 3000, 3001, 3001]] * count) for box in second]
        crowded = np.concatenate([*junk, second * [1, 0.5, 1, 1, 1, 1]])
        boxes = [gold.boxes[0], crowded, *gold.boxes[2:]]
        yield Example(f"junk_{count}", gold.submission(boxes), f"{count} surer false boxes in one image: {note}")


def _odd_values(gold: _Gold) -> Iterator[Example]:
    texts = gold.table["PredictionString"]
    fractions = [
        " ".join(f"{int(box[0])}.9 {box[1]} " + " ".join(map(str, box[2:].tolist())) for box in boxes)
        for boxes in gold.boxes
    ]
    yield Example("class_fraction", gold.with_text(fractions), "classes such as 3.9, which count as 3")
    unknown = gold.with_text(texts + " 99 1.0 0 0 10 10")
    yield Example("unknown_class", unknown, "a class that the answers do not have: passed over")
    certain = gold.submission([boxes * [1, 50, 1, 1, 1, 1] for boxes in gold.boxes])
    yield Example("big_confidence", certain, "confidences above 1: accepted")
    unsure = gold.with_text(texts.str.replace(" 1.0 ", " nan ", n=1, regex=False))
    yield Example("nan_confidence", unsure, "a confidence of nan in every image: ranks last")


def _mistakes(gold: pd.DataFrame) -> Iterator[Example]:
    yield examples.missing_row(gold)
    yield examples.extra_row(gold)
    yield examples.unknown_id(gold, "image_id", "x")
    yield examples.renamed(gold, "PredictionString", "prediction")
    page = gold.rename(columns={"PredictionString": "TARGET", "image_id": "ID"})
    yield Example("kaggle_columns", page, "columns ID and TARGET, as on the original page")
    mistakes = {
        "nan": (None, "an empty prediction"),
        "malformed_length": ("14 1 0 0 1", "five numbers where six are due"),
        "malformed_number": ("14 high 0 0 1 1", "a confidence that is not a number"),
        "double_blank": ("14 1  0 0 1 1", "two blanks in a row"),
        "trailing_blank": ("14 1 0 0 1 1 ", "a blank at the end"),
        "blank": (" ", "a blank for a prediction"),
    }
    for name, (text, note) in mistakes.items():
        yield Example(name, examples.with_cell(gold, "PredictionString", text), note)
    yield examples.empty()
