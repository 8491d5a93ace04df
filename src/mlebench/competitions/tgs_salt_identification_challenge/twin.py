"""Twin of tgs-salt-identification-challenge: seismic stripes with salt bodies of seven kinds."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.images import png
from mlebench.twins.kit.masks import decode_columns, encode_columns
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

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


def _guess(case: Case) -> Iterator[str]:
    """Masks shifted sideways by up to 13 pixels, some with false pixels."""
    for code in case.truth:
        mask = np.roll(decode_columns(code, SIDE, SIDE), int(case.rng.integers(0, 14)), axis=1)
        if case.rng.random() < 0.15:
            mask[:3, :3] = True
        yield encode_columns(mask)


def _special(case: Case) -> dict[str, Any]:
    pair, none, some = (int(np.argmax(found)) for found in (case.truth == PAIR, case.truth == "", case.truth != ""))
    return {
        "past_end": Cell("1 2 10200 500", pair),  # cut off
        "start_past_end": Cell("20000 5", none),  # an empty mask
        "odd_single": Cell("7", none),  # an empty mask
        "odd_three": Cell("1 2 10200", pair),  # both runs get the one length
        "nan": Cell(None, some),  # an empty mask
    }


CODES = {
    "odd_five": "1 2 10 3 20", "adjacent": "1 5 6 5", "unsorted": "10 2 1 3", "overlapping": "1 5 3 4",
    "zero_length": "1 0", "zero_start": "0 4", "negative": "5 -2", "letters": "a b", "floats": "1.0 3.0",
}  # fmt: skip

submissions = Submissions(
    read={"keep_default_na": False},
    guess=lambda case: list(_guess(case)),
    usual=Usual(cells="perfect", unknown="zzzzzzzzzz", wrong_column="mask", extra={"z": 1}, extra_of="perfect"),
    cells=CODES,
    constants={"all_full": f"1 {SIDE * SIDE}", "numeric_column": 1},
    each={
        "inverted": lambda code: encode_columns(~decode_columns(code, SIDE, SIDE)),
        "every_second_column": lambda code: encode_columns(decode_columns(code, SIDE, SIDE) & (COLUMNS % 2 == 0)),
        "blank_string": lambda code: code or "  ",
    },
    variants=["all_empty", "swapped_columns"],
    special=_special,
)
