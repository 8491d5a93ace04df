"""Twin of statoil-iceberg-classifier-challenge: radar pictures of 25 pixels with a bright spot each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import seven_zip
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Probabilities of all sorts, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv", dtype={"id": str})
    truth = answers[TARGET]

    def table(values: Any) -> pd.DataFrame:
        return answers.assign(**{TARGET: values})

    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "private/sample_submission.csv", dtype={"id": str})
    yield Example("sample", sample, "the sample submission: 0.5")
    noisy = table(np.clip(0.3 + 0.4 * truth + rng.normal(0, 0.2, len(answers)), 0.01, 0.99))
    yield Example("noisy", noisy, "a plausible imperfect submission")
    yield examples.shuffled(noisy, seed)
    yield Example("extra_column", noisy.assign(more="x"), "as noisy, one more column")
    yield Example("all_wrong", table(1 - truth), "certain and wrong everywhere: clipped")
    certain = examples.with_cell(noisy, TARGET, float(1 - truth.iloc[0]))
    yield Example("one_certain_wrong", certain, "as noisy, certain and wrong in the first row")
    tiny = table(np.where(truth == 1, 1e-20, 1 - 1e-12))
    yield Example("tiny", tiny, "wrong everywhere, with values below the clipping or close to 1")
    yield Example("booleans", table(noisy[TARGET] > 0.35), "True/False instead of probabilities")
    yield Example("negative", examples.with_cell(noisy, TARGET, -0.01), "a probability below 0")
    yield Example("above_one", examples.with_cell(noisy, TARGET, 1.01), "a probability above 1")
    yield Example("text", examples.with_cell(noisy, TARGET, "ship"), "a prediction that is not a number")
    yield examples.duplicate_id(noisy, "id")
    yield from examples.usual_mistakes(
        noisy, on="id", target=TARGET, unknown="zzzzzzzz", new_target="iceberg", new_id="Id"
    )
