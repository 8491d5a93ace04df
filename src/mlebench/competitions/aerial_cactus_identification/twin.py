"""Twin of aerial-cactus-identification: brown thumbnails, three quarters of them with a green stripe."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Cell, Submissions, Usual


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


submissions = Submissions(
    guess=lambda case: np.clip(case.truth * 0.2 + case.rng.random(case.n) * 0.75, 0, 1),
    usual=Usual("noisy", unknown="x.jpg", wrong_column="cactus", no_id="image", extra={"remark": "x"}),
    cells={"above_one": 1.5, "below_zero": Cell(-1e-9, row=-1), "text": "yes", "infinite": np.inf},
    variants=["ties", "inverted", "boolean", "swapped_columns", "all_nan", "header_only"],
)
