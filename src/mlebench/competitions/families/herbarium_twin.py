"""What the twins of the herbarium competitions share: pressed plants in the colour of their species."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.images import jpeg, tinted
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual, at

FAMILIES = ["Asteraceae", "Fabaceae", "Orchidaceæ"]


@dataclass(frozen=True)
class Collection:
    """How the metadata of 2020 and 2021 differ: folder, encoding, number ranges, and what is said of a sheet."""

    folder: str
    encoding: str
    species: int
    sheets: int
    rank: str
    taxa: Sequence[str]
    place: str
    places: Sequence[str]
    created: str


def write_collection(raw: Path, rng: np.random.Generator, scale: int, collection: Collection) -> None:
    """Write the labelled sheets with their metadata, and the original test part, which preparation does not read."""
    # One sheet stays in train, the last of two to four becomes test, and five and more are split at random.
    counts = [1, 1, 2, 3, 4, 5, 6, 9, *rng.integers(2, 12, 4).tolist(), *rng.integers(1, 12, 12 * (scale - 1)).tolist()]
    numbers = category_ids(rng, range(collection.species), len(counts), lowest=(0, 7))
    rng.shuffle(counts)
    colours = rng.integers(0, 256, (len(counts), 3))
    species_of_sheet = np.repeat(np.arange(len(counts)), counts)
    rng.shuffle(species_of_sheet)
    sheets = np.sort(rng.choice(np.arange(10, collection.sheets), len(species_of_sheet), replace=False))
    rng.shuffle(sheets)
    folder = raw / collection.folder
    images, annotations = [], []
    for position, (sheet, species) in enumerate(zip(sheets.tolist(), species_of_sheet.tolist(), strict=True)):
        name = f"images/{species_folder(numbers[species])}/{sheet}.jpg"
        width, height = write_sheet(folder / "train" / name, rng, colours[species])
        images.append({"file_name": name, "height": height, "id": sheet, "license": 1, "width": width})
        annotations.append(
            {
                "category_id": numbers[species],
                "id": position,
                "image_id": sheet,
                f"{collection.place}_id": int(rng.integers(0, 4)),
            }
        )
    metadata = {
        "annotations": annotations,
        "categories": [
            {
                "family": FAMILIES[species % 3],
                collection.rank: collection.taxa[species % 3],
                "id": number,
                "name": f'{collection.taxa[species % 3]} species{species} "L." (Née), var.\\b',
            }
            for species, number in enumerate(numbers)
        ],
        "images": images,
        "info": {
            "contributor": "New York Botanical Garden",
            "date_created": collection.created,
            "description": "Herbarium twin",
            "url": "https://www.kaggle.com",
            "version": "1.0",
            "year": int(collection.created[:4]),
        },
        "licenses": [
            {
                "id": 1,
                "name": "Attribution-NonCommercial",
                "url": "http://creativecommons.org/licenses/by-nc/4.0/",
            }
        ],
        f"{collection.place}s": [{"id": number, "name": name} for number, name in enumerate(collection.places)],
    }
    text = json.dumps(metadata, ensure_ascii=False)
    (folder / "train/metadata.json").write_bytes(text.encode(collection.encoding))
    names = write_original_test(raw, rng, f"{collection.folder}test/images/000/{{}}.jpg".format, predicted=0)
    test = {
        "images": [
            {"file_name": f"images/000/{name}", "height": 8, "id": str(number), "license": 1, "width": 8}
            for number, name in enumerate(names)
        ],
        "info": metadata["info"],
        "licenses": metadata["licenses"],
    }
    (folder / "test/metadata.json").write_text(json.dumps(test), encoding="utf-8")


def category_ids(rng: np.random.Generator, among: range, n: int, lowest: tuple[int, int]) -> list[int]:
    """Random ids of species in ascending order; the first two are small, for folder names that begin with zeros."""
    drawn: list[int] = np.sort(rng.choice(np.array(among), n, replace=False)).tolist()
    return [*lowest, *drawn[2:]]


def species_folder(category_id: int) -> str:
    """The two folders, one inside the other, in which the sheets of a species are."""
    return f"{category_id // 100:03d}/{category_id % 100:02d}"


def write_sheet(path: Path, rng: np.random.Generator, colour: NDArray[np.int64]) -> tuple[int, int]:
    """Write a sheet of random size in the colour of its species and return its width and height."""
    width, height = int(rng.integers(6, 13)), int(rng.integers(8, 17))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(jpeg(tinted(rng, colour, height, width)))
    return width, height


def write_original_test(raw: Path, rng: np.random.Generator, name: Callable[[int], str], predicted: int) -> list[str]:
    """Write three sheets of Kaggle's own test part with their sample submission, and return the file names."""
    paths = [raw / name(number) for number in range(3)]
    paths[0].parent.mkdir(parents=True)
    for path in paths:
        path.write_bytes(jpeg(rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)))
    sample = pd.DataFrame({"Id": range(3), "Predicted": predicted})
    sample.to_csv(raw / "sample_submission.csv", index=False)
    return [path.name for path in paths]


def _guess(case: Case) -> Any:
    """A third exchanged for other species, the first for one that does not exist."""
    replaced = case.rng.random(case.n) < 0.35
    replaced[:2] = True
    guess = case.truth.copy()
    guess[replaced] = case.rng.choice(case.truth.to_numpy(), int(replaced.sum()))
    guess.iloc[0] = 99999
    return guess


submissions = Submissions(
    guess=_guess,
    usual=Usual(unknown=10**6, twice="first_id", wrong_column="category_id", wrong_id_column="id", extra={"note": "x"}),
    cells={
        "unseen_class": Cell(123456, of="perfect"),
        "text_id": Cell("x", column="Id", of="perfect"),
        **at(1, nan=None, text="Poa", two_labels="1 2"),
    },
    constants={"all_wrong": 99999},
    # All accepted: 12.9 is cut down to 12.
    each={"float": lambda x: x + 0.0, "fraction": lambda x: x + 0.9, "negative": lambda x: -x},
    variants=["float_id", "one_class"],
    special=lambda case: {"inf": [np.inf, *case.guess[1:]]},
)
