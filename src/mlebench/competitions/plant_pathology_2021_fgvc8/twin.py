"""Twin of plant-pathology-2021-fgvc8: leaves with one coloured band per label."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit import examples
from mlebench.twins.kit.examples import Example
from mlebench.twins.kit.images import jpeg

LABELS = ["complex", "frog_eye_leaf_spot", "healthy", "powdery_mildew", "rust", "scab"]
# The combinations of labels that occur, in the order the experts gave them, and how common each is.
COMBINATIONS = {
    "healthy": 0.25,
    "scab": 0.26,
    "frog_eye_leaf_spot": 0.17,
    "rust": 0.1,
    "complex": 0.08,
    "powdery_mildew": 0.06,
    "scab frog_eye_leaf_spot": 0.04,
    "scab frog_eye_leaf_spot complex": 0.01,
    "frog_eye_leaf_spot complex": 0.01,
    "rust frog_eye_leaf_spot": 0.01,
    "rust complex": 0.005,
    "powdery_mildew complex": 0.005,
}
EACH = 5  # images that every combination has at least, so that the rare ones are in both parts
KAGGLE_TEST = 3


def _leaf(rng: np.random.Generator, labels: list[str]) -> bytes:
    pixels = rng.integers(60, 90, (12, 16, 3))
    for band, label in enumerate(LABELS):
        if label in labels:
            pixels[2 * band : 2 * band + 2, :, band % 3] += 120
    return jpeg(pixels.astype(np.uint8), quality=70, optimize=False)


def make(raw: Path, seed: int, scale: int) -> None:
    """Write leaves with every combination of labels; three of them are also Kaggle's own test images."""
    rng = np.random.default_rng(seed)
    n = 80 * scale
    names = [f"{int(number):016x}.jpg" for number in rng.integers(2**62, 2**63, n)]
    shares = np.array(list(COMBINATIONS.values()))
    labels = rng.choice(list(COMBINATIONS), n, p=shares / shares.sum())
    labels[: EACH * len(COMBINATIONS)] = list(COMBINATIONS) * EACH
    labels = labels[rng.permutation(n)]
    (raw / "train_images").mkdir()
    (raw / "test_images").mkdir()
    for i, (name, shown) in enumerate(zip(names, labels, strict=True)):
        picture = _leaf(rng, shown.split())
        (raw / "train_images" / name).write_bytes(picture)
        if i < KAGGLE_TEST:
            (raw / f"test_images/t{name}").write_bytes(picture)
    pd.DataFrame({"image": names, "labels": labels}).to_csv(raw / "train.csv", index=False)
    sample = pd.DataFrame({"image": [f"t{name}" for name in names[:KAGGLE_TEST]], "labels": "healthy"})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Sets of labels that are right, wrong, odd or empty, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/answers.csv")
    truth = answers["labels"]
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission: healthy everywhere")
    guesses = truth.tolist()
    for i in np.flatnonzero(rng.random(len(answers)) < 0.5):
        guesses[i] = " ".join(sorted(set(guesses[i].split()) ^ {str(rng.choice(LABELS))}))
    noisy = answers.assign(labels=guesses)
    guess = noisy["labels"]
    yield Example("noisy", noisy, "a label added or taken away on half of the images, which may leave none")
    yield examples.shuffled(noisy, seed)
    backwards = answers.assign(labels=[" ".join(reversed(labels.split())) for labels in truth])
    yield Example("label_order", backwards, "the right labels in another order")
    yield Example("repeated_label", noisy.assign(labels=guess + " " + guess), "as noisy, every label twice")
    spaced = "  " + guess.str.replace(" ", " \t ", regex=False) + " "
    yield Example("white_space", noisy.assign(labels=spaced), "as noisy, with more blanks and tabs")
    unknown = noisy.assign(labels=guess + " black_rot")
    yield Example("unknown_label", unknown, "as noisy, with one more label that no answer has: passed over")
    yield Example("only_unknown", answers.assign(labels="black_rot"), "only a label that no answer has")
    yield Example("upper_case", answers.assign(labels=truth.str.title()), "the right labels with capitals: wrong")
    yield Example("all_labels", answers.assign(labels=" ".join(LABELS)), "every label on every image")
    yield Example("all_empty", answers.assign(labels=None), "all predictions empty")
    yield Example("numeric", answers.assign(labels=1), "a column of whole numbers")
    yield Example("one_numeric_text", examples.with_cell(noisy, "labels", "7"), "a number among the labels")
    yield examples.duplicate_id(answers, "image")
    yield Example("extra_column", noisy.assign(more=1), "as noisy, one more column")
    header, rows = "image, labels\n", answers.to_csv(index=False, header=False)
    yield Example("spaced_header", header + rows, "a blank in front of the second column's name")
    yield from examples.usual_mistakes(
        answers, on="image", target="labels", unknown="nothere.jpg", new_target="label", new_id="id"
    )
