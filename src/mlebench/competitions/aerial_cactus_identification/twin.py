"""Twin of aerial-cactus-identification: brown thumbnails, three quarters of them with a green stripe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg


def _thumbnail(rng: np.random.Generator, cactus: bool) -> bytes:
    pixels = rng.integers(90, 170, (12, 12, 3))
    if cactus:
        pixels[:, 5:8, 1] = 210 + rng.integers(0, 40, (12, 3))
        pixels[:, 5:8, 0] = 40
    return jpeg(pixels.astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled training images, and Kaggle's own test images, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n, m = 120 * scale, 10 * scale
    ids = [rng.bytes(16).hex() + ".jpg" for _ in range(n + m)]
    labels = rng.permutation(np.arange(n + m) % 4 != 0).astype(int)
    table = pd.DataFrame({"id": ids, "has_cactus": labels})
    train, test = table[:n].sort_values("id"), table[n:].sort_values("id")
    wrong = rng.random(n + m) < 0.08  # some pictures do not show what their label says
    shown = dict(zip(ids, labels ^ wrong, strict=True))
    train.to_csv(raw / "train.csv", index=False)
    test.assign(has_cactus=0.5).to_csv(raw / "sample_submission.csv", index=False)
    for name, part in (("train", train), ("test", test)):
        pictures = [(f"{name}/{image}", _thumbnail(rng, bool(shown[image]))) for image in part["id"]]
        zip_members(raw / f"{name}.zip", [(f"{name}/", b""), *pictures])


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    yield Example("perfect", answers, "the answers themselves (0/1 integers)")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission (constant 0.5)")
    noisy = answers.assign(has_cactus=np.clip(answers["has_cactus"] * 0.2 + rng.random(len(answers)) * 0.75, 0, 1))
    yield Example("noisy", noisy, "a plausible imperfect submission")
    yield from examples.probability_variants(noisy, on="id", target="has_cactus", seed=seed)
    yield Example("boolean", answers.assign(has_cactus=noisy["has_cactus"] > 0.5), "True/False instead of numbers")
    yield from examples.usual_mistakes(
        noisy, on="id", target="has_cactus", unknown="x.jpg", new_target="cactus", new_id="image"
    )
    yield examples.duplicate_id(noisy, "id")
    yield from examples.probability_mistakes(noisy, "has_cactus")
