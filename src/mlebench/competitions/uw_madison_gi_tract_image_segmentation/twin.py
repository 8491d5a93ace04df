"""Twin of uw-madison-gi-tract-image-segmentation: short scans with three round organs side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import png
from mlebench.twins.kit.masks import decode_columns, encode_columns

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Masks of all sorts, rows in other orders, broken run lengths, and the usual mistakes."""
    rng = np.random.default_rng(seed + 1)
    full = examples.table(prepared, "private/test.csv", keep_default_na=False)
    answers = full[["id", "class", "predicted"]]
    sizes = (full["image_width"] * full["image_height"]).astype(int).tolist()
    masks = [_decoded(code, size) for code, size in zip(answers["predicted"], sizes, strict=True)]

    def cells(codes: Iterable[str]) -> pd.DataFrame:
        return answers.assign(predicted=list(codes))

    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: the same three pixels everywhere")
    noisy = cells([encode_columns(_degraded(rng, mask)) for mask in masks])
    yield Example("noisy", noisy, "three in ten pixels lost, a few false ones")
    yield from _other_orders(rng, noisy, seed)
    yield from _other_masks(answers, masks, cells)
    yield from _odd_codes(answers)
    yield Example("numeric_column", answers.assign(predicted=1), "bare numbers: the column is not text")
    yield Example("extra_column", full, "width and height as further columns")
    yield Example("missing_row", answers.iloc[1:], "the first row is missing: all others move up")
    yield Example("missing_last_row", answers.iloc[:-1], "the last row is missing")
    yield Example("extra_row", pd.concat([answers, answers.head(1)]), "one more row at the end: passed over")
    yield examples.unknown_id(answers, "id", "case1_day1_slice_0001x")
    yield examples.renamed(answers, "predicted", "segmentation")
    yield Example("no_class", answers[["id", "predicted"]], "the column class is missing")
    yield Example("nan", _with_code(answers, None), "an empty cell: an empty mask")
    yield examples.header_only(answers)
    yield examples.empty()


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


def _other_orders(rng: np.random.Generator, noisy: pd.DataFrame, seed: int) -> Iterator[Example]:
    """The same rows in other orders, which count since rows are not matched by id."""
    yield examples.shuffled(noisy, seed)
    blocks = [rows.index for _, rows in noisy.groupby(_days(noisy), sort=False)]
    mixed = np.concatenate([rng.permutation(block) for block in blocks])
    yield Example("shuffled_within_day", noisy.loc[mixed], "as noisy, rows of each case and day in another order")
    yield Example("sorted_by_id", noisy.sort_values(["id", "class"]), "as noisy, sorted by id and class")
    yield Example("days_reversed", noisy.loc[np.concatenate(blocks[::-1])], "as noisy, the last day first")


def _other_masks(
    answers: pd.DataFrame, masks: list[NDArray[np.bool_]], cells: Callable[[Iterable[str]], pd.DataFrame]
) -> Iterator[Example]:
    """Masks that are too small, too large, shifted or given to another organ."""
    nothing = [""] * len(answers)
    yield Example("all_empty", cells(nothing), "no organ anywhere")
    everything = cells(f"1 {len(mask)}" for mask in masks)
    yield Example("all_full", everything, "all pixels: more than ten times the true volume")
    yield Example("shifted", cells(encode_columns(np.roll(mask, 2)) for mask in masks), "moved on by two pixels")
    joined = answers.assign(predicted="")
    for rows in answers.groupby("id").indices.values():
        code = encode_columns(np.logical_or.reduce([masks[row] for row in rows]))
        joined = examples.with_cell(joined, "predicted", code, row=rows[0])
    yield Example("union_first", joined, "all organs of a slice in its first row: the right volume, another Dice")
    yield Example("class_ignored", answers.assign(**{"class": "liver"}), "unknown organs, which nobody looks at")
    turned = np.roll(answers["predicted"].to_numpy().reshape(-1, 3), 1, axis=1).ravel()
    yield Example("rotated_classes", cells(turned), "each mask given to the next organ")
    single = examples.with_cell(cells(nothing), "predicted", *_first_code(answers))
    yield Example("one_row_only", single, "one right mask, all others empty")
    false_day = answers
    for rows in answers.groupby(_days(answers)).indices.values():
        if (answers["predicted"].iloc[rows] == "").all():
            false_day = examples.with_cell(false_day, "predicted", "1 2", row=rows[0])
    yield Example("false_day", false_day, "two pixels on each day without any true one")


def _first_code(answers: pd.DataFrame) -> tuple[str, int]:
    """The first code that is not empty, and its row."""
    row = int(np.argmax(answers["predicted"].to_numpy() != ""))
    return answers["predicted"].iloc[row], row


def _with_code(answers: pd.DataFrame, code: str | None) -> pd.DataFrame:
    """The answers with another code in place of the first that is not empty."""
    return examples.with_cell(answers, "predicted", code, row=_first_code(answers)[1])


def _odd_codes(answers: pd.DataFrame) -> Iterator[Example]:
    yield Example("past_end", _with_code(answers, f"1 {10**6}"), "a run past the last pixel is cut off")
    yield Example("odd_numbers", _with_code(answers, "1"), "a single number is an empty mask")
    yield Example("unsorted", _with_code(answers, "5 1 1 2"), "runs not sorted")
    yield Example("overlapping", _with_code(answers, "1 3 2 2"), "overlapping runs")
    yield Example("zero_length", _with_code(answers, "3 0"), "a run of length 0")
    yield Example("letters", _with_code(answers, "a b"), "no numbers")
