"""Twin of vinbigdata-chest-xray-abnormalities-detection: tiny X-rays, brighter within findings, read by three each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.dicom import radiograph
from mlebench.twins.kit.submissions import Case, Submissions, Usual

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


def _parsed(text: str) -> Box:
    return np.array([float(value) for value in text.split(" ")]).reshape(-1, 6)


def _formatted(boxes: Boxes) -> str:
    return " ".join(
        " ".join([str(int(box[0])), f"{box[1]:.6g}", *(f"{value:.8g}" for value in box[2:])]) for box in boxes
    )


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


class _Gold:
    """The gold submission as text and as boxes, and submissions like it."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table
        self.ids: list[str] = table["image_id"].tolist()
        self.boxes: list[Box] = [_parsed(text) for text in table["PredictionString"]]

    def submission(self, boxes: Sequence[Boxes], order: Sequence[int] | None = None) -> pd.DataFrame:
        """These boxes of each image; `order` are the numbers of the images if they are in another order."""
        ids = self.ids if order is None else [self.ids[number] for number in order]
        return pd.DataFrame({"image_id": ids, "PredictionString": [_formatted(image) for image in boxes]})

    def each_box(self, change: Callable[[Box], Box]) -> pd.DataFrame:
        """Every box of a finding changed by a function."""
        return self.submission(
            [[box if box[0] == NO_FINDING else change(box) for box in boxes] for boxes in self.boxes]
        )

    def with_more(self, more: Callable[[Box], list[float]]) -> pd.DataFrame:
        """After the boxes of each image, another one for each finding."""
        return self.submission(
            [[*boxes, *(np.array(more(box)) for box in boxes if box[0] != NO_FINDING)] for boxes in self.boxes]
        )

    def others(self, number: int) -> list[int]:
        """The numbers of all images but one."""
        return [other for other in range(len(self.boxes)) if other != number]


def _special(case: Case) -> dict[str, Any]:
    gold = _Gold(case.answers)
    best, sure = [boxes.copy() for boxes in gold.boxes], [_parsed(text) for text in case.guess]
    best[0][0, 1] = 0.01
    for boxes in sure:
        boxes[:, 1] = 1
    return {
        "best": gold.submission(best),  # unsure of the first true box, which never counts
        "equal_confidence": gold.submission(sure),  # images decide the order
        **_repeated(gold),
        **_moved(gold),
        **_first_numbers(gold),
        **_many(gold),
        **_odd_values(gold),
        "kaggle_columns": case.answers.rename(columns={"PredictionString": "TARGET", "image_id": "ID"}),
    }


def _repeated(gold: _Gold) -> dict[str, pd.DataFrame]:
    """Boxes twice, and images on two rows."""
    twice = [np.concatenate([boxes, boxes]) for boxes in gold.boxes]
    first = gold.submission([boxes[:1] for boxes in gold.boxes])
    rest = gold.submission([boxes[1:] for boxes in gold.boxes])
    return {
        "double_boxes": gold.submission(twice),  # all second ones are false, save one
        "double_reversed": gold.submission(twice[::-1], range(len(twice))[::-1]),  # another detection is number 0
        "split_rows": pd.concat([first, rest[[len(boxes) > 1 for boxes in gold.boxes]]]),  # accepted
    }


def _moved(gold: _Gold) -> dict[str, pd.DataFrame]:
    """Boxes that match or do not match by a little, or by the wrong reading of corners as sizes."""

    def overlapping(edge: float) -> pd.DataFrame:
        changed = np.array([NO_FINDING, 1, 0, 0, 1, edge])
        return gold.submission([[changed if box[0] == NO_FINDING else box for box in boxes] for boxes in gold.boxes])

    return {
        "iou_0.4": overlapping(2.5),  # a match
        "iou_below_0.4": overlapping(2.51),  # no match
        "corner_moved": gold.each_box(lambda box: box - [0, 0, 100, 100, 0, 0]),
        "disjoint": gold.each_box(
            lambda box: box + (box[4] - box[2] + 1) * np.array([0, 0, 1, 0, 1, 0])
        ),  # some match all the same
        "negative_area": gold.with_more(lambda box: [box[0], 2, box[4] + 9000, box[3], box[2], box[5]]),  # ignored
        "far_away": gold.with_more(lambda box: [box[0], 2, 9000, 9000, 9010, 9010]),  # false
    }


def _first_numbers(gold: _Gold) -> dict[str, pd.DataFrame]:
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
    made = {
        "duplicate_first": gold.submission([row, *rest], [last, *others]),  # number 0 leaves it free: both are right
        "duplicate_last": gold.submission([*rest, row], [*others, last]),  # the second one is false
    }
    kind = gold.boxes[0][0, 0]
    number = next((other for other in gold.others(0) if kind in gold.boxes[other][:, 0]), None)
    if number is not None:
        others = gold.others(number)
        first, *rest = (gold.boxes[other] for other in others)
        first = first[1:] if len(first) > 1 else np.array([[99, 0.1, 0, 0, 1, 1]])
        # A true box as detections 0 and 1 makes up for the first true box: full score.
        made["trick"] = gold.submission([doubled(number, kind, confidence=1), first, *rest], [number, *others])
    return made


def _many(gold: _Gold) -> dict[str, pd.DataFrame]:
    """Surer false boxes of a class in one image: 60 are within the limit of 100, beyond which no box is looked at."""

    def crowded(count: int) -> Box:
        junk = [np.array([[box[0], 0.9, 3000, 3000, 3001, 3001]] * count) for box in gold.boxes[1]]
        return np.concatenate([*junk, gold.boxes[1] * [1, 0.5, 1, 1, 1, 1]])

    return {f"junk_{count}": gold.submission([gold.boxes[0], crowded(count), *gold.boxes[2:]]) for count in (60, 100)}


def _odd_values(gold: _Gold) -> dict[str, Any]:
    texts = gold.table["PredictionString"]
    fractions = [
        " ".join(f"{int(box[0])}.9 {box[1]} " + " ".join(map(str, box[2:].tolist())) for box in boxes)
        for boxes in gold.boxes
    ]
    return {
        "class_fraction": fractions,  # 3.9 counts as 3
        "unknown_class": texts + " 99 1.0 0 0 10 10",  # passed over
        "big_confidence": gold.submission([boxes * [1, 50, 1, 1, 1, 1] for boxes in gold.boxes]),
        "nan_confidence": texts.str.replace(" 1.0 ", " nan ", n=1, regex=False),  # ranks last
    }


def _guess(case: Case) -> pd.DataFrame:
    gold = _Gold(case.answers)
    return gold.submission([_noisy(case.rng, boxes) for boxes in gold.boxes])


submissions = Submissions(
    answers="private/gold_submission.csv",
    guess=_guess,
    usual=Usual(cells="perfect", twice=None, wrong_column="prediction", extra={"note": "a,b"}),
    cells={
        "malformed_length": "14 1 0 0 1",
        "malformed_number": "14 high 0 0 1 1",
        "double_blank": "14 1  0 0 1 1",
        "trailing_blank": "14 1 0 0 1 1 ",
        "blank": " ",
    },
    special=_special,
)
