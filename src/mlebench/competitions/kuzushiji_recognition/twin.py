"""Twin of kuzushiji-recognition: small pages with characters that are grey rectangles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.data import random_split
from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

CODE_POINTS = ["306F", "304F", "3066", "306E", "4EBA", "5C71", "309D", "3042", "3044", "65E5"]
WIDTH, HEIGHT = 40, 48
# One character twice with overlapping boxes, on pages where which point is matched with which box makes a difference.
TWICE = "U+8A00"
OVERLAPPING = [f"{TWICE} 5 5 10 10", f"{TWICE} 7 7 10 10"]
SAMPLE_LABELS = "U+003F 1 1 U+FF2F 2 2"


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled pages from books of four sorts, and three that stand for Kaggle's own test pages."""
    rng = np.random.default_rng(seed)
    n = 60 * scale
    names = [_name(number) for number in range(n)]
    labels: list[str | None] = []
    images = []
    for number in range(n):
        characters, image = _page(rng)
        overlapping = OVERLAPPING if number % 2 == 0 or number % 3 == 0 else []
        labels.append(" ".join(overlapping + characters))
        images.append(image)
    # Two pages without text; not in the test part, which the published preparation could not handle.
    train, _ = random_split(np.arange(n), test_size=0.1)
    for number in train[:2]:
        labels[number] = None
    pd.DataFrame({"image_id": names, "labels": labels}).to_csv(raw / "train.csv", index=False)
    zip_members(raw / "train_images.zip", ((f"{name}.jpg", image) for name, image in zip(names, images, strict=True)))
    unused = [f"test_{number:08d}" for number in range(3)]
    zip_members(raw / "test_images.zip", ((f"{name}.jpg", image) for name, image in zip(unused, images, strict=False)))
    sample = pd.DataFrame({"image_id": unused, "labels": SAMPLE_LABELS})
    sample.to_csv(raw / "sample_submission.csv", index=False)
    points = [*CODE_POINTS, "003F", "0022"]
    translation = {"Unicode": [f"U+{point}" for point in points], "char": [chr(int(point, 16)) for point in points]}
    pd.DataFrame(translation).to_csv(raw / "unicode_translation.csv", index=False)


def _name(number: int) -> str:
    """Names of the forms that the books have."""
    return (
        f"umgy{number:03d}-{number % 40 + 1:03d}",
        f"hnsd{number:04d}-{number % 7:03d}",
        f"100241706_{number:05d}_{number % 2 + 1}",
        f"200004148_{number:05d}_2",
    )[number % 4]


def _page(rng: np.random.Generator) -> tuple[list[str], bytes]:
    """The labels and the picture of a page; the darker a rectangle, the earlier its character is in the list."""
    pixels = (210 + 20 * rng.random((HEIGHT, WIDTH))).astype(np.uint8)
    labels = []
    for _ in range(int(rng.integers(1, 9))):
        character = int(rng.integers(len(CODE_POINTS)))
        width, height = int(rng.integers(3, 9)), int(rng.integers(3, 9))
        left, top = int(rng.integers(0, WIDTH - width)), int(rng.integers(0, HEIGHT - height))
        pixels[top : top + height, left : left + width] = 20 + 18 * character
        labels.append(f"U+{CODE_POINTS[character]} {left} {top} {width} {height}")
    return labels, jpeg(np.repeat(pixels[:, :, None], 3, axis=2), optimize=False)


@dataclass(frozen=True)
class _Box:
    label: str
    left: int
    top: int
    width: int
    height: int

    def centre(self, label: str | None = None) -> str:
        """A prediction of the character, or of another one, at the centre of the box."""
        return f"{label or self.label} {self.left + self.width / 2} {self.top + self.height / 2}"


def _boxes(labels: str) -> list[_Box]:
    tokens = labels.split(" ")
    return [
        _Box(label, *map(int, numbers))
        for label, *numbers in zip(*(tokens[start::5] for start in range(5)), strict=True)
    ]


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Points inside, outside and on the border of boxes, malformed labels, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    pages = [_boxes(labels) for labels in answers["labels"]]

    def each(predict: Callable[[list[_Box]], list[str]]) -> pd.DataFrame:
        return answers.assign(labels=[" ".join(predict(boxes)) for boxes in pages])

    def centres(boxes: list[_Box]) -> list[str]:
        return [box.centre() for box in boxes]

    perfect = each(centres)
    yield Example("perfect", perfect, "the centre of every box, with decimals")
    gold = examples.table(prepared, "private/gold_submission.csv")
    yield Example("gold", gold, "the gold submission of the private folder: one pixel inside the upper left corner")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: the same two points on every page")
    noisy = each(lambda boxes: _guessed(rng, boxes))
    yield Example("noisy", noisy, "some characters missed, some misread, some invented; a page may be empty")
    yield examples.shuffled(noisy, seed)
    corners = each(lambda boxes: [f"{box.label} {box.left} {box.top}" for box in boxes])
    yield Example("on_corner", corners, "upper left corners: a point on the border is not inside")
    edges = each(lambda boxes: [f"{box.label} {box.left + box.width} {box.top + box.height / 2}" for box in boxes])
    yield Example("on_far_edge", edges, "points on the right border")
    doubled = perfect.assign(labels=perfect["labels"] + " " + perfect["labels"])
    yield Example("doubled", doubled, "every point twice: the second is a false positive")
    yield Example("reversed_points", each(lambda boxes: centres(boxes[::-1])), "the last character of a page first")

    def with_pair(boxes: list[_Box], first: str, second: str) -> list[str]:
        """The centres of all boxes, but other points for the two that overlap."""
        if boxes[0].label != TWICE:
            return centres(boxes)
        return [first, second, *centres([box for box in boxes if box.label != TWICE])]

    shared, own = f"{TWICE} 12 12", f"{TWICE} 6 6"
    bad = each(lambda boxes: with_pair(boxes, shared, own))
    yield Example(
        "greedy_bad", bad, "of two boxes the first takes a point inside both, and none is left for the second"
    )
    good = each(lambda boxes: with_pair(boxes, own, shared))
    yield Example("greedy_good", good, "the same points in the other order: both boxes are matched")
    yield Example("lower_case", perfect.assign(labels=perfect["labels"].str.lower()), "code points in lower case")
    yield Example("nan", examples.with_cell(perfect, "labels", None), "an empty page: all its characters are missed")
    yield Example("all_empty", perfect.assign(labels=None), "all pages empty")
    exotic = perfect.assign(labels=perfect["labels"] + " U+306F nan inf")
    yield Example("exotic_floats", exotic, "nan and inf are numbers, but never inside a box")
    yield from _malformed(perfect)
    yield examples.missing_row(perfect)
    yield examples.extra_row(perfect)
    yield examples.duplicate_id(perfect, "image_id")
    yield examples.renamed(perfect, "labels", "label")
    yield examples.unknown_id(perfect, "image_id", "nothere")
    yield Example("extra_column", perfect.assign(more=1), "as perfect, one more column")
    yield examples.empty()


def _guessed(rng: np.random.Generator, boxes: list[_Box]) -> list[str]:
    points = []
    for box in boxes:
        chance = rng.random()
        if chance >= 0.15:
            points.append(box.centre() if chance < 0.85 else box.centre("U+3042"))
    if rng.random() < 0.6:
        points.append("U+306F 39 47")
    return points


def _malformed(perfect: pd.DataFrame) -> Iterator[Example]:
    """The first page with labels that cannot be read, and a column that is not text."""
    labels = perfect["labels"].iloc[0]

    def put(value: str) -> pd.DataFrame:
        return examples.with_cell(perfect, "labels", value)

    yield Example("malformed_count", put(f"{labels} U+306F 3"), "the last point has one coordinate only")
    yield Example("malformed_number", put("U+306F x 3"), "a coordinate that is not a number")
    yield Example("double_space", put(labels.replace(" ", "  ", 1)), "two blanks in a row")
    yield Example("trailing_space", put(f"{labels} "), "a blank at the end")
    yield Example("numeric_labels", perfect.assign(labels=1), "bare numbers: the column is not text")
