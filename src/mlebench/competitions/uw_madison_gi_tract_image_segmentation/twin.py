"""Twin of uw-madison-gi-tract-image-segmentation: short scans with three round organs side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.images import png
from mlebench.twins.kit.masks import decode_columns, encode_columns
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Usual

ORGANS = ["large_bowel", "small_bowel", "stomach"]
SIZES = [(12, 10), (10, 10), (14, 9)]  # width and height, by turns; all slices of a case have one size
DAYS = [1, 6, 3, 5, 2, 4, 7]  # days per case, by turns; those after the fourth become test


def make(raw: Path, seed: int, scale: int) -> None:
    """Write scans of some days of 14 cases per unit of scale, and the table of masks."""
    rng = np.random.default_rng(seed)
    rows: list[tuple[str, str, str | None]] = []
    for number, case in enumerate(rng.choice(np.arange(1, 200 * scale), 14 * scale, replace=False)):
        # The days of a case do not come in numerical order.
        for day in rng.choice(np.arange(130), DAYS[number % len(DAYS)], replace=False):
            rows += _scan(rng, raw / f"train/case{case}/case{case}_day{day}", *SIZES[number % len(SIZES)])
    pd.DataFrame(rows, columns=["id", "class", "segmentation"]).to_csv(raw / "train.csv", index=False)
    (raw / "sample_submission.csv").write_text("id,class,predicted\n")


def _scan(rng: np.random.Generator, folder: Path, width: int, height: int) -> Iterator[tuple[str, str, str | None]]:
    """Write the four slices of a day and return their rows."""
    scans = folder / "scans"
    scans.mkdir(parents=True)
    unmarked = rng.random() < 0.15  # a day on which nobody marked anything
    x, y = rng.uniform(3, width - 3), rng.uniform(3, height - 3)
    rows, columns = np.mgrid[:height, :width]
    for slice_number in range(1, 5):
        pixels = rng.integers(0, 200, (height, width)).astype(np.uint16)
        for position, organ in enumerate(ORGANS):
            radius = 1.2 + 0.4 * slice_number - 0.5 * position
            mask = (columns - x - position) ** 2 + (rows - y) ** 2 < radius**2
            if unmarked or rng.random() < 0.35:
                mask[:] = False
            pixels[mask] += 3000 + 4000 * position
            # Pixels are numbered row by row, as in the real data, although the grader decodes them by columns.
            yield f"{folder.name}_slice_{slice_number:04d}", organ, encode_columns(mask.T) or None
        name = f"slice_{slice_number:04d}_{width}_{height}_1.50_1.63.png"
        (scans / name).write_bytes(png(pixels, optimize=False))


def _decoded(code: str, pixels: int) -> NDArray[np.bool_]:
    """A mask as one line of pixels, in the order of the code."""
    return decode_columns(code, pixels, 1).ravel()


def _degraded(rng: np.random.Generator, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    mask = mask.copy()
    if mask.any():
        mask[rng.random(len(mask)) < 0.3] = False
    if rng.random() < 0.15:
        mask[rng.integers(len(mask))] = True
    return mask


def _days(table: pd.DataFrame) -> pd.Series:
    """Case and day of each row."""
    return table["id"].str.split("_slice_").str[0]


def _masks(case: Case) -> list[NDArray[np.bool_]]:
    sizes = (case.full["image_width"] * case.full["image_height"]).astype(int)
    return [_decoded(code, size) for code, size in zip(case.full["predicted"], sizes.tolist(), strict=True)]


def _joined(case: Case) -> pd.DataFrame:
    """All organs of a slice in its first row: the right volume, another Dice."""
    codes, masks = [""] * case.n, _masks(case)
    for rows in case.answers.groupby("id").indices.values():
        codes[rows[0]] = encode_columns(np.logical_or.reduce([masks[row] for row in rows]))
    return case.answers.assign(predicted=codes)


def _false_days(case: Case) -> pd.DataFrame:
    """Two pixels on each day without any true one."""
    codes = case.answers["predicted"].tolist()
    for rows in case.answers.groupby(_days(case.answers)).indices.values():
        if not any(codes[row] for row in rows):
            codes[rows[0]] = "1 2"
    return case.answers.assign(predicted=codes)


def _other_orders(case: Case) -> dict[str, pd.DataFrame]:
    """The same rows in other orders, which count since rows are not matched by id."""
    blocks = [rows.index for _, rows in case.noisy.groupby(_days(case.noisy), sort=False)]
    return {
        "shuffled_within_day": case.noisy.loc[np.concatenate([case.rng.permutation(block) for block in blocks])],
        "sorted_by_id": case.noisy.sort_values(["id", "class"]),
        "days_reversed": case.noisy.loc[np.concatenate(blocks[::-1])],
    }


CODES = {  # a run past the end is cut off, a single number is an empty mask
    "past_end": "1 1000000", "odd_numbers": "1", "unsorted": "5 1 1 2", "overlapping": "1 3 2 2", "zero_length": "3 0",
    "letters": "a b", "nan": None,
}  # fmt: skip


def _special(case: Case) -> dict[str, Any]:
    answers, masks, codes = case.answers, _masks(case), case.answers["predicted"].to_numpy()
    first = int(np.argmax(codes != ""))
    return {
        **_other_orders(case),
        **{name: Cell(code, first, "predicted") for name, code in CODES.items()},
        "all_full": {"predicted": [f"1 {len(mask)}" for mask in masks]},  # more than ten times the true volume
        "shifted": {"predicted": [encode_columns(np.roll(mask, 2)) for mask in masks]},
        "union_first": _joined(case),
        "class_ignored": {"class": "liver"},  # nobody looks at it
        "rotated_classes": {"predicted": np.roll(codes.reshape(-1, 3), 1, axis=1).ravel()},
        "one_row_only": {"predicted": np.where(np.arange(case.n) == first, codes, "")},
        "false_day": _false_days(case),
        "all_empty": {"predicted": ""},
        "numeric_column": {"predicted": 1},
        "extra_column": case.full,
        "missing_last_row": answers.iloc[:-1],
        "no_class": answers.drop(columns="class"),
    }


submissions = Submissions(
    read={"keep_default_na": False},
    guess=lambda case: {"predicted": [encode_columns(_degraded(case.rng, mask)) for mask in _masks(case)]},
    usual=Usual(
        cells="perfect", twice=None, unknown="case1_day1_slice_0001x", wrong_column=("predicted", "segmentation")
    ),
    variants=["header_only"],
    special=_special,
)
