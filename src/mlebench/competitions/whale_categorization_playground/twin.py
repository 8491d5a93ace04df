"""Twin of whale-categorization-playground: flukes that are nothing but the colour of their whale."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Ranked lists with the true whale at every place, lists written in odd ways, and broken tables."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    truth = answers["Id"].tolist()
    known = sorted({NEW_WHALE, *examples.table(prepared, "public/train.csv")["Id"]})
    place_of = {whale: place for place, whale in enumerate(known)}

    def others(whale: str, count: int = 1) -> list[str]:
        # Positions among all whales but this one: the list itself would have to be built for every row.
        drawn = rng.choice(len(known) - 1, count, replace=False).tolist()
        return [known[number + (number >= place_of[whale])] for number in drawn]

    def ranked(whale: str, place: int, length: int = 5) -> str:
        """A list with the true whale at a place counted from 0, or without it if the list is too short."""
        guesses = others(whale, length)
        if place < length:
            guesses[place] = whale
        return " ".join(guesses)

    def predicted(ids: Iterable[object]) -> pd.DataFrame:
        return answers.assign(Id=list(ids))

    yield Example("perfect", answers, "only the true id")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: the same five ids everywhere")
    places = rng.integers(0, 7, len(answers)).tolist()
    noisy = predicted(ranked(whale, place) for whale, place in zip(truth, places, strict=True))
    yield Example("noisy", noisy, "five ids, the true one at a random place or left out")
    yield examples.shuffled(noisy, seed)
    yield Example("all_new_whale", predicted([NEW_WHALE] * len(truth)), "every whale is a new one")
    yield Example("second_place", predicted(ranked(whale, 1) for whale in truth), "the true id is second: 1/2")
    yield Example("third_place", predicted(ranked(whale, 2) for whale in truth), "the true id is third: 1/3")
    yield Example("sixth_place", predicted(ranked(whale, 5, 6) for whale in truth), "the true id is sixth: too late")
    repeated = predicted(" ".join([whale] * 3) for whale in truth)
    yield Example("repeated_true", repeated, "the true id three times, which counts once")
    fourth = predicted(" ".join(others(whale) * 3 + [whale]) for whale in truth)
    yield Example("repeated_wrong", fourth, "three times the same wrong id, then the true one: 1/4")
    yield Example("leading_blank", predicted(f" {whale}" for whale in truth), "an empty first entry: 1/2")
    double = predicted(f"{others(whale)[0]}  {whale}" for whale in truth)
    yield Example("double_blank", double, "an empty entry between two blanks: 1/3")
    commas = predicted(f"{whale},{others(whale)[0]}" for whale in truth)
    yield Example("commas", commas, "commas do not separate ids")
    yield Example("upper_case", predicted(whale.upper() for whale in truth), "the true id in capitals: wrong")
    yield Example("numeric", predicted(range(len(truth))), "whole numbers, none of which is an id")
    yield Example("extra_column", answers.assign(p=1), "one more column: refused")
    yield examples.columns_swapped(answers, ["Id", "Image"])
    yield examples.duplicate_id(answers, "Image")
    yield from examples.usual_mistakes(answers, on="Image", target="Id", unknown="x.jpg", new_target="Label")
    yield Example("all_nan", predicted([None] * len(truth)), "all predictions empty")
