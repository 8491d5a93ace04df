"""Twin of iwildcam-2019-fgvc6: bursts of grey pictures, whose brightness tells the animal."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.archives import zip_members
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Classes right, wrong, cut down from fractions and out of range, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")
    classes = answers["Category"]
    yield Example("perfect", answers, "the answers themselves, in their order")
    sample = (prepared / "public/sample_submission.csv").read_text(encoding="utf-8")
    yield Example("sample", sample, "the sample submission as it is, with a nameless first column: 0 everywhere")
    # Rows with the same id get the same class: the order among them is anybody's guess once the rows are sorted.
    by_image = answers.drop_duplicates("Id").set_index("Id")["Category"]
    kept = rng.random(len(by_image)) > 0.35
    by_image = by_image.where(kept, rng.choice([0, 1, 8, 11, 13], len(by_image)))
    guess = by_image.loc[answers["Id"]].to_numpy()
    noisy = answers.assign(Category=guess)
    yield Example("noisy", noisy, "a third replaced by random classes")
    yield examples.shuffled(noisy, seed)

    def first(value: object) -> pd.DataFrame:
        return examples.with_first(noisy, "Category", value)

    yield Example("floats", noisy.assign(Category=guess + 0.9), "1.9 is cut down to 1: the score of noisy")
    below = noisy.assign(Category=np.where(guess == 0, -0.9, guess))
    yield Example("negative_fraction", below, "-0.9 is cut towards zero: the score of noisy")
    yield Example("foreign_class", first(99), "a class that no answer has joins the mean with an F1 of 0")
    yield Example("negative_class", first(-1), "and so does a negative one")
    rows = np.arange(len(answers))
    foreign = answers.assign(Category=np.where(rows % 4 == 0, 30 + rows, classes))
    yield Example("many_foreign", foreign, "every fourth row a class of its own: all of them are in the mean")
    yield Example("one_class", answers.assign(Category=int(classes.mode()[0])), "the most frequent class everywhere")
    yield Example("all_wrong", answers.assign(Category=50), "one class that no answer has, everywhere")
    yield Example("booleans", answers.assign(Category=classes > 0), "True and False are the classes 1 and 0")
    yield Example("extra_column", noisy.assign(note="x"), "as noisy, one more column")
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    last_again = pd.concat([answers.iloc[1:], answers.tail(1)])
    yield Example("duplicate_id", last_again, "right number of rows, the last row twice and the first absent")
    yield examples.unknown_id(answers, "Id", "x")
    yield examples.renamed(answers, "Category", "Predicted")
    yield examples.renamed(answers, "Id", "id", "wrong_id_column")
    yield Example("nan", examples.with_cell(answers, "Category", None), "an empty prediction")
    yield Example("text", answers.assign(Category="deer"), "names of classes instead of numbers")
    mixed = examples.with_cell(examples.with_cell(noisy, "Category", "1.5"), "Category", "two", row=1)
    yield Example("mixed_text", mixed, "one word turns the whole column into text")
    yield examples.empty()
