"""Twin of siim-isic-melanoma-classification: noise pictures, dark where the lesion is malignant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.dicom import LITTLE_ENDIAN, Element, dicom
from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Submissions, Usual
from mlebench.twins.kit.tfrecords import example, tfrecord

# The counts in these names are those of the real files. Numbers 0 and 3 of the list become the test set.
RECORDS = [
    "train00-2071.tfrec", "train01-2071.tfrec", "train02-2071.tfrec",
    "train06-2071.tfrec", "train10-2071.tfrec", "train15-2061.tfrec",
]  # fmt: skip
TEST_RECORDS = (0, 3)
SITES = np.array(
    ["head/neck", "upper extremity", "lower extremity", "torso", "palms/soles", "oral/genital", None],
    dtype=object,
)
AGES = [np.nan, 10.0, 25.0, 45.0, 50.0, 70.0, 90.0]
SEXES = np.array(["male", "female", None], dtype=object)
BENIGN = ["unknown", "nevus", "seborrheic keratosis"]


def make(raw: Path, seed: int, scale: int) -> None:
    """Write each image as DICOM, JPEG and TFRecord, and Kaggle's own test set, which is not used."""
    rng = np.random.default_rng(seed)
    n = 72 * scale
    for folder in ("train", "test", "jpeg/train", "jpeg/test", "tfrecords"):
        (raw / folder).mkdir(parents=True)
    record_of = rng.permutation(np.arange(n) % len(RECORDS))
    images, others = _tables(rng, n, record_of)
    images.to_csv(raw / "train.csv", index=False)
    records: list[list[bytes]] = [[] for _ in RECORDS]
    for i, image in enumerate(images.to_dict("records")):
        picture = _write_pictures(raw, "train", image, _pixels(rng, image["target"] == 1))
        records[record_of[i]].append(_labelled(image, picture, i))
    for name, part in zip(RECORDS, records, strict=True):
        tfrecord(raw / "tfrecords" / name, part)
    unlabelled = []
    for image in others.to_dict("records"):
        picture = _write_pictures(raw, "test", image, _pixels(rng, malignant=False))
        unlabelled.append(example({"image": picture, "image_name": image["image_name"].encode()}))
    tfrecord(raw / "tfrecords/test00-687.tfrec", unlabelled)
    others.to_csv(raw / "test.csv", index=False)
    others[["image_name"]].assign(target=0).to_csv(raw / "sample_submission.csv", index=False)


def _tables(rng: np.random.Generator, n: int, record_of: NDArray[np.int64]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The tables of the labelled images and of four others."""
    target = (rng.random(n) < 0.3).astype(int)
    for number in TEST_RECORDS:  # both classes occur in each part of the test set
        target[np.flatnonzero(record_of == number)[:2]] = [1, 0]
    numbers = np.sort(rng.choice(9_999_999, n + 4, replace=False))
    names = [f"ISIC_{number:07d}" for number in numbers]
    rng.shuffle(names)
    patients = [f"IP_{number:07d}" for number in rng.integers(0, n // 4, n)]
    site = rng.choice(SITES, n)
    malignant = target == 1
    images = pd.DataFrame(
        {
            "image_name": names[:n],
            "patient_id": patients,
            "sex": rng.choice(SEXES, n, p=[0.5, 0.4, 0.1]),
            "age_approx": rng.choice(AGES, n),
            "anatom_site_general_challenge": site,
            "diagnosis": np.where(malignant, "melanoma", rng.choice(BENIGN, n)),
            "benign_malignant": np.where(malignant, "malignant", "benign"),
            "target": target,
        }
    )
    others = pd.DataFrame(
        {
            "image_name": names[n:],
            "patient_id": "IP_9999999",
            "sex": "male",
            "age_approx": 45.0,
            "anatom_site_general_challenge": "torso",
        }
    )
    return images, others


def _pixels(rng: np.random.Generator, malignant: bool) -> NDArray[np.uint8]:
    return np.clip(rng.normal(90 if malignant else 180, 25, (10, 12, 3)), 0, 255).astype(np.uint8)


def _write_pictures(raw: Path, part: str, image: dict[str, Any], pixels: NDArray[np.uint8]) -> bytes:
    """Write an image as DICOM and as JPEG; returns the JPEG."""
    name, picture = image["image_name"], jpeg(pixels, optimize=False)
    (raw / part / f"{name}.dcm").write_bytes(_dicom(image, pixels))
    (raw / "jpeg" / part / f"{name}.jpg").write_bytes(picture)
    return picture


def _dicom(image: dict[str, Any], pixels: NDArray[np.uint8]) -> bytes:
    name = image["image_name"]
    height, width, _ = pixels.shape
    meta: list[Element] = [
        (0x02, 0x01, "OB", b"\0\1"),
        (0x02, 0x02, "UI", "1.2.840.10008.5.1.4.1.1.7"),
        (0x02, 0x03, "UI", "1.2.3." + name.removeprefix("ISIC_").lstrip("0")),
        LITTLE_ENDIAN,
        (0x02, 0x12, "UI", "1.2.3.4"),
    ]
    elements: list[Element] = [
        (0x08, 0x60, "CS", "XC"),
        (0x10, 0x10, "PN", name),
        (0x10, 0x20, "LO", image["patient_id"]),
        (0x10, 0x40, "CS", "M" if image["sex"] == "male" else "F"),
        (0x10, 0x1010, "AS", f"{_age(image, missing=0):03d}Y"),
        (0x28, 0x02, "US", 3),
        (0x28, 0x04, "CS", "RGB"),
        (0x28, 0x06, "US", 0),
        (0x28, 0x10, "US", height),
        (0x28, 0x11, "US", width),
        (0x28, 0x100, "US", 8),
        (0x28, 0x101, "US", 8),
        (0x28, 0x102, "US", 7),
        (0x28, 0x103, "US", 0),
        (0x7FE0, 0x10, "OB", pixels.tobytes()),
    ]
    return dicom(elements, meta)


def _labelled(image: dict[str, Any], picture: bytes, number: int) -> bytes:
    """The record of a training image, with its target as on Kaggle."""
    return example(
        {
            "age_approx": _age(image, missing=-1),
            "anatom_site_general_challenge": number % 6,
            "diagnosis": number % 4,
            "height": 10,
            "image": picture,
            "image_name": image["image_name"].encode(),
            "patient_id": int(image["patient_id"].removeprefix("IP_")),
            "sex": {"male": 1, "female": 0}.get(image["sex"], -1),
            "target": image["target"],
            "width": 12,
        }
    )


def _age(image: dict[str, Any], missing: int) -> int:
    return missing if np.isnan(image["age_approx"]) else int(image["age_approx"])


submissions = Submissions(
    guess=lambda case: 0.3 * case.truth + 0.7 * case.rng.random(case.n),
    usual=Usual(twice=None, unknown="ISIC_x", wrong_column="prediction", no_id="id", extra_first={"note": "a"}),
    cells={"below_zero": -1e-9, "above_one": 1.0000001, "text": "yes"},
    each={"inverted": lambda target: 1 - target},
    variants=["ties", "booleans", "repeated_id"],
)
