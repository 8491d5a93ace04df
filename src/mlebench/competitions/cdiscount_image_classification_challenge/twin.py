"""Twin of cdiscount-image-classification-challenge: products in the colour of their category, as BSON."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Case, Submissions, Usual, at

# Some names have accents, commas and quotes, which a CSV file must survive.
CATEGORIES = {
    1000010653: ("MUSIQUE", "CD", "CD POP ROCK - ROCK INDE"),
    1000010667: ("ABONNEMENT / SERVICES", "CARTE PREPAYEE", "CARTE PREPAYEE MULTIMEDIA"),
    1000004079: ("AMENAGEMENT URBAIN - VOIRIE", "AMENAGEMENT URBAIN", 'ABRI FUMEUR, "ABRI VÉLO"'),
    1000018294: ("DÉCO - LINGE - LUMINAIRE", "TAPIS", "TAPIS D'ÉVEIL"),
    1000021872: ("HYGIENE - BEAUTE - PARFUM", "MAQUILLAGE", "OMBRE À PAUPIÈRE"),
    1000012755: ("LIBRAIRIE", "LITTERATURE", "AUTRES LIVRES"),
}
IDS = list(CATEGORIES)
SHARES = [0.3, 0.25, 0.15, 0.15, 0.1, 0.05]
COLOURS = [(220, 30, 30), (30, 220, 30), (30, 30, 220), (220, 220, 30), (30, 220, 220), (220, 30, 220)]
KAGGLE_TEST = 6
LEVELS = ["category_level1", "category_level2", "category_level3"]

# Types of BSON elements.
DOCUMENT, ARRAY, BINARY, INT32 = b"\x03", b"\x04", b"\x05", b"\x10"


def _element(kind: bytes, key: str, value: bytes) -> bytes:
    return kind + key.encode() + b"\0" + value


def _document(elements: Iterable[bytes]) -> bytes:
    content = b"".join(elements) + b"\0"
    return struct.pack("<i", len(content) + 4) + content


def _int32(key: str, value: int) -> bytes:
    return _element(INT32, key, struct.pack("<i", value))


def _product(number: int, category: int | None, pictures: Iterable[bytes]) -> bytes:
    """A product as BSON document, without category where that is not to be known."""
    images = []
    for i, picture in enumerate(pictures):
        binary = struct.pack("<i", len(picture)) + b"\0" + picture
        images.append(_element(DOCUMENT, str(i), _document([_element(BINARY, "picture", binary)])))
    elements = [_int32("_id", number), _element(ARRAY, "imgs", _document(images))]
    if category is not None:
        elements.append(_int32("category_id", category))
    return _document(elements)


def _picture(rng: np.random.Generator, kind: int) -> bytes:
    pixels = np.array(COLOURS[kind]) + rng.normal(0, 30, (8, 8, 3))
    return jpeg(np.clip(pixels, 0, 255).astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write products with one to four pictures, and a few test products of Kaggle's own without category."""
    rng = np.random.default_rng(seed)
    n = 160 * scale
    numbers = np.cumsum(rng.integers(1, 4, n + KAGGLE_TEST)).tolist()
    products = []
    for i, number in enumerate(numbers):
        kind = int(rng.choice(len(IDS), p=SHARES))
        count = int(rng.choice([1, 1, 1, 2, 3, 4]))
        pictures = [_picture(rng, kind) for _ in range(count)]
        products.append(_product(number, IDS[kind] if i < n else None, pictures))
    (raw / "train.bson").write_bytes(b"".join(products[:n]))
    (raw / "train_example.bson").write_bytes(b"".join(products[:100]))
    (raw / "test.bson").write_bytes(b"".join(products[n:]))
    names = pd.DataFrame(list(CATEGORIES.values()), columns=LEVELS)
    names.insert(0, "category_id", IDS)
    names.to_csv(raw / "category_names.csv", index=False)
    sample = pd.DataFrame({"_id": numbers[n:], "category_id": IDS[0]})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def _guess(case: Case) -> Any:
    """Four categories in ten are random, and at least one is wrong."""
    replaced = case.rng.random(case.n) < 0.4
    guess = np.where(replaced, case.rng.choice(IDS, case.n), case.truth)
    guess[0] = IDS[2] if case.truth[0] == IDS[1] else IDS[1]
    return guess


submissions = Submissions(
    guess=_guess,
    usual=Usual(cells="perfect", wrong_column="category", no_id_column="id", extra_first={"note": "x"}),
    cells={
        **at(of="noisy", negative_label=-1),
        **at(0, "_id", text_id="x"),
        "text_label": "LIBRAIRIE",
        "fraction": 0.5,
    },
    constants={"all_wrong": 1},
    variants=["float_labels", "float_ids"],
)
