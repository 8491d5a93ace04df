"""What the twins of the herbarium competitions share: pressed plants in the colour of their species."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg, tinted

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Species right, wrong and unheard of, numbers in other spellings, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")
    species = answers["Predicted"]
    yield Example("perfect", answers, "the answers themselves")
    yield Example("sample", examples.table(prepared, "public/sample_submission.csv"), "the sample submission")
    replaced = rng.random(len(answers)) < 0.35
    replaced[:2] = True
    guess = species.copy()
    guess[replaced] = rng.choice(species.to_numpy(), int(replaced.sum()))
    guess.iloc[0] = 99999
    noisy = answers.assign(Predicted=guess)

    def predicted(values: object) -> pd.DataFrame:
        return answers.assign(Predicted=values)

    def second(value: object) -> pd.DataFrame:
        return examples.with_cell(noisy, "Predicted", value, row=1)

    yield Example("noisy", noisy, "a third exchanged for other species, the first for one that does not exist")
    yield examples.shuffled(noisy, seed)
    yield Example("one_class", predicted(species.mode()[0]), "the most frequent species everywhere")
    unseen = examples.with_first(answers, "Predicted", 123456)
    yield Example("unseen_class", unseen, "one species that no answer names: it joins the mean with an F1 of 0")
    yield Example("all_wrong", predicted(99999), "wrong everywhere")
    yield Example("float", predicted(species + 0.0), "species written as 12.0: accepted")
    yield Example("fraction", predicted(species + 0.9), "species written as 12.9: cut down to 12")
    yield Example("negative", predicted(-species), "negative numbers: wrong, but accepted")
    yield Example("float_id", answers.assign(Id=answers["Id"].astype(float)), "ids written as 3.0: accepted")
    yield Example("extra_column", noisy.assign(note="x"), "as noisy, one more column")
    yield from examples.mistaken_ids_and_columns(
        answers, on="Id", target="Predicted", unknown=10**6, new_id="id", new_target="category_id"
    )
    yield Example("text_id", examples.with_first(answers, "Id", "x"), "an id that is not a number")
    yield Example("nan", second(None), "an empty prediction")
    yield Example("text", second("Poa"), "a prediction that is not a number")
    yield Example("two_labels", second("1 2"), "two species in one cell")
    yield Example("inf", examples.with_first(noisy, "Predicted", np.inf), "an infinite prediction")
