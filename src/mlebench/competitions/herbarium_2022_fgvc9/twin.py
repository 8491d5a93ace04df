"""Twin of herbarium-2022-fgvc9: sheets numbered within their species, and distances between genera."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np

from mlebench.competitions.families.herbarium_twin import (
    category_ids,
    species_folder,
    submissions,
    write_original_test,
    write_sheet,
)

__all__ = ["make", "submissions"]

GENERA = ["Abies", "Köleria", "Poa"]
INSTITUTIONS = ["ny", "bpbm", "usm", "é"]
DISTANCES = {(0, 1): 123.45678901234567, (0, 2): 1e-7, (1, 2): 400.0}  # numbers that are easily written differently


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled sheets with their metadata, and the original test part, which preparation does not read."""
    rng = np.random.default_rng(seed)
    # Every species has two sheets or more, for the split takes one at least for each part.
    counts = [2, 3, 4, 5, 6, 7, 12, *rng.integers(2, 9, 4).tolist(), *rng.integers(2, 12, 11 * (scale - 1)).tolist()]
    numbers = category_ids(rng, range(10, 15505), len(counts), lowest=(3, 42))
    rng.shuffle(counts)
    colours = rng.integers(0, 256, (len(counts), 3))
    species_of_sheet = np.repeat(np.arange(len(counts)), counts)
    if seed % 2 == 0:
        rng.shuffle(species_of_sheet)  # odd seeds are sorted by species, like the real file
    images, annotations = [], []
    last: Counter[int] = Counter()
    for species in species_of_sheet.tolist():
        last[species] += int(rng.integers(1, 3))  # numbers within a species have gaps
        number = numbers[species]
        sheet = f"{number:05d}__{last[species]:03d}"
        name = f"{species_folder(number)}/{sheet}.jpg"
        write_sheet(raw / "train_images" / name, rng, colours[species])
        images.append({"image_id": sheet, "file_name": name, "license": int(rng.integers(0, 3))})
        annotations.append(
            {
                "genus_id": species % 3,
                "institution_id": int(rng.integers(0, 4)),
                "category_id": number,
                "image_id": sheet,
            }
        )
    metadata = {
        "annotations": annotations,
        "images": images,
        "categories": [
            {
                "category_id": number,
                "scientificName": f"{GENERA[species % 3]} sp{species}",
                "family": "Pinaceæ",
                "genus": GENERA[species % 3],
                "species": f"sp{species}",
                "authors": '(Née) "L.", Ж \\ 草',
            }
            for species, number in enumerate(numbers)
        ],
        "genera": [{"genus_id": number, "genus": name} for number, name in enumerate(GENERA)],
        "institutions": [
            {"institution_id": number, "collectionCode": code} for number, code in enumerate(INSTITUTIONS)
        ],
        "distances": [
            {"genus_id_x": one, "genus_id_y": other, "distance": distance}
            for (one, other), distance in DISTANCES.items()
        ],
        "license": [{"id": 0, "name": "CC0", "url": "https://creativecommons.org"}],
    }
    # Even seeds have the letters themselves in the file, odd ones their escapes.
    text = json.dumps(metadata, ensure_ascii=seed % 2 == 1)
    (raw / "train_metadata.json").write_bytes(text.encode("utf-8"))
    names = write_original_test(raw, rng, "test_images/000/test-{:06d}.jpg".format, predicted=42)
    test = [{"image_id": str(number), "file_name": f"000/{name}", "license": 0} for number, name in enumerate(names)]
    (raw / "test_metadata.json").write_text(json.dumps(test), encoding="utf-8")
