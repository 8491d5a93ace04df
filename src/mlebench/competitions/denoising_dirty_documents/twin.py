"""Twin of denoising-dirty-documents: speckled pages, each with four grades of shadow across it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import png

SIZES = [(10, 14), (7, 14)]
VERSIONS = 4  # dirty images per clean page


def _picture(pixels: NDArray[np.generic], *, coloured: bool = False) -> bytes:
    grey = np.clip(pixels, 0, 255).astype(np.uint8)
    if coloured:
        wide = grey.astype(int)
        grey = np.stack([wide, wide * 3 // 4, wide // 2], axis=2).astype(np.uint8)
    return png(grey, optimize=False)


def _page(rng: np.random.Generator, height: int, width: int) -> NDArray[np.int64]:
    page = np.full((height, width), 255)
    ink = rng.random((height, width)) < 0.35
    page[ink] = rng.integers(0, 256, ink.sum())
    return page


def _dirt(rng: np.random.Generator, height: int, width: int, version: int) -> NDArray[np.float64]:
    shadow = np.add.outer(np.linspace(0, 60, height), np.linspace(0, 50, width))
    return shadow * version / 2 + rng.integers(0, 25, (height, width))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write dirty and clean pages, and Kaggle's own test images and sample, which are not used."""
    rng = np.random.default_rng(seed)
    n = 36 * scale
    numbers = [number for number in range(1, 2 * n) if number % 3 != 1][:n]  # as in the real archive
    dirty, clean = [("train/", b"")], [("train_cleaned/", b"")]
    for k, number in enumerate(numbers):
        height, width = SIZES[k // VERSIONS % 2]
        if k % VERSIONS == 0:
            page = _page(rng, height, width)
        dirty.append((f"train/{number}.png", _picture(page - _dirt(rng, height, width, k % VERSIONS))))
        clean.append((f"train_cleaned/{number}.png", _picture(page, coloured=k % 5 == 2)))
    others = [(f"test/{i}.png", _picture(rng.integers(0, 256, (7, 14)))) for i in range(1, 9 * scale, 3)]
    zip_members(raw / "train.zip", dirty)
    zip_members(raw / "train_cleaned.zip", clean)
    zip_members(raw / "test.zip", [("test/", b""), *others])
    sample = b"id,value\n1_1_1,1\n1_2_1,1\n"
    zip_members(raw / "sampleSubmission.csv.zip", [("sampleSubmission.csv", sample)])


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Grey values of all sorts, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")
    truth = answers["value"]
    yield Example("perfect", answers, "the answers themselves")
    yield Example("sample", examples.table(prepared, "public/sampleSubmission.csv"), "the sample: white pages")
    noisy = answers.assign(value=truth + rng.normal(0, 0.1, len(answers)))
    yield Example("noisy", noisy, "answers with noise, some values outside of 0 to 1")
    yield examples.shuffled(noisy, seed)
    reordered = noisy.assign(a=1)[["a", "value", "id"]]
    yield Example("extra_column", reordered, "as noisy, one more column, another order")
    yield Example("black", answers.assign(value=0), "black pages, as whole numbers")
    yield Example("bytes", answers.assign(value=(truth * 255).round().astype(int)), "0 to 255 instead of 0 to 1")
    yield Example("boolean", answers.assign(value=truth > 0.5), "True and False instead of numbers")
    # The answers go through the images by file name, row by row.
    images = [np.asarray(Image.open(path)) for path in sorted((prepared / "public/test").glob("*.png"))]
    dirty = answers.assign(value=np.concatenate([image.ravel() / 255 for image in images]))
    yield Example("dirty", dirty.sort_values("id"), "the dirty images as they are")
    yield examples.missing_row(noisy)
    yield examples.extra_row(noisy)
    yield examples.duplicate_id(noisy, "id")
    yield examples.unknown_id(noisy, "id", "0_0_0")
    yield examples.renamed(noisy, "value", "pixel")
    yield examples.renamed(noisy, "id", "pixel", "no_id")
    yield Example("nan", examples.with_cell(noisy, "value", None), "an empty prediction")
    yield Example("infinite", examples.with_cell(noisy, "value", np.inf), "an infinite prediction")
    yield Example("text", examples.with_cell(noisy, "value", "white"), "a prediction that is not a number")
    yield Example("header_only", "id,value\n", "a header without rows")
    yield examples.empty()
