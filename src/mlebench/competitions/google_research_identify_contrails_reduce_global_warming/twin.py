"""Twin of google-research-identify-contrails-reduce-global-warming: tiny scenes with cold, slanting lines."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.masks import decode_columns, encode_columns
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

# Real scenes have 256 x 256 pixels at 8 moments; these are not square, so that the order of pixels shows.
HEIGHT, WIDTH, MOMENTS = 10, 14, 3
PIXELS = HEIGHT * WIDTH
LABELLED_MOMENT = 1
BANDS = range(8, 17)
ID, CODE = "record_id", "encoded_pixels"
# A letter outside of ASCII, which preparation writes as an escape.
PROJECTION = 'PROJCRS["unknown",BASEGEOGCRS["café",DATUM["unknown",ELLIPSOID["GRS80",6378137,298.257222096042]]]]'


def make(raw: Path, seed: int, scale: int) -> None:
    """Write labelled scenes for training and validation, and copies of two of them that stand for Kaggle's test."""
    rng = np.random.default_rng(seed)
    train = [_metadata(rng, number) for number in range(34 * scale)]
    validation = [_metadata(rng, number) for number in range(9 * scale)]
    for number, entry in enumerate(train):
        mask = _scene(rng, raw / "train" / entry[ID], empty=number % 5 == 1)
        individual = np.repeat(mask[..., None], int(rng.integers(3, 6)), axis=3)
        individual[..., 0] = 0  # the first labeller sees nothing
        np.save(raw / "train" / entry[ID] / "human_individual_masks.npy", individual)
    for entry in validation:
        _scene(rng, raw / "validation" / entry[ID], empty=False)
    unused = [entry[ID] for entry in validation[:2]]
    for record in unused:
        (raw / "test" / record).mkdir(parents=True)
        for band in BANDS:
            shutil.copy(raw / "validation" / record / f"band_{band:02}.npy", raw / "test" / record)
    # Preparation rewrites this file: neither its separators nor this spelling of a number must survive.
    text = json.dumps(train, separators=(",", ":"), ensure_ascii=False).replace("-1.25e-07", "-1.25E-7")
    (raw / "train_metadata.json").write_text(text, encoding="utf-8")
    text = json.dumps(validation, indent=1, ensure_ascii=False)
    (raw / "validation_metadata.json").write_text(text, encoding="utf-8")
    sample = pd.DataFrame({ID: unused, CODE: ["1 1 5 1", "-"]})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def _metadata(rng: np.random.Generator, number: int) -> dict[str, Any]:
    smallest = 10**16 if number % 4 == 0 else 10**18  # ids have 17 to 19 digits
    return {
        ID: str(int(rng.integers(smallest, 9 * 10**18))),
        "row_min": float(rng.normal() * 1e6),
        "row_size": 2001.8,
        "col_min": -1.25e-07 if number == 2 else float(rng.normal()),
        "col_size": -2001,
        "timestamp": 1.5e9 + number,
        "projection_wkt": PROJECTION,
    }


def _scene(rng: np.random.Generator, folder: Path, *, empty: bool) -> NDArray[np.int32]:
    """Write the bands and the mask of a record, and return the mask."""
    folder.mkdir(parents=True)
    mask = np.zeros((HEIGHT, WIDTH, 1), np.int32)
    for _ in range(0 if empty else int(rng.integers(1, 3))):
        _draw_contrail(rng, mask)
    temperature = np.round(rng.uniform(250, 290))
    for band in BANDS:
        kelvin = np.full((HEIGHT, WIDTH, MOMENTS), temperature + band, np.float32)
        kelvin[..., LABELLED_MOMENT] -= 8 * mask[..., 0]
        kelvin[rng.random(kelvin.shape) < 0.03] += np.float32(0.37)
        np.save(folder / f"band_{band:02}.npy", kelvin)
    np.save(folder / "human_pixel_masks.npy", mask)
    return mask


def _draw_contrail(rng: np.random.Generator, mask: NDArray[np.int32]) -> None:
    """A line from left to right, level or slanting, one or two pixels thick."""
    top, left, slope = int(rng.integers(1, HEIGHT - 2)), int(rng.integers(0, 4)), int(rng.choice([-1, 0, 1]))
    for step in range(int(rng.integers(5, 10))):
        row = min(max(top + slope * step // 2, 0), HEIGHT - 1)
        column = min(left + step, WIDTH - 1)
        mask[row, column] = 1
        if rng.random() < 0.5 and row + 1 < HEIGHT:
            mask[row + 1, column] = 1


def _decoded(code: str) -> NDArray[np.bool_]:
    """A mask as one line of pixels, down the columns."""
    return decode_columns("" if code == "-" else code, PIXELS, 1).ravel()


def _encoded(mask: NDArray[np.bool_]) -> str:
    return encode_columns(mask) or "-"


# A run that ends past the last pixel is cut off, one that starts there has no effect; with three numbers, both runs get
# the one length; one number is an empty mask.
CODES = {
    "blank_mask": "   ", "dash_with_blank": " - ", "adjacent_runs": "1 3 4 2", "overlap": "1 3 3 2",
    "unsorted": "10 2 1 3", "zero_length": "5 0", "zero_start": "0 5", "negative": "-4 5", "words": "a b",
    "beyond_end": f"{PIXELS - 2} 50", "start_beyond_end": f"{PIXELS + 10} 5", "odd_one": "7", "odd_three": "1 3 10",
    "odd_five": "1 3 10 5 20", "not_integer": "1.0 3",
}  # fmt: skip


def _guess(case: Case) -> list[str]:
    """A quarter of the pixels lost, 3 in 100 false."""
    chance, masks = case.rng.random, map(_decoded, case.truth)
    return [_encoded((mask & (chance(PIXELS) > 0.25)) | (chance(PIXELS) < 0.03)) for mask in masks]


submissions = Submissions(
    targets=[CODE],
    read={"dtype": str},
    guess=_guess,
    usual=Usual(
        cells="perfect", twice="last_row", wrong_column="rle", wrong_id_column="id", extra={"height": 1, "width": 1}
    ),
    cells={**CODES, "unknown_number": Cell("17", column=ID)},
    constants={"all_dash": "-", "all_pixels": f"1 {PIXELS}", "numeric_column": 7},
    each={
        "row_major": lambda code: _encoded(_decoded(code).reshape(WIDTH, HEIGHT).T.ravel()),
        "double_blanks": lambda code: code if code == "-" else code.replace(" ", "  ") + " ",
    },
)
