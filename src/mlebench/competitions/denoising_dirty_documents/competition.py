"""Denoising dirty documents: what did the stained page look like when it was clean?"""

import io

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import Competition, Files, Output, Raw, Table, aligned, numbers, random_split, rmse, split_together

competition = Competition(
    "denoising-dirty-documents",
    "Denoising Dirty Documents",
    category="Image To Image",
    metric="root mean squared error",
    group="low",
    answers="answers.csv",
    sample="sampleSubmission.csv",
    gigabytes=0.06,
    breaks=["no_answers_in_public"],  # as published, cleaned pages of the test set are among those for training
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, pages_together: bool = False) -> None:
    """Hold out a fifth of the images; their clean versions become one row per pixel."""
    dirty, clean = raw.archive("train.zip"), raw.archive("train_cleaned.zip")
    names = dirty.names("train/*.png")
    if pages_together:
        pages = [_grey(clean.read_bytes(name.replace("train/", "train_cleaned/", 1))) for name in names]
        _, drawn = split_together(names, _same_page(pages), test_size=0.2)
    else:
        _, drawn = random_split(names, test_size=0.2)
    test = sorted(name.removeprefix("train/") for name in drawn)
    withheld = {f"{folder}/{name}" for folder in ("train", "train_cleaned") for name in test}
    # As published: whatever else the two archives hold goes to the public folder too.
    for files in (dirty, clean):
        public.place({name: files[name] for name in files.names() if name not in withheld})
    public.place_each(test, dirty, "train/{}", to="test/{}")
    _write_pixels(clean, test, public, private)


# One image at a time and without a table: there are millions of pixels, but only 256 different grey values.
def _write_pixels(clean: Files, names: list[str], public: Output, private: Output) -> None:
    cells = np.array([f",{grey / 255}\n" for grey in range(256)], dtype=object)
    with (
        public.path("sampleSubmission.csv").open("w", newline="") as sample,
        private.path("answers.csv").open("w", newline="") as answers,
    ):
        sample.write("id,value\n")
        answers.write("id,value\n")
        for name in names:
            pixels = _grey(clean.read_bytes(f"train_cleaned/{name}"))
            ids = _pixel_ids(name.removesuffix(".png"), *pixels.shape)
            sample.writelines((ids + ",1\n").flat)
            answers.writelines((ids + cells[pixels]).flat)


def _grey(content: bytes) -> NDArray[np.uint8]:
    from PIL import Image

    with Image.open(io.BytesIO(content)) as image:
        return np.asarray(image.convert("L"))


def _same_page(pages: list[NDArray[np.uint8]]) -> list[int]:
    """The first picture that shows the same page as each one: also in colour, or in another shade."""
    standard = [(page - page.mean()) / (page.std() + 1e-9) for page in pages]
    return [
        next(
            first
            for first, other in enumerate(standard[: number + 1])
            if other.shape == page.shape and (first == number or float((other * page).mean()) > 0.99)
        )
        for number, page in enumerate(standard)
    ]


def _pixel_ids(image: str, height: int, width: int) -> NDArray[np.object_]:
    rows = np.array([f"{image}_{row}_" for row in range(1, height + 1)], dtype=object)
    columns = np.array([str(column) for column in range(1, width + 1)], dtype=object)
    ids: NDArray[np.object_] = np.add.outer(rows, columns)
    return ids


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Root mean squared error over all pixels; values outside of 0 to 1 are taken as they are."""
    truth, predicted = aligned(submission, answers, on="id", target="value")
    return rmse(truth, numbers(predicted))


competition.v2(pages_together=True, breaks=[])
