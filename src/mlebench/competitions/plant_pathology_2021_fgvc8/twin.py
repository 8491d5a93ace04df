"""Twin of plant-pathology-2021-fgvc8: leaves with one coloured band per label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from mlebench.twins.kit.images import jpeg
from mlebench.twins.kit.submissions import Case, Cell, Submissions, Text, Usual

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


def _guess(case: Case) -> list[str]:
    """A label added or taken away on half of the images, which may leave none."""
    guesses: list[str] = case.truth.tolist()
    for i in np.flatnonzero(case.rng.random(case.n) < 0.5):
        guesses[i] = " ".join(sorted(set(guesses[i].split()) ^ {str(case.rng.choice(LABELS))}))
    return guesses


submissions = Submissions(
    guess=_guess,
    usual=Usual(cells="perfect", unknown="nothere.jpg", wrong_column="label", no_id="id", extra={"more": 1}),
    cells={"one_numeric_text": Cell("7", of="noisy")},
    constants={"only_unknown": "black_rot", "all_labels": " ".join(LABELS), "numeric": 1},
    each={"label_order": lambda labels: " ".join(reversed(labels.split())), "upper_case": str.title},
    variants=["all_empty"],
    special=lambda case: {
        "repeated_label": case.guess + " " + case.guess,
        "white_space": "  " + case.guess.str.replace(" ", " \t ", regex=False) + " ",
        "unknown_label": case.guess + " black_rot",  # passed over
        "spaced_header": Text("image, labels\n" + case.answers.to_csv(index=False, header=False)),
    },
)
