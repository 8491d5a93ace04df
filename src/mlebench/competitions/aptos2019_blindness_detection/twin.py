"""Twin of aptos2019-blindness-detection: orange discs with more bright spots the higher the grade."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import png

RETINA, SPOT = [150, 70, 20], [230, 220, 120]
GRADES = np.array([0, 0, 0, 0, 2, 2, 2, 1, 4, 3])  # as often as they occur


def _fundus(rng: np.random.Generator, grade: int) -> bytes:
    pixels = np.zeros((8, 8, 3), np.int64)
    pixels[1:7, 1:7] = RETINA
    pixels[1:7, 1:7] += rng.integers(-8, 9, (6, 6, 3))
    for _ in range(3 * grade):
        row, column = rng.integers(1, 7, 2)
        pixels[row, column] = SPOT
    return png(np.clip(pixels, 0, 255).astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write graded photographs, and Kaggle's own test set, which preparation does not use."""
    rng = np.random.default_rng(seed)
    n, m = 205 * scale, 8 * scale
    ids = rng.permutation(sorted({rng.bytes(6).hex() for _ in range(n + m)}))
    grades = GRADES[rng.integers(0, 10, n + m)]
    grades[:5] = range(5)
    table = pd.DataFrame({"id_code": ids, "diagnosis": grades})
    train, test = table[:n].sort_values("id_code"), table[n:].sort_values("id_code")
    train.to_csv(raw / "train.csv", index=False)
    test[["id_code"]].to_csv(raw / "test.csv", index=False)
    test.assign(diagnosis=0).to_csv(raw / "sample_submission.csv", index=False)
    for folder, part in (("train_images", train), ("test_images", test)):
        (raw / folder).mkdir()
        for name, grade in zip(part["id_code"], part["diagnosis"], strict=True):
            (raw / folder / f"{name}.png").write_bytes(_fundus(rng, grade))


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Grades near and far, grades that do not exist, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    grades, n = answers["diagnosis"], len(answers)
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission (all 0)")
    steps = rng.integers(-1, 2, n) * (rng.random(n) < 0.6)
    noisy = answers.assign(diagnosis=np.clip(grades + steps, 0, 4))
    yield Example("noisy", noisy, "some grades off by one")
    yield examples.shuffled(noisy, seed)
    more = noisy.assign(comment="x")[["comment", "diagnosis", "id_code"]]
    yield Example("extra_column", more, "as noisy, more columns in another order")
    yield Example("float_grades", noisy.astype({"diagnosis": float}), "as noisy, grades written as 0.0, 1.0 …")
    yield Example("constant", answers.assign(diagnosis=2), "one grade everywhere")
    yield Example("reversed", answers.assign(diagnosis=4 - grades), "worse than chance")
    yield Example("two_grades", answers.assign(diagnosis=np.where(grades > 1, 4, 0)), "only grades 0 and 4")
    yield Example("boolean", answers.assign(diagnosis=grades > 1), "True/False instead of grades")
    yield Example("far_label", _first_rows(noisy, 3, 90), "three predictions of 90 count as the grade after 4")
    yield Example("negative_label", _first_rows(noisy, 2, -7), "two predictions of -7: a label below 0")
    yield Example("continuous", noisy.assign(diagnosis=noisy["diagnosis"] + 0.25), "no whole numbers")
    yield examples.duplicate_id(noisy, "id_code")
    yield from examples.usual_mistakes(
        noisy, on="id_code", target="diagnosis", unknown="zzz", new_target="grade", new_id="id"
    )
    yield Example("text", examples.with_cell(noisy, "diagnosis", "severe"), "a prediction that is not a number")
    yield Example("header_only", "id_code,diagnosis\n", "a header without rows")


def _first_rows(table: pd.DataFrame, count: int, grade: int) -> pd.DataFrame:
    return table.assign(diagnosis=[grade] * count + table["diagnosis"].tolist()[count:])
