"""Twin of vesuvius-challenge-ink-detection: small fragments with rings of ink that brighten the middle slices."""

from __future__ import annotations

import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.images import png
from mlebench.twins.kit.masks import decode_columns, encode_columns
from mlebench.twins.kit.submissions import Case, Submissions, Usual

SIZES = {"1": (30, 24), "2": (40, 26), "3": (28, 37)}  # height and width; `scale` multiplies the height
SLICES = 8  # 65 in the real data


def make(raw: Path, seed: int, scale: int) -> None:
    """Write three labelled fragments; two copies of the first stand for Kaggle's own test set."""
    rng = np.random.default_rng(seed)
    for fragment, (height, width) in SIZES.items():
        _fragment(rng, raw / "train" / fragment, height * scale, width, rings=5 * scale)
    for unused in ("a", "b"):
        shutil.copytree(raw / "train/1/surface_volume", raw / "test" / unused / "surface_volume")
        shutil.copy(raw / "train/1/mask.png", raw / "test" / unused)
    sample = pd.DataFrame({"Id": ["a", "b"], "Predicted": "1 1 5 1"})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def _fragment(rng: np.random.Generator, folder: Path, height: int, width: int, *, rings: int) -> None:
    (folder / "surface_volume").mkdir(parents=True)
    rows, columns = np.mgrid[:height, :width]
    ink = np.zeros((height, width), bool)
    for _ in range(rings):
        y, x, radius = rng.integers(0, height), rng.integers(0, width), rng.integers(2, 6)
        distance = np.hypot(rows - y, columns - x)
        ink |= (distance < radius) & (distance > radius - 2.2)
    ink[0, 0] = ink[-1, -1] = True  # the runs begin at the first pixel and end at the last one
    papyrus = np.hypot((rows - height / 2) / height, (columns - width / 2) / width) < 0.55
    for depth in range(SLICES):
        surface = 6000 * np.exp(-((depth - 4) ** 2) / 4)
        grey = 20000 + surface * (1 + 0.5 * ink) + rng.normal(0, 300, (height, width))
        # Low bytes of 0 keep the archive small.
        coarse = np.where(papyrus, grey.clip(0, 65535), 0) // 256 * 256
        (folder / f"surface_volume/{depth:02d}.tif").write_bytes(_tiff16(coarse.astype(np.uint16)))
    (folder / "mask.png").write_bytes(png((papyrus * 255).astype(np.uint8), optimize=False))
    (folder / "inklabels.png").write_bytes(png(ink, optimize=False))
    infrared = 160 - 90 * ink + rng.normal(0, 5, (height, width))
    (folder / "ir.png").write_bytes(png(infrared.clip(0, 255).astype(np.uint8), optimize=False))
    table = pd.DataFrame({"Id": [folder.name], "Predicted": [_encode_rows(ink)]})
    table.to_csv(folder / "inklabels_rle.csv", index=False)


def _tiff16(pixels: NDArray[np.uint16]) -> bytes:
    """A grey picture of 16 bits per pixel as uncompressed TIFF in one strip, the same under every version of Pillow."""
    height, width = pixels.shape
    data = pixels.astype("<u2").tobytes()
    header = struct.pack("<2sHI", b"II", 42, 8 + len(data))  # the directory comes after the pixels
    shorts = {256: width, 257: height, 258: 16, 259: 1, 262: 1, 277: 1, 278: height}
    longs = {273: len(header), 279: len(data)}
    entries = {tag: struct.pack("<HHIHH", tag, 3, 1, value, 0) for tag, value in shorts.items()}
    entries |= {tag: struct.pack("<HHII", tag, 4, 1, value) for tag, value in longs.items()}
    directory = b"".join(entries[tag] for tag in sorted(entries))
    return header + data + struct.pack("<H", len(entries)) + directory + bytes(4)


def _encode_rows(mask: NDArray[np.bool_]) -> str:
    """The run lengths of a mask read left to right, then top to bottom."""
    return encode_columns(mask.T)


def _ink(case: Case) -> NDArray[np.bool_]:
    return decode_columns(case.truth[0], int(case.full["width"][0]), int(case.full["height"][0])).T


def _guess(case: Case) -> list[str]:
    """Nothing in the left quarter, 8 in 100 pixels turned round."""
    guess = _ink(case).copy()
    guess[:, : guess.shape[1] // 4] = False
    return [_encode_rows(guess ^ (case.rng.random(guess.shape) < 0.08))]


def _special(case: Case) -> dict[str, Any]:
    ink, code = _ink(case), case.guess[0]
    pairs, rows = np.array(code.split()).reshape(-1, 2), np.arange(len(ink))[:, None]
    return {
        "column_order": case.noisy[["Predicted", "Id"]],
        "shuffled": " ".join(pairs[case.rng.permutation(len(pairs))].ravel()),  # runs not sorted
        "transposed": encode_columns(ink),
        "all_ink": f"1 {ink.size}",
        "all_wrong": _encode_rows(~ink),
        "high_precision": _encode_rows(ink & (rows < len(ink) // 2)),
        "high_recall": _encode_rows(ink | (rows < len(ink) // 3)),
        "one_pixel_runs": " ".join(f"{position + 1} 1" for position in np.flatnonzero(ink)),
        "beyond_end": f"{code} {ink.size + 5} 10",  # no effect
        "over_end": f"{ink.size - 3} 100",  # cut off
        "missing_row": case.answers.head(0),
        "kaggle_two_rows": pd.concat([case.noisy, case.noisy.assign(Id="b")]),  # as the original asked for
    }


CODES = {  # with three numbers, both runs get the one length; a blank is an empty mask, which scores 0
    "overlapping": "1 5 3 5", "touching": "1 2 3 2", "same_start": "4 2 4 3", "zero_start": "0 5", "negative": "3 -2",
    "zero_length": "3 0 7 2", "odd_three": "1 3 10", "odd_five": "1 3 10 2 20", "floats": "1.0 3.0",
    "words": "one three", "single_number": "5", "blank": " ",
}  # fmt: skip

submissions = Submissions(
    answers="private/inklabels_rle.csv",
    guess=_guess,
    usual=Usual("noisy", unknown="b", wrong_column="rle", extra={"note": "x"}),
    cells=CODES,
    special=_special,
)
