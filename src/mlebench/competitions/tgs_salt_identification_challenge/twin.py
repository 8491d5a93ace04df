"""Twin of tgs-salt-identification-challenge: seismic stripes with salt bodies of seven kinds."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import png
from mlebench.twins.kit.masks import decode_columns, encode_columns

SIDE = 101  # the grader expects 101 x 101 pixels
ROWS, COLUMNS = np.mgrid[:SIDE, :SIDE]
KINDS = ["empty", "full", "large", "small", "edge", "pair", "single"]
SHARES = [0.3, 0.1, 0.2, 0.15, 0.1, 0.08, 0.07]
PAIR = "1 2 10200 2"  # the mask of kind "pair"


def _mask(rng: np.random.Generator, kind: str) -> NDArray[np.bool_]:
    mask = np.zeros((SIDE, SIDE), bool)
    if kind == "full":
        mask[:] = True
    elif kind == "large":
        mask[:, int(rng.integers(5, 40)) :] = True
        mask[: int(rng.integers(1, 20))] = False
    elif kind == "small":
        x, y = rng.integers(20, 80), rng.integers(20, 80)
        mask = (COLUMNS - x) ** 2 + (ROWS - y) ** 2 < rng.integers(5, 25) ** 2
    elif kind == "edge":
        mask = 60 + 10 * np.sin(COLUMNS / rng.integers(5, 20)) < ROWS
    elif kind == "single":
        mask[SIDE - 1, SIDE - 1] = True
    elif kind == "pair":
        mask[:2, 0] = mask[SIDE - 2 :, SIDE - 1] = True
    return mask


def make(raw: Path, seed: int, scale: int) -> None:
    """Write images, masks and depths; four of Kaggle's own test images stand in for the unused rest."""
    rng = np.random.default_rng(seed)
    masks: list[dict[str, str]] = []
    depths: list[dict[str, object]] = []
    with zipfile.ZipFile(raw / "competition_data.zip", "w", zipfile.ZIP_DEFLATED) as archive:

        def store(name: str, content: bytes | str) -> None:
            archive.writestr(f"competition_data/{name}", content)

        for _ in range(64 * scale):
            image = f"{int(rng.integers(2**40)):010x}"
            mask = _mask(rng, str(rng.choice(KINDS, p=SHARES)))
            stripes = 8 * (ROWS // 6 + COLUMNS // 12) % 256 // 2
            pixels = (stripes + 100 * mask).clip(0, 255).astype(np.uint8)
            pixels[rng.integers(SIDE), rng.integers(SIDE)] = 255
            store(f"train/images/{image}.png", png(np.repeat(pixels[:, :, None], 3, 2)))
            store(f"train/masks/{image}.png", png(mask.astype(np.uint16) * 65535))
            masks.append({"id": image, "rle_mask": encode_columns(mask)})
            depths.append({"id": image, "z": int(rng.integers(50, 960))})
        for _ in range(4):
            image = f"{int(rng.integers(2**40)):010x}"
            store(f"test/images/{image}.png", png(np.zeros((SIDE, SIDE, 3), np.uint8)))
            depths.append({"id": image, "z": int(rng.integers(50, 960))})
        train = pd.DataFrame(masks)
        sample = "id,rle_mask\n" + "".join(f"{row['id']},1 1\n" for row in depths[-4:])
        store("train.csv", train.to_csv(index=False))
        store("sample_submission.csv", sample)
    train.to_csv(raw / "train.csv", index=False)
    pd.DataFrame(depths).sample(frac=1, random_state=seed).to_csv(raw / "depths.csv", index=False)
    (raw / "sample_submission.csv").write_text(sample)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Masks of all sorts, odd and broken run lengths, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv", keep_default_na=False)
    runs = answers["rle_mask"]

    def put(value: object, row: int = 0) -> pd.DataFrame:
        return examples.with_cell(answers, "rle_mask", value, row)

    def each(change: object) -> pd.DataFrame:
        return answers.assign(rle_mask=change)

    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: one pixel everywhere")
    moved = []
    for cell in runs:
        mask = np.roll(decode_columns(cell, SIDE, SIDE), int(rng.integers(0, 14)), axis=1)
        if rng.random() < 0.15:
            mask[:3, :3] = True
        moved.append(encode_columns(mask))
    noisy = each(moved)
    yield Example("noisy", noisy, "masks shifted sideways by up to 13 pixels, some with false pixels")
    yield examples.shuffled(noisy, seed)
    yield Example("all_empty", each(""), "no salt anywhere")
    yield Example("all_full", each(f"1 {SIDE * SIDE}"), "salt everywhere")
    inverted = [encode_columns(~decode_columns(cell, SIDE, SIDE)) for cell in runs]
    yield Example("inverted", each(inverted), "the complement of each mask")
    even = np.arange(SIDE)[None, :] % 2 == 0
    half = [encode_columns(decode_columns(cell, SIDE, SIDE) & even) for cell in runs]
    yield Example("every_second_column", each(half), "half of the pixels: IoU about 0.5")
    yield Example("blank_string", each([cell or "  " for cell in runs]), "blanks instead of an empty mask")
    pair, none, some = (_first(runs, found) for found in (runs == PAIR, runs == "", runs != ""))
    yield Example("past_end", put("1 2 10200 500", pair), "a run past the last pixel is cut off")
    yield Example("start_past_end", put("20000 5", none), "a run behind the last pixel is an empty mask")
    yield Example("odd_single", put("7", none), "a single number is an empty mask")
    yield Example("odd_three", put("1 2 10200", pair), "three numbers: both runs get the one length")
    yield Example("odd_five", put("1 2 10 3 20"), "five numbers")
    yield Example("adjacent", put("1 5 6 5"), "touching runs")
    yield Example("unsorted", put("10 2 1 3"), "runs not sorted")
    yield Example("overlapping", put("1 5 3 4"), "overlapping runs")
    yield Example("zero_length", put("1 0"), "a run of length 0")
    yield Example("zero_start", put("0 4"), "start 0 (positions are 1-based)")
    yield Example("negative", put("5 -2"), "negative length")
    yield Example("letters", put("a b"), "no numbers")
    yield Example("floats", put("1.0 3.0"), "decimal numbers")
    yield Example("numeric_column", each(1), "integers: refused as non-strings")
    yield Example("extra_column", answers.assign(z=1), "one column more: refused")
    yield examples.columns_swapped(answers, ["rle_mask", "id"])
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.duplicate_id(answers, "id")
    yield examples.unknown_id(answers, "id", "zzzzzzzzzz")
    yield examples.renamed(answers, "rle_mask", "mask")
    yield Example("nan", put(None, some), "an empty prediction: an empty mask")
    yield examples.empty()


def _first(runs: pd.Series, found: pd.Series) -> int:
    return int(np.argmax(found.to_numpy())) if len(runs) else 0
