"""Twin of hubmap-kidney-segmentation: small pictures of tissue with round, darker glomeruli."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL import Image

from mlebench.twins.kit.masks import decode_columns, encode_columns
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Text, Usual

# The number of labelled images is fixed, and with it the split: those at positions 1, 6 and 8 become the test set.
LABELLED = [
    "2f6ecfcdf", "8242609fa", "aaa6a05cc", "cb2d976f4", "b9a3865fc", "b2dc8411c", "0486052bb", "e79de561c",
    "095bf7a1f", "54f2eec69", "4ef6695ce", "26dc41664", "012345678", "afa5e8098", "1e2425f28",
]  # fmt: skip
UNLABELLED = ["2ec3f1bb9", "3589adb90", "57512b7f1", "aa05346ff", "d488c759a"]
WITHOUT_CODE = "012345678"  # a training image whose code is missing
BLANK_CODE = "095bf7a1f"  # a test image without glomeruli, whose code is a blank and so no missing value
TISSUE, GLOMERULUS = [225, 200, 225], [150, 60, 140]  # red, green, blue
PURPLE = -3140401


@dataclass(frozen=True)
class _Circle:
    x: float
    y: float
    radius: float

    def covers(self, width: int, height: int) -> NDArray[np.bool_]:
        """The pixels of the circle in a picture of this size."""
        rows, columns = np.mgrid[:height, :width]
        inside: NDArray[np.bool_] = (columns - self.x) ** 2 + (rows - self.y) ** 2 <= self.radius**2
        return inside

    def outline(self) -> list[list[float]]:
        """A closed hexagon with its corners on the circle."""
        angles = np.linspace(0, 2 * np.pi, 7)
        return [[float(self.x + self.radius * np.cos(a)), float(self.y + self.radius * np.sin(a))] for a in angles]


def make(raw: Path, seed: int, scale: int) -> None:
    """Write 15 labelled images and 5 others; since preparation needs exactly 15, `scale` enlarges the images."""
    rng = np.random.default_rng(seed)
    codes, information = [], []
    for number, image in enumerate(LABELLED + UNLABELLED):
        labelled = number < len(LABELLED)
        folder = raw / ("train" if labelled else "test")
        folder.mkdir(exist_ok=True)
        width, height = int(rng.integers(20, 41)) * scale, int(rng.integers(16, 33)) * scale
        circles = [
            _Circle(rng.uniform(0, width), rng.uniform(0, height), rng.uniform(2, 5) * scale)
            for _ in range(int(rng.integers(2, 5)))
        ]
        mask = np.logical_or.reduce([circle.covers(width, height) for circle in circles])
        mask[0, 0] = mask[-1, -1] = True  # the runs begin at the first pixel and end at the last one
        if image == BLANK_CODE:
            mask[:] = False
        code = {WITHOUT_CODE: "", BLANK_CODE: " "}.get(image, encode_columns(mask))
        pixels = np.where(mask[..., None], GLOMERULUS, TISSUE) + rng.integers(-20, 21, (height, width, 3))
        picture = Image.fromarray(np.clip(pixels, 0, 255).astype(np.uint8))
        picture.save(folder / f"{image}.tiff", compression="tiff_lzw")
        if labelled:
            glomeruli = [_feature("glomerulus", each.outline(), isLocked=True, measurements=[]) for each in circles]
            (folder / f"{image}.json").write_text(json.dumps(glomeruli))
            codes.append((image, code))
        corner = [[0, 0], [width, 0], [width, height], [0, 0]]
        regions = [_feature("Cortex", corner, isLocked=False)]
        (folder / f"{image}-anatomical-structure.json").write_text(json.dumps(regions))
        information.append(_information(rng, number, image, width, height))
    pd.DataFrame(codes, columns=["id", "encoding"]).to_csv(raw / "train.csv", index=False)
    rows = pd.DataFrame(information).sample(frac=1, random_state=seed)
    rows.to_csv(raw / "HuBMAP-20-dataset_information.csv", index=False)
    sample = pd.DataFrame({"id": UNLABELLED, "predicted": ""})
    for name in ("sample_submission.csv", "test/sample_submission.csv"):
        sample.to_csv(raw / name, index=False)


def _feature(name: str, corners: list[Any], **properties: Any) -> dict[str, Any]:
    """A polygon as GeoJSON, with the extras of the annotation tool."""
    return {
        "type": "Feature",
        "id": "PathAnnotationObject",
        "geometry": {"type": "Polygon", "coordinates": [corners]},
        "properties": {"classification": {"name": name, "colorRGB": PURPLE}, **properties},
    }


def _information(rng: np.random.Generator, number: int, image: str, width: int, height: int) -> dict[str, Any]:
    """A row about an image and its patient; two images each are of one patient."""
    return {
        "image_file": f"{image}.tiff",
        "width_pixels": width,
        "height_pixels": height,
        "anatomical_structures_segmention_file": f"{image}-anatomical-structure.json",
        "glomerulus_segmentation_file": f"{image}.json",
        "patient_number": 63921 + (number // 2) * 117,
        "race": rng.choice(["White", "Black or African American"]),
        "ethnicity": rng.choice(np.array(["Not Hispanic or Latino", None], dtype=object)),
        "sex": rng.choice(["Male", "Female"]),
        "age": int(rng.integers(21, 80)),
        "weight_kilograms": round(float(rng.uniform(50, 130)), 1),
        "height_centimeters": round(float(rng.uniform(150, 195)), 1) if number % 6 else None,
        "bmi_kg/m^2": round(float(rng.uniform(18, 40)), 1),
        "laterality": rng.choice(["Left", "Right"]),
        # One gap in a row that is dropped and one in a row that is kept: both columns are written as floats.
        "percent_cortex": int(rng.integers(40, 90)) if number != 16 else None,
        "percent_medulla": int(rng.integers(10, 60)) if number != 4 else None,
    }


def _masks(case: Case) -> list[NDArray[np.bool_]]:
    codes, heights, widths = case.full["encoding"], case.full["height_pixels"], case.full["width_pixels"]
    return [decode_columns(*row) for row in zip(codes, heights.tolist(), widths.tolist(), strict=True)]


def _guess(case: Case) -> list[str]:
    """Masks moved by one row and two columns, with holes; the empty one is right."""
    return [
        encode_columns(np.roll(mask, (1, 2), (0, 1)) & (case.rng.random(mask.shape) < 0.95)) if mask.any() else code
        for code, mask in zip(case.truth, _masks(case), strict=True)
    ]


def _marked(code: str, otherwise: str = "") -> Callable[[str], str]:
    """Another code for each image with glomeruli, made of its own where that is {}, and one for those without."""
    return lambda own: code.format(own) if own.strip() else otherwise


# Runs past the end are cut off, runs behind it have no effect; with three numbers, both runs get the one length; one
# number is an empty mask.
CODES = {
    "past_end": "1 1000000", "start_past_end": "{} 1000000 5", "adjacent": "1 3 4 2", "odd_3": "1 3 10",
    "odd_5": "1 3 10 2 20", "zero_start": "0 3", "zero_length": "1 0", "negative_length": "5 -2",
    "unsorted": "10 2 1 3", "overlap": "1 5 3 4", "same_start": "1 2 1 2", "float_numbers": "1.0 3.0",
    "text": "abc def",
}  # fmt: skip

submissions = Submissions(
    read={"dtype": {"id": str, "encoding": str}, "keep_default_na": False},
    perfect=lambda case: case.full.rename(columns={"encoding": "predicted"})[["id", "predicted"]],
    guess=_guess,
    usual=Usual(twice="first_id", wrong_column="encoding", extra={"width_pixels": 1}),
    each={
        **{name: _marked(code) for name, code in CODES.items()},
        "false_positive": _marked("{}", "1 1"),
        "odd_1": _marked("7", "1 1"),
        "single_numbers": _marked("7", "7"),  # the column is not text
        "whitespace": lambda code: f"  {code.replace(' ', '  ')} " if code.strip() else "",
    },
    special=lambda case: {
        "gold": Text((case.prepared / "private/gold_submission.csv").read_bytes().decode()),
        "shuffled": case.noisy.iloc[::-1],
        "full": [f"1 {mask.size}" for mask in _masks(case)],
        "transposed": [encode_columns(mask.T) for mask in _masks(case)],
        "wrong_id_column": case.answers.rename(columns={"predicted": "pixels", "id": "img"}),  # as in the original text
        "nan": Cell(None, row=int(np.argmax([mask.any() for mask in _masks(case)]))),
    },
)
