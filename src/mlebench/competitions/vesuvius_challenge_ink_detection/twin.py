"""Twin of vesuvius-challenge-ink-detection: small fragments with rings of ink that brighten the middle slices."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import png
from mlebench.twins.kit.masks import decode_columns, encode_columns

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Masks of all sorts, odd and broken run lengths, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/inklabels_rle.csv")
    truth, width, height = answers["Predicted"][0], int(answers["width"][0]), int(answers["height"][0])
    ink = decode_columns(truth, width, height).T
    pixels = height * width

    yield Example("perfect", answers[["Id", "Predicted"]], "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: two pixels")
    guess = ink.copy()
    guess[:, : width // 4] = False
    code = _encode_rows(guess ^ (rng.random((height, width)) < 0.08))
    noisy = _table(code)
    yield Example("noisy", noisy, "nothing in the left quarter, 8 in 100 pixels turned round")
    yield Example("column_order", noisy[["Predicted", "Id"]], "as noisy, columns in another order")
    pairs = np.array(code.split()).reshape(-1, 2)
    mixed = pairs[rng.permutation(len(pairs))].ravel()
    yield Example("shuffled", _table(" ".join(mixed)), "as noisy, runs not sorted")
    yield Example("transposed", _table(encode_columns(ink)), "pixels numbered down the columns, not along the rows")
    yield Example("all_ink", _table(f"1 {pixels}"), "ink everywhere")
    yield Example("all_wrong", _table(_encode_rows(~ink)), "ink where there is none, and nowhere else")
    rows = np.arange(height)[:, None]
    yield Example("high_precision", _table(_encode_rows(ink & (rows < height // 2))), "the ink of the upper half only")
    yield Example("high_recall", _table(_encode_rows(ink | (rows < height // 3))), "all ink, and the whole upper third")
    ones = " ".join(f"{position + 1} 1" for position in np.flatnonzero(ink))
    yield Example("one_pixel_runs", _table(ones), "the right mask, each pixel as a run of its own")
    behind = _table(f"{code} {pixels + 5} 10")
    yield Example("beyond_end", behind, "as noisy, one run more behind the last pixel: no effect")
    yield Example("over_end", _table(f"{pixels - 3} 100"), "a run past the last pixel is cut off")
    yield from _odd_codes()
    yield Example("missing_row", "Id,Predicted\n", "a header without rows")
    yield examples.extra_row(noisy)
    both = pd.concat([noisy, _table(code, "b")])
    yield Example("kaggle_two_rows", both, "rows for two fragments, as the original asked for")
    yield examples.unknown_id(noisy, "Id", "b")
    yield examples.renamed(noisy, "Predicted", "rle")
    yield Example("extra_column", noisy.assign(note="x"), "one more column: refused")
    yield examples.empty()


def _table(code: str | None, fragment: str = "a") -> pd.DataFrame:
    return pd.DataFrame({"Id": [fragment], "Predicted": [code]})


def _odd_codes() -> Iterator[Example]:
    yield Example("overlapping", _table("1 5 3 5"), "overlapping runs")
    yield Example("touching", _table("1 2 3 2"), "touching runs")
    yield Example("same_start", _table("4 2 4 3"), "two runs with one start")
    yield Example("zero_start", _table("0 5"), "start 0 (positions are 1-based)")
    yield Example("zero_length", _table("3 0 7 2"), "a run of length 0")
    yield Example("negative", _table("3 -2"), "a negative length")
    yield Example("odd_three", _table("1 3 10"), "three numbers: both runs get the one length")
    yield Example("odd_five", _table("1 3 10 2 20"), "five numbers")
    yield Example("floats", _table("1.0 3.0"), "decimal numbers")
    yield Example("words", _table("one three"), "no numbers")
    yield Example("single_number", _table("5"), "a bare number: the column is not text")
    yield Example("blank", _table(" "), "a blank: an empty mask, which scores 0")
    yield Example("nan", _table(None), "an empty cell")
