"""Twin of cassava-leaf-disease-classification: leaves that are nothing but the colour of their disease."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.tfrecords import example, tfrecord

DISEASES = [
    "Cassava Bacterial Blight (CBB)",
    "Cassava Brown Streak Disease (CBSD)",
    "Cassava Green Mottle (CGM)",
    "Cassava Mosaic Disease (CMD)",
    "Healthy",
]
HEALTHY = 4
SHARES = [0.1, 0.15, 0.15, 0.45, 0.15]
COLOURS = [(200, 180, 40), (120, 80, 30), (90, 200, 150), (40, 90, 20), (20, 220, 30)]
RECORD_FILES = 16


def _leaf(rng: np.random.Generator, label: int) -> bytes:
    pixels = np.array(COLOURS[label]) + rng.normal(0, 25, (8, 8, 3))
    return jpeg(np.clip(pixels, 0, 255).astype(np.uint8), quality=85)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write each leaf as JPEG and as TFRecord, and one test image of Kaggle's own, which is not used."""
    rng = np.random.default_rng(seed)
    for folder in ("train_images", "test_images", "train_tfrecords", "test_tfrecords"):
        (raw / folder).mkdir()
    numbers = iter(rng.choice(10**9, 6 * RECORD_FILES * scale + 1, replace=False).tolist())
    rows = []
    for file in range(RECORD_FILES):
        count = (4 + file % 3) * scale
        records = []
        for _ in range(count):
            label, name = int(rng.choice(5, p=SHARES)), f"{next(numbers)}.jpg"
            picture = _leaf(rng, label)
            (raw / "train_images" / name).write_bytes(picture)
            records.append(example({"image": picture, "image_name": name.encode(), "target": label}))
            rows.append((name, label))
        tfrecord(raw / f"train_tfrecords/ld_train{file:02d}-{count}.tfrec", records)
    train = pd.DataFrame(rows, columns=["image_id", "label"])
    train.sample(frac=1, random_state=seed).to_csv(raw / "train.csv", index=False)
    name, picture = f"{next(numbers)}.jpg", _leaf(rng, HEALTHY)
    (raw / "test_images" / name).write_bytes(picture)
    unlabelled = example({"image": picture, "image_name": name.encode()})
    tfrecord(raw / "test_tfrecords/ld_test00-1.tfrec", [unlabelled])
    pd.DataFrame({"image_id": [name], "label": [HEALTHY]}).to_csv(raw / "sample_submission.csv", index=False)
    names = {str(label): disease for label, disease in enumerate(DISEASES)}
    (raw / "label_num_to_disease_map.json").write_text(json.dumps(names))


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Class numbers that are right, wrong or no classes at all, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    truth = answers["label"]
    replaced = rng.random(len(answers)) < 0.4
    guess = np.where(replaced, rng.integers(0, len(DISEASES), len(answers)), truth)
    guess[0] = (truth[0] + 1) % len(DISEASES)  # at least one is wrong
    noisy = answers.assign(label=guess)
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: every leaf healthy")
    yield Example("noisy", noisy, "four labels in ten are random")
    yield examples.shuffled(noisy, seed)
    yield Example("all_wrong", answers.assign(label=(truth + 1) % len(DISEASES)), "every label wrong")
    yield Example("float_labels", noisy.assign(label=guess.astype(float)), "as noisy, labels written as 4.0")
    yield Example("unknown_label", examples.with_cell(noisy, "label", 77), "a number that is no class: wrong")
    yield Example("negative_label", examples.with_cell(noisy, "label", -1), "a negative number: wrong")
    more = noisy.assign(note="x")[["note", "label", "image_id"]]
    yield Example("extra_column", more, "as noisy, one more column and another order")
    yield Example("booleans", answers.assign(label=truth > 0), "True/False count as 1 and 0")
    yield Example("text_label", examples.with_cell(answers, "label", "Healthy"), "a name among the numbers: all wrong")
    yield Example("fraction", examples.with_cell(answers, "label", 3.5), "a label that is not a whole number")
    yield examples.duplicate_id(answers, "image_id")
    yield examples.renamed(answers, "image_id", "id", "no_id_column")
    yield from examples.usual_mistakes(answers, on="image_id", target="label", unknown="x.jpg", new_target="Label")
