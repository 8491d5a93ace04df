"""Twin of histopathologic-cancer-detection: pink patches, some dark in the middle, some only in a corner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import tiff
from mlebench.twins.kit.submissions import Cell, Submissions, Usual

TISSUE, TUMOUR = np.array([200, 150, 200]), np.array([90, 40, 120])


def _patch(rng: np.random.Generator, tumour: bool) -> bytes:
    pixels = TISSUE + rng.integers(-30, 31, (9, 9, 3))
    if tumour:
        pixels[3:6, 3:6] = TUMOUR + rng.integers(-30, 31, (3, 3, 3))
    elif rng.random() < 0.3:
        pixels[:2, :2] = TUMOUR  # outside the middle it does not count
    return tiff(np.clip(pixels, 0, 255).astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled patches, and Kaggle's own test patches, of which preparation uses only the number."""
    rng = np.random.default_rng(seed)
    n, m = 150 * scale, 39 * scale
    ids = rng.permutation(sorted({rng.bytes(20).hex() for _ in range(n + m)}))
    labels = rng.permutation((np.arange(n + m) % 5 < 2).astype(int))
    table = pd.DataFrame({"id": ids, "label": labels})
    shown = labels ^ (rng.random(n + m) < 0.07)  # some patches do not show what their label says
    table[:n].to_csv(raw / "train_labels.csv", index=False)
    table[n:].assign(label=0).to_csv(raw / "sample_submission.csv", index=False)
    for folder, part in (("train", slice(0, n)), ("test", slice(n, n + m))):
        (raw / folder).mkdir()
        for name, tumour in zip(ids[part], shown[part], strict=True):
            (raw / folder / f"{name}.tif").write_bytes(_patch(rng, bool(tumour)))


submissions = Submissions(
    guess=lambda case: np.clip(case.truth * 0.3 + case.rng.random(case.n) * 0.7, 0, 1),
    usual=Usual("noisy", wrong_column="tumor", no_id="image", extra_first={"a": 1}),
    cells={"above_one": 2.0, "below_zero": Cell(-0.5, row=-1), "text": "yes"},
    variants=["ties", "inverted", "boolean", "header_only"],
    special=lambda case: {"with_suffix": case.noisy.assign(id=case.ids + ".tif")},
)
