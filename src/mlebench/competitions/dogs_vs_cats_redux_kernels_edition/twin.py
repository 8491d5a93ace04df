"""Twin of dogs-vs-cats-redux-kernels-edition: coloured noise, reddish for dogs and bluish for cats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg


def _photo(rng: np.random.Generator, dog: bool) -> bytes:
    height, width = rng.integers(7, 12, 2)
    pixels = rng.integers(60, 200, (height, width, 3))
    pixels[..., 0 if dog else 2] += rng.integers(20, 56)
    return jpeg(pixels.clip(0, 255).astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write photographs named by animal and number, and Kaggle's own test photographs, which are not used."""
    rng = np.random.default_rng(seed)
    n, m = 112 * scale, 12 * scale  # three digits, so that the order of names is not that of numbers
    train = [(f"train/{animal}.{i}.jpg", _photo(rng, animal == "dog")) for animal in ("cat", "dog") for i in range(n)]
    test = [(f"test/{i}.jpg", _photo(rng, rng.random() < 0.5)) for i in range(1, m + 1)]
    zip_members(raw / "train.zip", [("train/", b""), *train])
    zip_members(raw / "test.zip", [("test/", b""), *test])
    pd.DataFrame({"id": range(1, m + 1), "label": 0.5}).to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, certain errors among them, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")
    label = answers["label"]
    noisy = answers.assign(label=np.clip(label * 0.3 + rng.random(len(answers)) * 0.68 + 0.01, 0, 1))
    likely = noisy["label"] > 0.5
    yield Example("perfect", answers, "the answers themselves, whole numbers: clipped")
    yield Example("sample", examples.table(prepared, "public/sample_submission.csv"), "the sample submission: 0.5")
    yield Example("noisy", noisy, "a plausible imperfect submission")
    yield examples.shuffled(noisy, seed)
    yield Example("extra_column", noisy.assign(a="x")[["label", "a", "id"]], "as noisy, more columns in another order")
    yield Example("float_ids", noisy.astype({"id": float}), "as noisy, ids written as 1.0, 2.0, …")
    yield Example("confident", answers.assign(label=likely.astype(int)), "0 or 1 everywhere, some wrong: clipped")
    yield Example("all_wrong", answers.assign(label=1 - label), "certain and wrong everywhere")
    tiny = np.where(label == 1, 1e-30, 1 - 1e-17)
    yield Example("tiny", answers.assign(label=tiny), "wrong, and closer to certainty than the clipping")
    yield Example("boolean", answers.assign(label=likely), "True and False instead of numbers")
    yield from examples.usual_mistakes(noisy, on="id", target="label", unknown=10**6, new_target="dog", new_id="image")
    yield examples.duplicate_id(noisy, "id")
    yield Example("above_one", examples.with_cell(noisy, "label", 1.0000001), "a prediction slightly above 1")
    yield Example("below_zero", examples.with_cell(noisy, "label", -0.1, row=-1), "a prediction below 0")
    yield Example("text", examples.with_cell(noisy, "label", "dog"), "a prediction that is not a number")
    yield examples.header_only(noisy)
