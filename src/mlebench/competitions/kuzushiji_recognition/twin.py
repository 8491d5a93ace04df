"""Twin of kuzushiji-recognition: small pages with characters that are grey rectangles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.data import random_split
from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

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


def _boxes(labels: object) -> list[_Box]:
    tokens = labels.split(" ") if isinstance(labels, str) else []  # a page without text has an empty cell
    return [
        _Box(label, *map(int, numbers))
        for label, *numbers in zip(*(tokens[start::5] for start in range(5)), strict=True)
    ]


def _guessed(rng: np.random.Generator, boxes: list[_Box]) -> list[str]:
    points = []
    for box in boxes:
        chance = rng.random()
        if chance >= 0.15:
            points.append(box.centre() if chance < 0.85 else box.centre("U+3042"))
    if rng.random() < 0.6:
        points.append("U+306F 39 47")
    return points


def _centres(boxes: list[_Box]) -> list[str]:
    return [box.centre() for box in boxes]


def _greedy(first: str, second: str) -> Callable[[list[_Box]], list[str]]:
    """The centres of all boxes, but other points for the two that overlap."""
    points = [f"{TWICE} {first}", f"{TWICE} {second}"]
    return lambda boxes: [*points, *_centres(boxes[2:])] if boxes and boxes[0].label == TWICE else _centres(boxes)


POINTS: dict[str, Callable[[list[_Box]], list[str]]] = {
    "on_corner": lambda boxes: [f"{box.label} {box.left} {box.top}" for box in boxes],  # not inside
    "on_far_edge": lambda boxes: [f"{box.label} {box.left + box.width} {box.top + box.height / 2}" for box in boxes],
    "reversed_points": lambda boxes: _centres(boxes[::-1]),
    "greedy_bad": _greedy("12 12", "6 6"),  # the first box takes a point inside both, and none is left for the second
    "greedy_good": _greedy("6 6", "12 12"),  # the same points in the other order: both boxes are matched
}


def _predicted(case: Case, points: Callable[[list[_Box]], list[str]]) -> pd.DataFrame:
    return case.full.assign(labels=[" ".join(points(_boxes(labels))) for labels in case.full["labels"]])


def _first(case: Case) -> str:
    """The labels of the first page, or of the first one that has any."""
    return next(labels for labels in case.truth if isinstance(labels, str))


submissions = Submissions(
    perfect=lambda case: _predicted(case, _centres),
    answers="private/test.csv",
    guess=lambda case: _predicted(case, lambda boxes: _guessed(case.rng, boxes)),
    usual=Usual(cells="perfect", unknown="nothere", wrong_column="label", extra={"more": 1}, extra_of="perfect"),
    cells={"malformed_number": "U+306F x 3"},
    constants={"numeric_labels": 1},
    each={"doubled": lambda labels: f"{labels} {labels}", "exotic_floats": lambda labels: f"{labels} U+306F nan inf"},
    variants=["lower_case", "all_empty"],
    special=lambda case: {
        **{name: _predicted(case, points) for name, points in POINTS.items()},
        "gold": examples.table(case.prepared, "private/gold_submission.csv"),  # inside the upper left corners
        "malformed_count": Cell(_first(case) + " U+306F 3"),
        "double_space": Cell(_first(case).replace(" ", "  ", 1)),
        "trailing_space": Cell(_first(case) + " "),
    },
)
