"""Twin of paddy-disease-classification: leaves with a colour and a spot of their own for each disease."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

LABELS = [
    "bacterial_leaf_blight", "bacterial_leaf_streak", "bacterial_panicle_blight", "blast", "brown_spot",
    "dead_heart", "downy_mildew", "hispa", "normal", "tungro",
]  # fmt: skip
SHARES = [0.05, 0.04, 0.03, 0.17, 0.09, 0.14, 0.06, 0.15, 0.17, 0.10]
VARIETIES = [
    "ADT45", "IR20", "KarnatakaPonni", "Onthanel", "Ponni", "Surya", "Zonal", "AndraPonni", "AtchayaPonni",
    "RR",
]  # fmt: skip
AGES = [45, 50, 55, 60, 65, 70, 75, 82]


def _leaf(rng: np.random.Generator, kind: int, quality: int) -> bytes:
    pixels = np.zeros((16, 12, 3)) + np.array([40 + 18 * kind, 140 - 9 * kind, 30 + 20 * (kind % 5)])
    pixels += rng.normal(0, 12, pixels.shape)
    pixels[: 2 + kind, : 2 + kind % 4] += 60
    return jpeg(pixels.clip(0, 255).astype(np.uint8), quality=quality, optimize=False)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write photographs in a folder per class, and Kaggle's own test set, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n = 80 * scale
    kinds = np.concatenate([np.arange(10), rng.choice(10, n - 10, p=SHARES)])
    rng.shuffle(kinds)
    numbers = rng.permutation(np.arange(100001, 100001 + 4 * n))[:n]
    table = pd.DataFrame(
        {
            "image_id": [f"{number}.jpg" for number in numbers],
            "label": [LABELS[kind] for kind in kinds],
            "variety": rng.choice(VARIETIES, n),
            "age": rng.choice(AGES, n),
        }
    ).sort_values(["label", "image_id"])
    for label in LABELS:
        (raw / "train_images" / label).mkdir(parents=True)
    for image, label in zip(table["image_id"], table["label"], strict=True):
        (raw / "train_images" / label / image).write_bytes(_leaf(rng, LABELS.index(label), quality=85))
    table.to_csv(raw / "train.csv", index=False)
    (raw / "test_images").mkdir()
    others = [f"{200001 + i}.jpg" for i in range(max(4, n // 20))]
    for image in others:
        (raw / "test_images" / image).write_bytes(_leaf(rng, int(rng.integers(0, 10)), quality=75))
    pd.DataFrame({"image_id": others, "label": ""}).to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Labels right, wrong, misspelt and missing, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    full = examples.table(prepared, "private/test.csv")
    answers = full[["image_id", "label"]]
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: empty labels, all wrong")
    noisy = examples.guessed(answers, "label", LABELS, 0.35, rng)
    labels = noisy["label"]

    def first(value: object) -> pd.DataFrame:
        return examples.with_first(noisy, "label", value)

    yield Example("noisy", noisy, "a third at random")
    yield examples.shuffled(noisy, seed)
    yield Example("full_answers", full, "the answers file itself, with its further columns")
    yield Example("majority", answers.assign(label="normal"), "one class only")
    yield Example("upper_case", noisy.assign(label=labels.str.upper()), "labels in capitals: all wrong")
    yield Example("blanks", first(f" {labels.iloc[0]}"), "a leading blank in a label: wrong")
    yield Example("unknown_label", first("rust"), "a label that is no class: only wrong")
    codes = labels.map(LABELS.index)
    yield Example("class_numbers", noisy.assign(label=codes), "numbers instead of names: all wrong")
    yield Example("class_floats", noisy.assign(label=codes + 0.5), "fractions instead of names")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.first_for_last(answers)
    yield examples.unknown_id(answers, "image_id", "x")
    no_suffix = answers.assign(image_id=answers["image_id"].str.replace(".jpg", ""))
    yield Example("no_suffix", no_suffix, "ids without .jpg")
    yield examples.renamed(answers, "label", "Label")
    yield Example("nan", first(None), "an empty prediction: only wrong")
    yield Example("null_word", first("None"), "the word None: read as missing, only wrong")
    yield examples.empty()
