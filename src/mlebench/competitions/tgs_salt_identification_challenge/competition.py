"""TGS salt identification: where is the salt in a seismic image?"""

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    Table,
    aligned,
    fill_runs,
    integers,
    intersection_over_union,
    random_split,
    require_orderly_runs,
    share_of_thresholds_passed,
)

PIXELS = 101 * 101

competition = Competition(
    "tgs-salt-identification-challenge",
    "TGS Salt Identification Challenge",
    category="Image Segmentation",
    metric="mean average precision over IoU thresholds",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a quarter of the images; depths are kept for the train part only."""
    files = raw.archive("competition_data.zip")
    masks = files.read_csv("competition_data/train.csv")
    train, test = (part.sort_values("id") for part in random_split(masks.fillna({"rle_mask": ""}), test_size=0.25))
    depths = raw.read_csv("depths.csv")
    public.write_csv("train.csv", train)
    public.write_csv("depths.csv", depths[depths["id"].isin(train["id"])].sort_values("id"))
    public.write_csv("sample_submission.csv", test[["id"]].assign(rle_mask="1 1"))
    private.write_csv("test.csv", test)
    pictures = files.folder("competition_data")
    public.place_split(train["id"], test["id"], pictures, "train/images/{}.png")
    public.place_each(train["id"], pictures, "train/masks/{}.png")


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean over images of the share of IoU thresholds that the predicted mask passes."""
    truth, predicted = aligned(submission, answers, on="id", target="rle_mask", exactly=True)
    truth, predicted = truth.astype(object).fillna(""), predicted.astype(object).fillna("")
    if not all(isinstance(cell, str) for cell in predicted):
        raise InvalidSubmissionError('The column rle_mask must hold "start length" pairs as text, not single numbers.')
    overlaps = [_overlap(_mask(true), _mask(guess)) for true, guess in zip(truth, predicted, strict=True)]
    return float(share_of_thresholds_passed(overlaps).mean())


def _mask(runs: str) -> NDArray[np.bool_]:
    values = integers(runs)
    starts, lengths = values[::2], values[1::2]
    if len(starts) == 2 and len(lengths) == 1:
        lengths = lengths.repeat(2)  # as published: the one length counts for both runs
    elif len(starts) == 1 and len(lengths) == 0:
        starts = lengths  # as published: a lone number is an empty mask
    elif len(starts) != len(lengths):
        raise InvalidSubmissionError(f"{runs[:40]!r} has a start without a length; numbers must come in pairs.")
    require_orderly_runs(starts, lengths)
    return fill_runs(starts, lengths, PIXELS)


def _overlap(truth: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> float:
    if truth.any() and not predicted.any():
        return float(np.count_nonzero(truth)) / PIXELS  # as published: nothing counts as everything
    return intersection_over_union(truth, predicted)
