"""UW-Madison GI tract: where are stomach and bowels in a slice of an abdominal scan?"""

import math
import re
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import (
    Column,
    Competition,
    InvalidSubmissionError,
    Output,
    PreparationError,
    Raw,
    RefusalCode,
    Table,
    aligned,
    complete,
    decode_runs,
    dice,
    fill_runs,
    hausdorff_distance,
    random_split,
    require_columns,
    texts,
)

PICTURE = re.compile(r"train/[^/]+/(?P<day>[^/]+)/scans/(?P<slice>slice_[^_]+)_(?P<width>\d+)_(?P<height>\d+)_.*\.png")
TRAIN_DAYS = 4  # later days of a case are test

competition = Competition(
    "uw-madison-gi-tract-image-segmentation",
    "UW-Madison GI Tract Image Segmentation",
    category="Image Segmentation",
    metric="weighted Dice and 3D Hausdorff score",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the cases, and of the others all days after the fourth."""
    masks, names = raw.read_csv("train.csv"), raw.names("train/*/*")
    case = masks["id"].str.split("_").str[0]
    day = masks["id"].str.split("_").str[1].str.removeprefix("day").astype(int)
    _, drawn = random_split(case.unique(), test_size=0.1, seed=42)
    in_test = case.isin(drawn) | (day.groupby(case).rank(method="dense") > TRAIN_DAYS)
    test = masks[in_test].rename(columns={"segmentation": "predicted"})
    public.write_csv("train.csv", masks[~in_test])
    public.write_csv("test.csv", test[["id", "class"]])
    public.write_csv("sample_submission.csv", test.assign(predicted="1 1 5 2"))
    private.write_csv("test.csv", _with_sizes(test, names))
    # Folders go where their case or their day is; days that the table does not mention stay with their case.
    parts = {False: "train", True: "test"}
    place = dict(zip(case, case.isin(drawn).map(parts), strict=True))
    place |= zip(masks["id"].str.split("_slice_").str[0], in_test.map(parts), strict=True)
    folders = [name.split("/", 3) for name in names]
    lacking = place.keys() - {name for folder in folders for name in folder[1:3]}
    if lacking:
        raise PreparationError(f"The raw data lacks the folder of {min(lacking)}.")
    targets = [place.get(folder[2], place.get(folder[1])) for folder in folders]
    placed = [(target, name) for target, name in zip(targets, names, strict=True) if target]
    public.place({target + name.removeprefix("train"): raw[name] for target, name in placed})


def _with_sizes(test: Table, names: Sequence[str]) -> Table:
    """The rows with the width and the height that the name of each slice's only picture tells."""
    pictures: dict[str, list[tuple[float, float]]] = {}
    for match in filter(None, map(PICTURE.fullmatch, names)):
        size = (float(match["width"]), float(match["height"]))
        pictures.setdefault(f"{match['day']}_{match['slice']}", []).append(size)
    sizes = {name: found[0] for name, found in pictures.items() if len(found) == 1}
    lacking = test["id"][~test["id"].isin(sizes)]
    if len(lacking):
        raise PreparationError(f"The raw data has no picture of {lacking.iloc[0]}, or more than one.")
    width, height = (test["id"].map({name: size[axis] for name, size in sizes.items()}) for axis in (0, 1))
    return test.assign(image_width=width, image_height=height)


@competition.grade
def grade(submission: Table, answers: Table, match_rows: bool = False, row_by_row: bool = False) -> float:
    """0.4 times the mean Dice coefficient of the rows, 0.6 times 1 minus the mean Hausdorff distance of the scans.

    As published: rows are paired by position and nothing tells whether they belong together; rows behind the last
    answer are not looked at.
    """
    require_columns(submission, ["id", "class", "predicted"])
    if match_rows:
        rows, true_rows = (
            table.assign(slice_and_organ=table["id"].astype(str) + " " + table["class"].astype(str))
            for table in (submission, answers)
        )
        _, given = aligned(rows, true_rows, on="slice_and_organ", target="predicted")
        submission = answers.assign(predicted=given.to_numpy())
    submission = submission.head(len(answers))
    shapes = list(zip(answers["image_height"].astype(int), answers["image_width"].astype(int), strict=True))
    truth = _masks(answers["predicted"], shapes)
    predicted = _masks(submission["predicted"], shapes, in_pairs=match_rows)
    overlaps = [dice(true, guess, both_empty=np.nan) for true, guess in zip(truth, predicted, strict=False)]
    sides = ((answers["id"], truth), (submission["id"], predicted))
    scans = zip(*(_scans(ids, masks, shapes, row_by_row) for ids, masks in sides), strict=False)
    return 0.4 * _mean(overlaps) + 0.6 * (1 - _mean([_distance(true, guess) for true, guess in scans]))


def _masks(codes: Column, shapes: Sequence[tuple[int, int]], in_pairs: bool = False) -> list[NDArray[np.int64]]:
    sizes = (height * width for height, width in shapes)
    return [decode_runs(code, size, in_pairs=in_pairs) for code, size in zip(texts(codes), sizes, strict=False)]


def _scans(
    ids: Column, masks: Sequence[NDArray[np.int64]], shapes: Sequence[tuple[int, int]], row_by_row: bool
) -> Iterator[NDArray[np.bool_]]:
    """The volume of each case and day, slices and days in the order of the sorted ids, all organs joined."""
    names = texts(complete(ids))
    days: dict[str, dict[str, list[int]]] = {}
    for row in sorted(range(len(names)), key=names.__getitem__):
        days.setdefault(names[row].split("_slice_")[0], {}).setdefault(names[row], []).append(row)
    for day, slices in days.items():
        shape, *others = {shapes[row] for rows in slices.values() for row in rows}
        if others:
            raise InvalidSubmissionError(
                f"Rows of {day} are where slices of different sizes belong; keep the order of the sample submission.",
                code=RefusalCode.WRONG_ROW_ORDER,
                where=_of(day),
            )
        height, width = shape
        volume = np.zeros((len(slices), height, width), dtype=bool)
        for picture, rows in zip(volume, slices.values(), strict=True):
            for row in rows:
                # As published: pixels are numbered down the columns, although the real masks number them along rows.
                pixels = fill_runs(masks[row], height * width)
                picture |= pixels.reshape(height, width) if row_by_row else pixels.reshape(width, height).T
        yield volume


def _of(day: str) -> Callable[[Table], Column]:
    """What finds the rows of a case and day in a submission."""
    return lambda table: table["id"].str.split("_slice_").str[0] == day


def _distance(truth: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> float:
    """The Hausdorff distance in a scan of side 1, divided by its diagonal; 1 if the prediction is no match at all."""
    wanted, found = np.count_nonzero(truth), np.count_nonzero(predicted)
    if not wanted and not found:
        return np.nan
    if not wanted or not found or found > 10 * wanted:
        return 1.0
    return hausdorff_distance(truth, predicted, truth.shape) / math.sqrt(3)


def _mean(values: Sequence[float]) -> float:
    """The mean of the values that are numbers."""
    known = [value for value in values if not np.isnan(value)]
    if not known:
        raise InvalidSubmissionError(
            "There is nothing to score: the submission has no rows, or neither it nor the truth has a pixel in them.",
            code=RefusalCode.NOTHING_TO_SCORE,
        )
    return float(np.mean(known))


competition.v2(match_rows=True, row_by_row=True)
