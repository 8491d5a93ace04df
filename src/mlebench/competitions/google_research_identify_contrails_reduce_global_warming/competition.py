"""Google Research contrails: which pixels of a satellite scene are contrails?"""

import io
from random import Random

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    complete,
    decode_runs,
    dice,
    encode_runs,
    random_split,
    texts,
)

BANDS = [f"band_{number:02}.npy" for number in range(8, 17)]
EMPTY = "-"

competition = Competition(
    "google-research-identify-contrails-reduce-global-warming",
    "Google Research - Identify Contrails to Reduce Global Warming",
    category="Image Segmentation",
    metric="global Dice coefficient",
    group="high",
    answers="answers.csv",
    gigabytes=450,
)


@competition.prepare
def prepare(
    raw: Raw, public: Output, private: Output, metadata_of_test: bool = False, sample_has_sizes: bool = True
) -> None:
    """Hold out as many records as the validation set has; their masks are the answers."""
    import pandas as pd

    count = len(raw.read_json("validation_metadata.json"))
    train, test = random_split(raw.read_json("train_metadata.json"), test_size=count)
    train_ids, test_ids = ([record["record_id"] for record in part] for part in (train, test))
    rows = [
        (record_id, *_encoded_mask(raw.read_bytes(f"train/{record_id}/human_pixel_masks.npy")))
        for record_id in test_ids
    ]
    answers = pd.DataFrame(rows, columns=["record_id", "encoded_pixels", "height", "width"])
    random = Random(0)
    guesses = [random.choice(["1 3 10 5", EMPTY]) for _ in test_ids]
    private.write_csv("answers.csv", answers)
    sample = answers.assign(encoded_pixels=guesses)
    public.write_csv("sample_submission.csv", sample if sample_has_sizes else sample[["record_id", "encoded_pixels"]])
    public.write_json("train_metadata.json", train)
    if metadata_of_test:
        public.write_json("test_metadata.json", test)
    public.place({"validation_metadata.json": raw["validation_metadata.json"]})
    public.place_folder("validation", raw.folder("validation"))
    for band in BANDS:
        public.place_split(train_ids, test_ids, raw, f"train/{{}}/{band}")
    for masks in ("human_pixel_masks.npy", "human_individual_masks.npy"):
        public.place_each(train_ids, raw, f"train/{{}}/{masks}")


def _encoded_mask(content: bytes) -> tuple[str, int, int]:
    """The run lengths of a mask down its columns, its height and its width, which are those of the bands."""
    mask = np.load(io.BytesIO(content))
    height, width = mask.shape[:2]
    return encode_runs(mask.reshape(height, width).T.ravel() == 1) or EMPTY, height, width


@competition.grade
def grade(submission: Table, answers: Table, strict_masks: bool = False) -> float:
    """Dice coefficient of all records together, as if they were one image."""
    truth, predicted = aligned(submission, answers, on="record_id", target="encoded_pixels")
    sizes = (answers["height"] * answers["width"]).tolist()
    codes = texts(predicted) if strict_masks else texts(complete(predicted))
    ink, guess = _joined(texts(truth), sizes), _joined(codes, sizes, in_pairs=strict_masks)
    return dice(ink, guess, both_empty=float("nan"))


def _joined(codes: list[str], sizes: list[int], in_pairs: bool = False) -> NDArray[np.int64]:
    """The runs of all masks, one after the other."""
    begins = np.cumsum([0, *sizes[:-1]])
    written = ("" if code == EMPTY else code for code in codes)
    masks = [decode_runs(code, size, in_pairs=in_pairs) for code, size in zip(written, sizes, strict=True)]
    return np.concatenate([mask + begin for mask, begin in zip(masks, begins, strict=True)])


competition.v2(metadata_of_test=True, sample_has_sizes=False, strict_masks=True)
