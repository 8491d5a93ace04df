"""Twin of ml2021spring-hw2: each phoneme is a point in the space of features, its frames are around it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example

PHONEMES = FEATURES = 39
FRAMES = 11


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled windows, and Kaggle's own test windows, of which preparation uses only the number."""
    rng = np.random.default_rng(seed)
    folder = raw / "timit_11" / "timit_11"
    folder.mkdir(parents=True)
    n, m = 246 * scale, 90 * scale
    labels = rng.integers(0, PHONEMES, n)
    labels[:PHONEMES] = np.arange(PHONEMES)
    centres = rng.integers(-4, 5, (PHONEMES, FEATURES)) / 2  # few distinct values: small once compressed
    frames = centres[labels] + rng.integers(-1, 2, (n, FEATURES)) / 4
    train = np.tile(frames, (1, FRAMES)).astype(np.float32)
    train[:, ::17] = (train[:, ::17] + rng.normal(0, 1, train[:, ::17].shape)).astype(np.float32)
    test = np.tile(centres[rng.integers(0, PHONEMES, m)], (1, FRAMES)).astype(np.float32)
    np.save(folder / "train_11.npy", train)
    np.save(folder / "train_label_11.npy", labels.astype("<U2"))  # the real labels are texts, too
    np.save(folder / "test_11.npy", test)
    pd.DataFrame({"Id": range(m), "Class": 0}).to_csv(raw / "sampleSubmission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Class numbers written in all ways, things that are no class, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")
    yield Example("perfect", answers, "the answers themselves")
    yield Example("sample", examples.table(prepared, "public/sampleSubmission.csv"), "the sample submission")
    noisy = examples.guessed(answers, "ClassId", PHONEMES, 0.4, rng)
    labels = noisy["ClassId"]
    yield Example("noisy", noisy, "40% at random")
    yield examples.shuffled(noisy, seed)
    yield Example("extra_column", noisy.assign(note="a,b"), "as noisy, an unused column more")
    yield Example("float_labels", noisy.astype({"ClassId": float}), "as noisy, labels written as 2.0")
    yield Example("float_ids", noisy.astype({"Id": float}), "as noisy, ids written as 2.0")
    yield Example("leading_zero", noisy.assign(ClassId=labels.map("{:02d}".format)), "as noisy, labels written as 02")
    fractional = labels.astype(float).mask(labels.index == 3, labels + 0.5)
    yield Example("fractional", noisy.assign(ClassId=fractional), "a label that is no integer")
    outside = noisy.assign(ClassId=[99, -1, *labels.tolist()[2:]])
    yield Example("out_of_range", outside, "labels outside 0..38: just wrong")
    yield Example("words", examples.with_first(noisy, "ClassId", "aa"), "one label is a word: all wrong")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.first_for_last(answers)
    yield examples.unknown_id(answers, "Id", "x")
    yield Example("one_based", answers.assign(Id=answers["Id"] + 1), "ids counted from 1")
    yield examples.renamed(answers, "ClassId", "Class")
    yield Example("no_id", answers.drop(columns="Id"), "id column missing")
    yield Example("nan", examples.with_cell(noisy, "ClassId", None), "an empty prediction")
    yield examples.empty()
