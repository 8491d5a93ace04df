"""Kuzushiji recognition: which characters stand where on a page of an old Japanese book?"""

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    in_cell,
    located_label_f1,
    random_split,
    split_together,
    texts,
)

competition = Competition(
    "kuzushiji-recognition",
    "Kuzushiji Recognition",
    category="Object Detection",
    metric="micro F1 of located characters",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, books_together: bool = False) -> None:
    """Hold out a tenth of the pages."""
    pages = raw.read_csv("train.csv")
    if books_together:  # whose names the pages begin with: 100241706_00004_2, umgy003-001
        books = pages["image_id"].str.split("[_-]", regex=True).str[0]
        train, test = split_together(pages, books.tolist(), test_size=0.1)
    else:
        train, test = random_split(pages, test_size=0.1)
    images = raw.archive("train_images.zip")
    public.write_csv("train.csv", train)
    public.write_csv("sample_submission.csv", test.assign(labels="U+003F 1 1 U+FF2F 2 2"))
    public.place({"unicode_translation.csv": raw["unicode_translation.csv"]})
    for name, part in (("train", train), ("test", test)):
        public.write_zip(f"{name}_images.zip", {f"{page}.jpg": images[f"{page}.jpg"] for page in part["image_id"]})
    private.write_csv("test.csv", test)
    private.write_csv("gold_submission.csv", test.assign(labels=test["labels"].map(_inner_corners, na_action="ignore")))


def _inner_corners(labels: str) -> str:
    """The labels of a page with a point one pixel inside the upper left corner of each box."""
    tokens = labels.split(" ")
    boxes = zip(tokens[::5], tokens[1::5], tokens[2::5], strict=False)
    return " ".join(f"{label} {int(x) + 1} {int(y) + 1}" for label, x, y in boxes)


@competition.grade
def grade(submission: Table, answers: Table, most_characters: int | None = None) -> float:
    """F1 over all pages of characters that are named right and located inside their box."""
    truth, predicted = aligned(submission, answers, on="image_id", target="labels")
    located = [_located(labels, numbers=2) for labels in texts(predicted)]
    if most_characters is not None and any(len(characters) > most_characters for characters, _ in located):
        raise InvalidSubmissionError(
            f"A page has more than {most_characters:,} characters, which is the most that may be given.",
            code=RefusalCode.OUT_OF_RANGE,
        )
    return located_label_f1([_located(labels, numbers=4) for labels in texts(truth)], located)


def _located(labels: str, numbers: int) -> tuple[list[str], NDArray[np.float64]]:
    """The characters of a page, and the numbers that follow each of them."""
    tokens = labels.split(" ") if labels else []
    if len(tokens) % (1 + numbers):
        raise InvalidSubmissionError(
            f"A page has {len(tokens)} values separated by single blanks; there must be three for each character: "
            "its code point, x and y.",
            code=RefusalCode.MALFORMED_VALUE,
            where=in_cell(labels),
        )
    table = np.array(tokens, dtype=object).reshape(-1, 1 + numbers)
    try:
        return table[:, 0].tolist(), table[:, 1:].astype(np.float64)
    except ValueError:
        raise InvalidSubmissionError(
            "A coordinate in the column labels is not a number; every character needs its code point, x and y.",
            code=RefusalCode.MALFORMED_VALUE,
            where=in_cell(labels),
        ) from None


competition.v2(books_together=True, most_characters=1200)
