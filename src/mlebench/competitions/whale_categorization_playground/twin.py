"""Twin of whale-categorization-playground: flukes that are nothing but the colour of their whale."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image

from mlebench.twins.kit import examples
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Case, Submissions, Usual

NEW_WHALE = "new_whale"
NEW_WHALE_PICTURES = 16
WHALES_WITH_PICTURES = {1: 30, 2: 12, 3: 10, 5: 6, 9: 2}  # number of pictures: how many whales have so many
KAGGLE_SAMPLE = "Image,Id\n00029b3a.jpg,new_whale w_1287fbc w_98baff9 w_7554f44 w_1eafe46\n"


def _fluke(rng: np.random.Generator, tint: NDArray[np.int64]) -> NDArray[np.uint8]:
    return np.clip(tint + rng.normal(0, 4, (8, 16, 1)), 0, 255).astype(np.uint8)


def _grey(pixels: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.asarray(Image.fromarray(pixels).convert("L"))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write pictures of whales that mostly have one or two, and one test picture of Kaggle's own."""
    rng = np.random.default_rng(seed)
    whales = [f"w_{int(rng.integers(16**7)):07x}" for _ in range(sum(WHALES_WITH_PICTURES.values()) * scale)]
    counts = np.repeat(list(WHALES_WITH_PICTURES), [count * scale for count in WHALES_WITH_PICTURES.values()])
    labels = rng.permutation([NEW_WHALE] * (NEW_WHALE_PICTURES * scale) + np.repeat(whales, counts).tolist())
    numbers = np.sort(rng.choice(2**32, len(labels), replace=False))
    names = [f"{int(number):08x}.jpg" for number in numbers]
    tints = {whale: rng.integers(0, 255, 3) for whale in sorted(set(whales))}
    (raw / "train").mkdir()
    (raw / "test").mkdir()
    for i, (name, whale) in enumerate(zip(names, labels, strict=True)):
        stranger = rng.integers(0, 255, 3)  # drawn for every picture, used where the whale is not known
        pixels = _fluke(rng, tints.get(whale, stranger))
        if i % 7 == 0:
            pixels = _grey(pixels)  # as in the real data, some pictures have no colour
        (raw / "train" / name).write_bytes(jpeg(pixels))
    pd.DataFrame({"Image": names, "Id": labels}).to_csv(raw / "train.csv", index=False)
    (raw / "test/00029b3a.jpg").write_bytes(jpeg(pixels, quality=75, optimize=False))
    (raw / "sample_submission.csv").write_text(KAGGLE_SAMPLE)


class _Lists:
    """Ranked lists of whales for the test pictures."""

    def __init__(self, case: Case) -> None:
        self.rng, self.truth = case.rng, case.truth.tolist()
        self.known = sorted({NEW_WHALE, *examples.table(case.prepared, "public/train.csv")["Id"]})
        self.place_of = {whale: place for place, whale in enumerate(self.known)}

    def others(self, whale: str, count: int = 1) -> list[str]:
        # Positions among all whales but this one: the list itself would have to be built for every row.
        drawn = self.rng.choice(len(self.known) - 1, count, replace=False).tolist()
        return [self.known[number + (number >= self.place_of[whale])] for number in drawn]

    def ranked(self, places: Iterable[int], length: int = 5) -> list[str]:
        """Lists with the true whale at a place counted from 0, or without it if the list is too short."""
        lists = []
        for whale, place in zip(self.truth, places, strict=True):
            guesses = self.others(whale, length)
            guesses[place:] = [whale, *guesses[place + 1 :]] if place < length else []
            lists.append(" ".join(guesses))
        return lists


def _special(case: Case) -> dict[str, Any]:
    lists, truth = _Lists(case), case.truth.tolist()
    return {
        "second_place": lists.ranked([1] * case.n),
        "third_place": lists.ranked([2] * case.n),
        "sixth_place": lists.ranked([5] * case.n, 6),  # too late
        "repeated_wrong": [" ".join(lists.others(whale) * 3 + [whale]) for whale in truth],  # 1/4
        "double_blank": [f"{lists.others(whale)[0]}  {whale}" for whale in truth],  # an empty entry counts: 1/3
        "commas": [f"{whale},{lists.others(whale)[0]}" for whale in truth],
    }


submissions = Submissions(
    guess=lambda case: _Lists(case).ranked(case.rng.integers(0, 7, case.n).tolist()),
    usual=Usual(cells="perfect", unknown="x.jpg", wrong_column="Label", extra={"p": 1}, extra_of="perfect"),
    constants={"all_new_whale": NEW_WHALE},
    each={"repeated_true": "{0} {0} {0}".format, "leading_blank": " {}".format},
    variants=["upper_case", "numeric", "swapped_columns", "all_nan"],
    special=_special,
)
