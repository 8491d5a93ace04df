"""TGS salt identification: where is the salt in a seismic image?"""

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    decode_runs,
    fill_runs,
    intersection_over_union,
    random_split,
    share_of_thresholds_passed,
    texts,
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
def prepare(raw: Raw, public: Output, private: Output, depths_of_test: bool = False) -> None:
    """Hold out a quarter of the images; depths are kept for the train part only."""
    files = raw.archive("competition_data.zip")
    masks = files.read_csv("competition_data/train.csv")
    train, test = (part.sort_values("id") for part in random_split(masks.fillna({"rle_mask": ""}), test_size=0.25))
    depths = raw.read_csv("depths.csv")
    public.write_csv("train.csv", train)
    with_depth = depths["id"].isin([*train["id"], *(test["id"] if depths_of_test else ())])
    public.write_csv("depths.csv", depths[with_depth].sort_values("id"))
    public.write_csv("sample_submission.csv", test[["id"]].assign(rle_mask="1 1"))
    private.write_csv("test.csv", test)
    pictures = files.folder("competition_data")
    public.place_split(train["id"], test["id"], pictures, "train/images/{}.png")
    public.place_each(train["id"], pictures, "train/masks/{}.png")


@competition.grade
def grade(submission: Table, answers: Table, strict_masks: bool = False) -> float:
    """Mean over images of the share of IoU thresholds that the predicted mask passes."""
    truth, predicted = aligned(submission, answers, on="id", target="rle_mask", exactly=True)
    pairs = zip(texts(truth), texts(predicted), strict=True)
    overlap = intersection_over_union if strict_masks else _overlap
    overlaps = [overlap(_mask(true), _mask(guess, in_pairs=strict_masks)) for true, guess in pairs]
    return float(share_of_thresholds_passed(overlaps).mean())


def _mask(code: str, in_pairs: bool = False) -> NDArray[np.bool_]:
    return fill_runs(decode_runs(code, PIXELS, in_pairs=in_pairs), PIXELS)


def _overlap(truth: NDArray[np.bool_], predicted: NDArray[np.bool_]) -> float:
    if truth.any() and not predicted.any():
        return float(np.count_nonzero(truth)) / PIXELS  # As published: nothing counts as everything
    return intersection_over_union(truth, predicted)


competition.v2(depths_of_test=True, strict_masks=True)
