"""Twin of denoising-dirty-documents: speckled pages, each with four grades of shadow across it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image

from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.images import png
from mlebench.twins.kit.submissions import Case, Submissions, Usual

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


def _dirty(case: Case) -> pd.DataFrame:
    """The dirty images as they are; the answers go through them by file name, row by row."""
    images = [np.asarray(Image.open(path)) for path in sorted((case.prepared / "public/test").glob("*.png"))]
    return case.table(np.concatenate([image.ravel() / 255 for image in images])).sort_values("id")


submissions = Submissions(
    guess=lambda case: case.truth + case.rng.normal(0, 0.1, case.n),
    usual=Usual("noisy", unknown="0_0_0", wrong_column="pixel", no_id="pixel", extra_first={"a": 1}),
    cells={"infinite": np.inf, "text": "white"},
    constants={"black": 0},
    each={"bytes": lambda value: round(value * 255), "boolean": lambda value: value > 0.5},
    variants=["header_only"],
    special=lambda case: {"dirty": _dirty(case)},
)
