"""VinBigData chest X-rays: which findings does a radiograph show, and where?"""

import numpy as np
from numpy.typing import NDArray

from mlebench.competitions.families.listed_boxes import listed_boxes
from mlebench.competitions.vinbigdata_chest_xray_abnormalities_detection.boxes import matched, merged
from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    complete,
    in_cell,
    interpolated_average_precision,
    random_split,
    require_columns,
    same_ids,
)

NO_FINDING = 14
BOX = ["x_min", "y_min", "x_max", "y_max"]
TRUE_BOX = [f"true_{corner}" for corner in BOX]
LEAST_OVERLAP = 0.4
MOST_BOXES = 100  # per class and image; those of lower confidence are not looked at
LARGEST_AREA = 1e10

competition = Competition(
    "vinbigdata-chest-xray-abnormalities-detection",
    "VinBigData Chest X-ray Abnormalities Detection",
    category="Object Detection",
    metric="mean average precision at IoU 0.4",
    group="high",
    answers="answers.csv",
    gigabytes=200,
    breaks=[
        "sample_has_a_row_per_answer",  # a row of the answers is a box, one of the sample an image
        "answers_score_best",  # as published, the first true box never counts
    ],
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, merge_boxes: bool = False) -> None:
    """Hold out a tenth of the images, with one box per class: the first that is listed, whoever drew it."""
    import pandas as pd

    boxes = raw.read_csv("train.csv")
    train, test = random_split(boxes["image_id"].unique(), test_size=0.1)
    in_test = boxes["image_id"].isin(test)
    public.write_csv("train.csv", boxes[~in_test])
    public.write_csv("sample_submission.csv", pd.DataFrame({"image_id": test, "PredictionString": "14 1 0 0 1 1"}))
    public.place_split(train, test, raw, "train/{}.dicom")
    if merge_boxes:
        answers = merged(boxes[in_test], LEAST_OVERLAP)
    else:
        answers = boxes[in_test].groupby(["image_id", "class_id"], as_index=False).first()
    answers[BOX] = answers[BOX].fillna(0.0)
    answers.loc[answers["class_id"] == NO_FINDING, ["x_max", "y_max"]] = 1.0
    private.write_csv("answers.csv", answers)
    cells = answers["class_id"].astype(str) + " 1.0"
    for corner in BOX:
        cells += " " + answers[corner].astype(str)
    gold = answers[["image_id"]].assign(PredictionString=cells)
    private.write_csv("gold_submission.csv", gold.groupby("image_id", as_index=False).agg(" ".join))


@competition.grade
def grade(submission: Table, answers: Table, corners: bool = False) -> float:
    """Mean over classes of COCO's average precision at an IoU of 0.4."""
    require_columns(submission, ["image_id", "PredictionString"])
    if corners and submission["image_id"].duplicated().any():
        raise InvalidSubmissionError(
            "The submission has an image twice; list all boxes of an image in one row.",
            code=RefusalCode.DUPLICATE_IDS,
            where=lambda table: table["image_id"].duplicated(),
        )
    same_ids(submission["image_id"], answers["image_id"], "image_id")
    cells = complete(submission["PredictionString"])
    detections = listed_boxes(cells, ["class_id", "confidence", *BOX], separator=" ")
    without_class = ~np.isfinite(detections["class_id"])
    if without_class.any():
        raise InvalidSubmissionError(
            "The column PredictionString has a class that is not a finite number.",
            code=RefusalCode.MALFORMED_VALUE,
            where=in_cell(cells.iloc[detections["row"][without_class].iloc[0]]),
        )
    detections["class_id"] = np.trunc(detections["class_id"])  # as published: class 3.9 is class 3
    detections["image_id"] = submission["image_id"].to_numpy()[detections["row"]]
    detections["number"] = range(len(detections))
    truth = answers[["image_id", "class_id"]].assign(true_number=range(len(answers)))
    truth[TRUE_BOX] = answers[BOX].to_numpy(float)
    # Images in the order of the answers, and the boxes of each by descending confidence.
    places = {image: place for place, image in enumerate(answers["image_id"].unique())}
    detections["place"] = detections["image_id"].map(places)
    detections = detections.sort_values(["place", "confidence"], ascending=[True, False], kind="stable")
    detections = detections[detections.groupby(["image_id", "class_id"]).cumcount() < MOST_BOXES]
    if corners:
        judged = matched(detections, truth, BOX, LEAST_OVERLAP)
    else:
        judged = _judged(detections.merge(truth, how="left", on=["image_id", "class_id"]))
    # As published: true boxes of impossible size are not asked for.
    positives = truth.loc[~_is_impossible(truth[TRUE_BOX]), "class_id"].value_counts()
    return float(np.mean([_precision(judged[judged["class_id"] == kind], count) for kind, count in positives.items()]))


def _precision(detections: Table, positives: int) -> float:
    return interpolated_average_precision(detections["confidence"], detections["right"], detections["wrong"], positives)


def _judged(pairs: Table) -> Table:
    """Detections as right, wrong or neither, from pairs with the one true box of their image and class, if any."""
    overlaps = _overlaps(pairs[BOX].to_numpy(), pairs[TRUE_BOX].to_numpy())
    near = pairs["true_number"].notna() & ~(overlaps < LEAST_OVERLAP)
    # As published: boxes are numbered from 0, and 0 reads as "none". So detection 0 leaves the true box that it takes
    # to another one, and whatever takes true box 0 counts as taking none.
    keeps = near & (pairs["number"] != 0)
    takes = near & (keeps.groupby([pairs["image_id"], pairs["class_id"]]).cumsum() - keeps == 0)
    matched = takes & (pairs["true_number"] != 0)
    # As published: neither is a detection of impossible size without a match, or one that takes such a true box.
    neither = np.where(matched, False, _is_impossible(pairs[BOX])) | (takes & _is_impossible(pairs[TRUE_BOX]))
    return pairs.assign(right=matched & ~neither, wrong=~matched & ~neither)


def _is_impossible(boxes: Table) -> NDArray[np.bool_]:
    x_min, y_min, x_max, y_max = boxes.to_numpy().T
    area = (x_max - x_min) * (y_max - y_min)
    return np.asarray((area < 0) | (area > LARGEST_AREA))


def _overlaps(boxes: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """Intersection over union, with x_max and y_max taken for width and height as published."""
    with np.errstate(all="ignore"):
        ends = np.fmin(boxes[:, :2] + boxes[:, 2:], others[:, :2] + others[:, 2:])
        sides = ends - np.fmax(boxes[:, :2], others[:, :2])
        shared = sides.prod(axis=1)
        union = boxes[:, 2:].prod(axis=1) + others[:, 2:].prod(axis=1) - shared
        return np.where((sides <= 0).any(axis=1), 0.0, shared / union)


competition.v2(
    merge_boxes=True,
    corners=True,
    breaks=["sample_has_a_row_per_answer"],  # a row of the answers is a box, one of the sample an image
)
