"""Twin of iwildcam-2019-fgvc6: bursts of grey pictures, whose brightness tells the animal."""

from __future__ import annotations

import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

COLUMNS = [
    "category_id", "date_captured", "file_name", "frame_num", "id", "location", "rights_holder", "seq_id",
    "seq_num_frames", "width", "height",
]  # fmt: skip
CLASSES = [0, 1, 3, 4, 8, 10, 11, 13, 14, 16, 17, 18, 19, 22]


def _uuid(rng: np.random.Generator) -> str:
    return str(uuid.UUID(bytes=rng.bytes(16)))


def _date(rng: np.random.Generator) -> str:
    year, month, day, hour, minute = (
        rng.integers(*limits) for limits in ((1, 5), (1, 10), (10, 28), (10, 24), (0, 10))
    )
    return f"201{year}-0{month}-{day} {hour}:0{minute}:59"


def _picture(rng: np.random.Generator, kind: int) -> bytes:
    pixels = rng.normal(40 + 8 * kind, 6, (8, 8))
    return jpeg(np.clip(pixels, 0, 255).astype(np.uint8), optimize=False)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write pictures from 21 places, and Kaggle's own test set, which preparation does not use."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[object, ...]] = []
    pictures: dict[str, bytes] = {}
    places = rng.permutation(max(200, 42 * scale))[: 21 * scale]
    for place in places.tolist():
        owner = 'Justin Brown, "NPS"' if place % 2 else "Erin Boydston"
        # Every place has its own mix of animals, and half of its pictures are empty.
        shares = rng.dirichlet(np.full(len(CLASSES), 0.4)) * 0.5
        shares[0] += 0.5
        for _ in range(int(rng.integers(3, 7))):
            burst, frames, date = _uuid(rng), int(rng.integers(1, 4)), _date(rng)
            kind = int(rng.choice(CLASSES, p=shares))
            for frame in range(1, frames + 1):
                image = _uuid(rng)
                height = 1494 if frame == 1 else 747
                about = (date, f"{image}.jpg", frame, image, place, owner, burst, frames, 1024, height)
                rows.append((kind, *about))
                pictures[f"{image}.jpg"] = _picture(rng, kind)
                if rng.random() < 0.05:  # a picture of two species has two rows
                    rows.append((int(rng.choice(CLASSES)), *about))
    train = pd.DataFrame(rows, columns=COLUMNS).sample(frac=1, random_state=seed)
    train.iloc[3, COLUMNS.index("rights_holder")] = None
    train.to_csv(raw / "train.csv", index=False)
    zip_members(raw / "train_images.zip", pictures.items())
    _write_original_test(raw, rng)


def _write_original_test(raw: Path, rng: np.random.Generator) -> None:
    images = [_uuid(rng) for _ in range(3)]
    rows = [
        ("2013-01-01 10:00:00", f"{image}.jpg", 1, image, 300, "IDFG", _uuid(rng), 1, 1024, 747) for image in images
    ]
    pd.DataFrame(rows, columns=COLUMNS[1:]).to_csv(raw / "test.csv", index=False)
    pd.DataFrame({"Id": images, "Predicted": 0}).to_csv(raw / "sample_submission.csv", index=False)
    zip_members(raw / "test_images.zip", [(f"{image}.jpg", _picture(rng, 0)) for image in images])


def _guess(case: Case) -> Any:
    """A third of the images with a random class.

    Rows with the same id get the same class: the order among them is anybody's guess once the rows are sorted.
    """
    by_image = case.answers.drop_duplicates("Id").set_index("Id")["Category"]
    kept = case.rng.random(len(by_image)) > 0.35
    by_image = by_image.where(kept, case.rng.choice([0, 1, 8, 11, 13], len(by_image)))
    return by_image.loc[case.ids].to_numpy()


submissions = Submissions(
    id="Id",  # the sample has a nameless column before it
    targets=["Category"],
    answers="private/answers.csv",
    guess=_guess,
    usual=Usual(twice="last_row", wrong_column="Predicted", wrong_id_column="id", extra={"note": "x"}),
    # A class that no answer has joins the mean with an F1 of 0.
    cells={"foreign_class": 99, "negative_class": -1, "nan": Cell(None, of="perfect")},
    constants={"all_wrong": 50, "text": "deer"},
    each={"booleans": lambda number: number > 0},
    variants=["one_class"],
    special=lambda case: {
        "floats": case.guess + 0.9,  # 1.9 is cut down to 1: the score of noisy
        "negative_fraction": np.where(case.guess == 0, -0.9, case.guess),  # cut towards zero: the score of noisy
        "many_foreign": np.where(np.arange(case.n) % 4 == 0, 30 + np.arange(case.n), case.truth),
        "mixed_text": ["1.5", "two", *case.guess[2:]],  # one word turns the whole column into text
    },
)
