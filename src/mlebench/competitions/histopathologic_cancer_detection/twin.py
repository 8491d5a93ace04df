"""Twin of histopathologic-cancer-detection: pink patches, some dark in the middle, some only in a corner."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import tiff

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")
    yield Example("perfect", answers, "the answers themselves (0/1 integers)")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission (all 0)")
    noisy = answers.assign(label=np.clip(answers["label"] * 0.3 + rng.random(len(answers)) * 0.7, 0, 1))
    guesses = noisy["label"]
    yield Example("noisy", noisy, "a plausible imperfect submission")
    yield examples.shuffled(noisy, seed)
    more = noisy.assign(a=1)[["a", "label", "id"]]
    yield Example("extra_column", more, "as noisy, more columns in another order")
    yield Example("ties", noisy.assign(label=guesses.round(1)), "rounded to one decimal, many ties")
    yield Example("inverted", noisy.assign(label=1 - guesses), "1 - noisy")
    yield Example("boolean", noisy.assign(label=guesses > 0.5), "True/False instead of numbers")
    yield examples.duplicate_id(noisy, "id")
    yield Example("with_suffix", noisy.assign(id=noisy["id"] + ".tif"), "file names instead of ids")
    yield from examples.usual_mistakes(noisy, on="id", target="label", unknown="x", new_target="tumor", new_id="image")
    yield Example("above_one", examples.with_cell(noisy, "label", 2.0), "a prediction of 2")
    yield Example("below_zero", examples.with_cell(noisy, "label", -0.5, row=-1), "a prediction below 0")
    yield Example("text", examples.with_cell(noisy, "label", "yes"), "a prediction that is not a number")
    yield Example("header_only", "id,label\n", "a header without rows")
