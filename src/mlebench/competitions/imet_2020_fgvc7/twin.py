"""Twin of imet-2020-fgvc7: pictures in which every attribute brightens a line of its own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.images import png
from mlebench.twins.kit.submissions import Case, Submissions, Usual

KINDS = ["country", "culture", "dimension", "medium", "tags"]
NAMES = [
    "italy", "japan", 'trunk lock, "iron"', "silk–satin", "été", "birds", "women", "men", "portraits", "flowers",
]  # fmt: skip
ATTRIBUTES = 30


def _hex(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def _picture(rng: np.random.Generator, attributes: NDArray[np.int64], height: int) -> bytes:
    """Noise in which an attribute brightens one of ten columns in one of three channels."""
    pixels = rng.integers(0, 40, (height, 10, 3))
    pixels[:, attributes % 10, attributes // 10] += 180
    return png(pixels.astype(np.uint8))


def make(raw: Path, seed: int, scale: int) -> None:
    """Write pictures with their attributes, and Kaggle's own test set, which preparation does not use."""
    rng = np.random.default_rng(seed)
    names = [f"{KINDS[number % 5]}::{NAMES[number % 10]}{number}" for number in range(ATTRIBUTES)]
    labels = pd.DataFrame({"attribute_id": range(ATTRIBUTES), "attribute_name": names})
    labels.to_csv(raw / "labels.csv", index=False)
    shares = 1 / np.arange(1, ATTRIBUTES + 1)
    shares /= shares.sum()
    (raw / "train").mkdir()
    objects = sorted(_hex(f"{seed}-{number}") for number in range(80 * scale))
    cells = []
    for position, each in enumerate(objects):
        attributes = rng.choice(ATTRIBUTES, int(rng.integers(1, 6)), replace=False, p=shares)
        if position % 9 == 0:
            attributes = attributes[:1]
        cells.append(" ".join(map(str, attributes)))
        (raw / f"train/{each}.png").write_bytes(_picture(rng, attributes, 8 + position % 5))
    cells[1] += f" {cells[1].split()[0]}"  # an attribute named twice
    pd.DataFrame({"id": objects, "attribute_ids": cells}).to_csv(raw / "train.csv", index=False)
    (raw / "test").mkdir()
    others = [_hex(f"t{seed}-{number}") for number in range(3)]
    for each in others:
        pixels = rng.integers(0, 255, (8, 8, 3), dtype=np.uint8)
        (raw / f"test/{each}.png").write_bytes(png(pixels, optimize=False))
    pd.DataFrame({"id": others, "attribute_ids": "0 1 2"}).to_csv(raw / "sample_submission.csv", index=False)


def _known(table: pd.DataFrame) -> set[str]:
    return set(" ".join(table["attribute_ids"]).split())


def _guess(case: Case) -> Iterator[str]:
    """Attributes dropped and added, the first cell empty."""
    known = sorted(_known(case.answers))
    for row, attributes in enumerate(case.truth):
        kept = [attribute for attribute in attributes.split() if case.rng.random() < 0.7]
        added = case.rng.choice(known, int(case.rng.integers(0, 3)), replace=False)
        yield " ".join([*kept, *added.tolist()]) if row else ""


def _absent(case: Case) -> list[str]:
    return sorted(_known(examples.table(case.prepared, "public/train.csv", dtype=str)) - _known(case.answers))


submissions = Submissions(
    read={"dtype": str},
    guess=lambda case: list(_guess(case)),
    usual=Usual(twice="first_id", wrong_column="attributes", wrong_id_column="Id", extra={"note": 1}),
    constants={"nothing": ""},
    each={
        "repeated": lambda cell: f"{cell} {cell}",  # counts once
        "reversed": lambda cell: " ".join(cell.split()[::-1]),
        "blanks": lambda cell: f"  {'   '.join(cell.split())} ",
        "first_only": lambda cell: cell.split()[0],  # read as integers
        "first_text": lambda cell: f"{cell.split()[0]} x",  # read as text
        "zero_padded": lambda cell: " ".join(f"0{attribute}" for attribute in cell.split()),  # other attributes
        "comma": lambda cell: ",".join([*cell.split(), "0"]),  # one unknown attribute each
    },
    special=lambda case: {
        "everything": " ".join(sorted(_known(case.answers))),
        "unknown_class": case.truth + " " + " ".join([*_absent(case), "3473", "99999"]),  # they cost nothing
        "first_only_one_nan": [None, *case.truth.str.split().str[0][1:]],  # read as floats
        "nan": case.guess.mask([row in (2, 3) for row in range(case.n)]),
    },
)
