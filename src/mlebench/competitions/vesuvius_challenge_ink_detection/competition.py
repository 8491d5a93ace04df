"""Vesuvius challenge: where on the X-rayed fragment of a carbonised scroll is ink?"""

import struct

from mlebench.kit import Competition, Output, Raw, Table, aligned, complete, decode_runs, f_beta, texts

HIDDEN = ("inklabels.png", "inklabels_rle.csv", "ir.png")  # what shows the ink of the test fragment

competition = Competition(
    "vesuvius-challenge-ink-detection",
    "Vesuvius Challenge - Ink Detection",
    category="Image Segmentation",
    metric="F0.5",
    group="high",
    answers="inklabels_rle.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Fragments 1 and 2 are for training; fragment 3, without its ink, is test fragment a."""
    for fragment in ("train/1", "train/2"):
        public.place_folder(fragment, raw.folder(fragment))
    test = raw.folder("train/3")
    shown = [name for name in test.names() if name.rpartition("/")[2] not in HIDDEN]
    public.place({f"test/a/{name}": test[name] for name in shown})
    answers = test.read_csv("inklabels_rle.csv").assign(Id="a")
    width, height = struct.unpack(">II", test.read_bytes("ir.png")[16:24])  # from the header of the PNG file
    public.write_csv("sample_submission.csv", answers.assign(Predicted="1 1 5 1"))
    private.write_csv("inklabels_rle.csv", answers.assign(width=width, height=height))
    private.write_csv("gold_submission.csv", answers)


@competition.grade
def grade(submission: Table, answers: Table, strict_masks: bool = False) -> float:
    """F0.5 of the ink pixels; all pixels count, also those without data."""
    truth, predicted = aligned(submission, answers, on="Id", target="Predicted", exactly=True)
    pixels = int(answers["width"].iloc[0] * answers["height"].iloc[0])
    ink = decode_runs(texts(truth)[0], pixels)
    guess = decode_runs(texts(complete(predicted))[0], pixels, in_pairs=strict_masks, inside=strict_masks)
    return f_beta(ink, guess, beta=0.5)


competition.v2(strict_masks=True)
