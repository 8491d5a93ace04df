"""Twin of iwildcam-2020-fgvc7: pictures as bright as their place, with a patch in the colour of the animal."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Submissions, Usual

NAMES = {
    0: "empty",
    2: "tayassu pecari",
    8: "dasyprocta punctata",
    90: "cuniculus paca",
    371: "start",
    675: 'homo – sapiens "é"',
}
SHARES = [0.4, 0.2, 0.15, 0.1, 0.1, 0.05]
BOX = {"category": "1", "bbox": [0.2, 0.25, 0.35, 0.4], "conf": 0.987}
INFO = {
    "year": 2020,
    "version": "1.0",
    "description": "twin é",
    "contributor": "WCS",
    "date_created": "2020-03-09",
}


def _uuid(rng: np.random.Generator) -> str:
    return str(uuid.UUID(bytes=rng.integers(0, 256, 16).astype(np.uint8).tobytes()))


def _write_json(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), encoding="utf-8")


def make(raw: Path, seed: int, scale: int) -> None:
    """Write annotated pictures, what a detector found in them, and Kaggle's own test set, of which little is used."""
    rng = np.random.default_rng(seed)
    count = 18 * scale
    places = np.sort(rng.choice(np.arange(1, max(570, count + 1)), count, replace=False))
    colours = {number: rng.integers(40, 216, 3) for number in NAMES}
    sequences = []
    for place in places.tolist():
        for _ in range(int(rng.integers(1, 5))):
            kind = int(rng.choice(list(NAMES), p=SHARES))
            sequences.append((place, kind, int(rng.integers(1, 3))))
    rng.shuffle(sequences)
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    detections: list[dict[str, Any]] = []
    (raw / "train").mkdir()
    for place, kind, frames in sequences:
        sequence = _uuid(rng)
        for frame in range(frames):
            image = _uuid(rng)
            width, height = int(rng.integers(10, 15)), int(rng.integers(8, 11))
            pixels = rng.integers(0, 60, (height, width, 3)) + place % 120
            if kind:
                pixels[2:6, 2:7] = colours[kind]
            (raw / f"train/{image}.jpg").write_bytes(jpeg(np.clip(pixels, 0, 255).astype(np.uint8)))
            day, minute = int(rng.integers(1, 29)), int(rng.integers(0, 60))
            date = f"2013-10-{day:02d} 05:{minute:02d}:00.000"
            images.append(_image(image, sequence, frames, frame, place, date, width, height))
            animals = int(kind > 0) + int(rng.integers(0, 2))
            annotations.append({"count": animals, "image_id": image, "id": _uuid(rng), "category_id": kind})
            boxes, confidence = ([BOX], BOX["conf"]) if kind else ([], 0.0)
            detections.append({"detections": boxes, "id": image, "max_detection_conf": confidence})
    annotations = [annotations[position] for position in rng.permutation(len(annotations))]
    # Gaps, which a table of the records shows as NaN and None.
    del annotations[3]["count"]
    images[5]["datetime"] = None
    counted = [{"id": number, "name": name, "count": 5 + number if number else 40} for number, name in NAMES.items()]
    train = {"annotations": annotations, "images": images, "categories": counted, "info": INFO}
    _write_json(raw / "iwildcam2020_train_annotations.json", train)
    found = {
        "images": detections,
        "detection_categories": {"1": "animal", "2": "person"},
        "info": {"detector": "twin"},
    }
    _write_json(raw / "iwildcam2020_megadetector_results.json", found)
    _write_original_test(raw, rng)


def _image(
    image: str, sequence: str, frames: int, frame: int, place: int, date: str, width: int, height: int
) -> dict[str, Any]:
    return {
        "seq_num_frames": frames,
        "location": place,
        "datetime": date,
        "id": image,
        "frame_num": frame,
        "seq_id": sequence,
        "width": width,
        "height": height,
        "file_name": f"{image}.jpg",
    }


def _write_original_test(raw: Path, rng: np.random.Generator) -> None:
    """Three pictures, and the list of categories without counts, which preparation takes from here."""
    (raw / "test").mkdir()
    images = []
    for _ in range(3):
        image = _uuid(rng)
        pixels = rng.integers(0, 256, (8, 10, 3), dtype=np.uint8)
        (raw / f"test/{image}.jpg").write_bytes(jpeg(pixels))
        images.append(_image(image, _uuid(rng), 1, 0, 999, "2014-01-01 05:00:00.000", 10, 8))
    categories = [{"id": number, "name": name} for number, name in NAMES.items()]
    test = {"images": images, "categories": categories, "info": {**INFO, "version": "test"}}
    _write_json(raw / "iwildcam2020_test_information.json", test)
    sample = pd.DataFrame({"Id": [image["id"] for image in images], "Category": 0})
    sample.to_csv(raw / "sample_submission.csv", index=False)


submissions = Submissions(
    guess=lambda case: case.shifted(0.35, 1, 5),
    usual=Usual(twice="first_id", wrong_column="category_id", wrong_id_column="id", extra={"note": 1}),
    cells={"text": "paca"},  # one word turns the whole column into text: accepted, all wrong
    constants={"all_empty": 0, "all_wrong": 9999},
    each={"float": lambda number: number + 0.0, "bool": lambda number: number > 0},
    special=lambda case: {
        "fraction": case.guess + 0.5,  # refused
        "one_fraction": [0.5, *case.guess[1:]],  # refused
        "inf": [np.inf, *case.guess[1:]],  # refused
        "description_header": case.answers.rename(columns={"Category": "Predicted"}),  # of the original task text
        "numeric_id": case.answers.assign(Id=range(case.n)),
    },
)
