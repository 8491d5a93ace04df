"""Twin of statoil-iceberg-classifier-challenge: radar pictures of 25 pixels with a bright spot each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.archives import seven_zip
from mlebench.twins.kit.submissions import Cell, Submissions, Usual

TARGET = "is_iceberg"
PIXELS = 25  # 75 x 75 in the real data
SPOT = slice(10, 14)
# Ids that a careless reader takes for numbers.
NUMBER_LIKE = ["00012345", "1234e567", "12345678"]
OTHER_ORDER = [TARGET, "id", "inc_angle", "band_2", "band_1"]


def _object(rng: np.random.Generator) -> dict[str, Any]:
    """A ship or an iceberg; icebergs are brighter in the first band and darker in the second."""
    iceberg = int(rng.random() < 0.47)
    first = rng.normal(-24, 3, PIXELS)
    first[SPOT] += 12 + 6 * iceberg
    second = rng.normal(-29, 2, PIXELS)
    second[SPOT] += 9 - 4 * iceberg
    return {
        "id": f"{int(rng.integers(16**8)):08x}",
        "band_1": [round(float(value), 6) for value in first],
        "band_2": [float(np.float32(value)) for value in second],  # many digits, as in the real data
        "inc_angle": round(float(rng.uniform(24, 46)), 4),
        TARGET: iceberg,
    }


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled objects, and Kaggle's own test objects, of which preparation uses only the list of fields."""
    rng = np.random.default_rng(seed)
    drawn = [_object(rng) for _ in range(100 * scale)]
    for each in drawn[4::9]:
        each["inc_angle"] = "na"
    for each, name in zip(drawn, NUMBER_LIKE, strict=False):
        each["id"] = name
    train = list({each["id"]: each for each in drawn}.values())
    # Objects need not have their fields in one order.
    train[3::7] = [{field: each[field] for field in OTHER_ORDER} for each in train[3::7]]
    test = [_object(rng) for _ in range(6)]
    for each in test:
        del each[TARGET]
    sample = pd.DataFrame({"id": [each["id"] for each in test], TARGET: 0.5})
    for name, content in (
        ("train.json", json.dumps(train)),
        ("test.json", json.dumps(test)),
        ("sample_submission.csv", sample.to_csv(index=False)),
    ):
        seven_zip(raw / f"{name}.7z", [(f"data/processed/{name}", content.encode())])


submissions = Submissions(
    sample="private/sample_submission.csv",
    read={"dtype": {"id": str}},
    guess=lambda case: np.clip(0.3 + 0.4 * case.truth + case.rng.normal(0, 0.2, case.n), 0.01, 0.99),
    usual=Usual("noisy", unknown="zzzzzzzz", wrong_column="iceberg", no_id="Id", extra={"more": "x"}),
    cells={"negative": -0.01, "above_one": 1.01, "text": "ship"},
    each={"tiny": lambda iceberg: 1e-20 if iceberg else 1 - 1e-12},  # wrong, and beyond the clipping
    variants=["all_wrong"],
    special=lambda case: {"one_certain_wrong": Cell(float(1 - case.truth[0])), "booleans": case.guess > 0.35},
)
