"""Twin of google-research-identify-contrails-reduce-global-warming: tiny scenes with cold, slanting lines."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.masks import decode_columns, encode_columns

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Masks of all sorts, odd and broken run lengths, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv", dtype=str)[[ID, CODE]]
    masks = [_decoded(code) for code in answers[CODE]]

    def cells(codes: object) -> pd.DataFrame:
        return answers.assign(**{CODE: codes})

    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission, which has height and width as well")
    noisy = cells([_encoded((mask & (rng.random(PIXELS) > 0.25)) | (rng.random(PIXELS) < 0.03)) for mask in masks])
    yield Example("noisy", noisy, "a quarter of the pixels lost, 3 in 100 false")
    yield examples.shuffled(noisy, seed)
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    repeated = pd.concat([answers.iloc[1:], answers.tail(1)])
    yield Example("duplicate_id", repeated, "right number of rows, one id twice and one absent")
    yield examples.unknown_id(answers, ID, "x")
    number = examples.with_first(answers, ID, "17")
    yield Example("unknown_number", number, "a number that is not an id of the test set")
    yield examples.renamed(answers, CODE, "rle")
    yield examples.renamed(answers, ID, "id", "wrong_id_column")
    yield Example("nan", examples.with_cell(answers, CODE, None), "an empty cell where a dash is expected")
    yield examples.empty()
    yield Example("all_dash", cells("-"), "no contrail anywhere")
    yield Example("all_pixels", cells(f"1 {PIXELS}"), "all pixels of all records")
    along_rows = [_encoded(mask.reshape(WIDTH, HEIGHT).T.ravel()) for mask in masks]
    yield Example("row_major", cells(along_rows), "pixels numbered along the rows, not down the columns")
    yield from _odd_codes(answers)
    yield Example("numeric_column", cells(7), "bare numbers: the column is not text")
    spaced = [code if code == "-" else code.replace(" ", "  ") + " " for code in answers[CODE]]
    yield Example("double_blanks", cells(spaced), "several blanks between numbers, and one at the end")
    yield Example(
        "extra_column", noisy.assign(height=1, width=1), "as noisy, with a wrong height and width: passed over"
    )


def _odd_codes(answers: pd.DataFrame) -> Iterator[Example]:
    """The answers with another code in the first row."""

    def put(code: str) -> pd.DataFrame:
        return examples.with_first(answers, CODE, code)

    yield Example("blank_mask", put("   "), "blanks only: an empty mask")
    yield Example("dash_with_blank", put(" - "), "a dash between blanks is no empty mask")
    yield Example("adjacent_runs", put("1 3 4 2"), "touching runs")
    yield Example("overlap", put("1 3 3 2"), "overlapping runs")
    yield Example("unsorted", put("10 2 1 3"), "runs not sorted")
    yield Example("zero_length", put("5 0"), "a run of length 0")
    yield Example("zero_start", put("0 5"), "start 0 (positions are 1-based)")
    yield Example("negative", put("-4 5"), "a negative start")
    yield Example("beyond_end", put(f"{PIXELS - 2} 50"), "a run past the last pixel is cut off")
    yield Example("start_beyond_end", put(f"{PIXELS + 10} 5"), "a run behind the last pixel has no effect")
    yield Example("odd_three", put("1 3 10"), "three numbers: both runs get the one length")
    yield Example("odd_one", put("7"), "a single number is an empty mask")
    yield Example("odd_five", put("1 3 10 5 20"), "five numbers")
    yield Example("not_integer", put("1.0 3"), "a decimal number")
    yield Example("words", put("a b"), "no numbers")
