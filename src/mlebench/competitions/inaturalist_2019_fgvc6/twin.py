"""Twin of inaturalist-2019-fgvc6: photographs in the colour of their species, packed as tar."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.archives import tar_gz
from mlebench.twins.kit.images import jpeg, tinted
from mlebench.twins.kit.submissions import Case, Submissions, Usual

GROUPS = ["Amphibians", "Birds", "Plants"]
OWNERS = ['Zoë, the "birder"', "Иван", "J. Doe\\n"]
INFO = {
    "description": "twin",
    "url": "https://www.kaggle.com",
    "version": "1.0",
    "year": 2019,
    "contributor": "iNaturalist",
    "date_created": "2019-03-01",
}
LICENSES = [{"id": number, "name": f"CC {number}", "url": "http://creativecommons.org"} for number in range(5)]
IN_SAMPLE = 654  # the category that the prepared sample submission names


@dataclass
class _Photographs:
    """Takes photographs one after the other and keeps the files for the archive."""

    rng: np.random.Generator
    seed: int
    numbers: Sequence[int]
    categories: Sequence[int]
    colours: NDArray[np.int64]
    files: list[tuple[str, bytes]] = field(default_factory=list)

    def take(self, species: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """One more photograph of a species: its image record and its annotation."""
        position = len(self.files)
        number = self.numbers[position]
        category = self.categories[species]
        name = f"train_val2019/{GROUPS[species % 3]}/{category}/{_hex(f'{self.seed}-{number}')}.jpg"
        width, height = int(self.rng.integers(6, 13)), int(self.rng.integers(8, 17))
        self.files.append((name, jpeg(tinted(self.rng, self.colours[species], height, width))))
        image = {
            "license": int(self.rng.integers(0, 5)),
            "file_name": name,
            "rights_holder": OWNERS[position % 3],
            "width": width,
            "height": height,
            "id": number,
        }
        return image, {"image_id": number, "category_id": category, "id": number}


def _hex(text: str) -> str:
    return hashlib.md5(text.encode()).hexdigest()


def make(raw: Path, seed: int, scale: int) -> None:
    """Write training and validation photographs, and the original test part, which preparation does not read."""
    rng = np.random.default_rng(seed)
    # One photograph stays in train, the last of two to four becomes test, and five and more are split at random.
    counts = [
        1,
        2,
        3,
        4,
        5,
        8,
        9,
        17,
        *rng.integers(2, 10, 4).tolist(),
        *rng.integers(1, 12, 12 * (scale - 1)).tolist(),
    ]
    rng.shuffle(counts)
    among = np.arange(1, max(1010, len(counts) + 1))  # a large twin has more than the 1010 real categories
    drawn = np.sort(rng.choice(among, len(counts), replace=False)).tolist()
    categories = sorted({0, *drawn[1:-1], IN_SAMPLE})
    counts = counts[: len(categories)]
    colours = rng.integers(0, 256, (len(categories), 3))
    numbers = rng.permutation(sum(counts) + len(categories)).tolist()
    photographs = _Photographs(rng, seed, numbers, categories, colours)
    order = np.repeat(np.arange(len(categories)), counts)
    rng.shuffle(order)
    taxonomy = [
        {
            "id": category,
            "name": str(category),
            "kingdom": "Life",
            "phylum": f"p{species % 2}",
            "class": GROUPS[species % 3],
            "order": "o",
            "family": "f",
            "genus": f"g{species % 4}",
        }
        for species, category in enumerate(categories)
    ]
    # One validation photograph per species.
    for part, shown in (("train", order.tolist()), ("val", range(len(categories)))):
        taken = [photographs.take(species) for species in shown]
        metadata = {
            "info": INFO,
            "images": [image for image, _ in taken],
            "licenses": LICENSES,
            "annotations": [annotation for _, annotation in taken],
            "categories": taxonomy,
        }
        text = json.dumps(metadata, ensure_ascii=False)
        (raw / f"{part}2019.json").write_bytes(text.encode("utf-8"))
    tar_gz(raw / "train_val2019.tar.gz", photographs.files)
    _write_original_test(raw, rng)


def _write_original_test(raw: Path, rng: np.random.Generator) -> None:
    files = {}
    for position in range(3):
        pixels = rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)
        files[f"test2019/{_hex(f't{position}')}.jpg"] = jpeg(pixels, optimize=False)
    tar_gz(raw / "test2019.tar.gz", files.items())
    numbers = [268243, 268244, 268245]
    images = [
        {"license": 0, "file_name": name, "rights_holder": "x", "width": 8, "height": 8, "id": number}
        for name, number in zip(files, numbers, strict=True)
    ]
    metadata = {"info": INFO, "licenses": LICENSES, "images": images}
    (raw / "test2019.json").write_text(json.dumps(metadata), encoding="utf-8")
    sample = pd.DataFrame({"id": numbers, "predicted": "71 108 339 341 560"})
    sample.to_csv(raw / "kaggle_sample_submission.csv", index=False)


def _several_labels(case: Case) -> dict[str, Any]:
    """Only the first label counts; whatever follows is not looked at."""
    five = [f"{first} 1 2 3 {last}" for first, last in zip(case.guess, case.truth, strict=True)]
    return {
        "five_labels": five,
        "mixed": [label if row % 2 else f"{label} 9" for row, label in enumerate(case.guess)],
        "underscore": ["1_0 x", *(f"{label} x" for label in case.truth[1:])],  # the number 10
        "blank_cell": ["  ", *five[1:]],
        "nan_text": [None, *five[1:]],
    }


submissions = Submissions(
    guess=lambda case: case.shifted(0.35, 1, 5) % 1010,
    usual=Usual(twice="first_id", unknown=10**7, wrong_column="Predicted", wrong_id_column="Id", extra={"note": 1}),
    cells={"text": "bird"},
    constants={"all_wrong": 5000},
    each={
        "blanks": "  {}   5 ".format,
        "tab": "{}\t5".format,
        "comma": "{},5".format,  # refused
        "zero_padded": "{:05d} 1".format,  # the same numbers
        "negative": lambda label: -1 - label,  # wrong, but accepted
        "float": lambda label: label + 0.0,  # refused
    },
    variants=["float_id"],
    special=_several_labels,
)
