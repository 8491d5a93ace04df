"""Twin of siim-covid19-detection: tiny radiographs that are brighter within the boxes of opacities."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit.dicom import radiograph
from mlebench.twins.kit.submissions import Case, Submissions, Usual

APPEARANCES = ["Negative for Pneumonia", "Typical Appearance", "Indeterminate Appearance", "Atypical Appearance"]
WORDS = ["negative", "typical", "indeterminate", "atypical"]
SHARES = [0.28, 0.47, 0.17, 0.08]
NEGATIVE = 0
WHOLE = "0 0 1 1"  # the box of what is said of a whole study or image
NO_OPACITY = f"none 1 {WHOLE}"
STUDY_AND_IMAGE = [f"negative 1 {WHOLE}", NO_OPACITY]


def _ids(rng: np.random.Generator, count: int) -> list[str]:
    """Distinct ids of twelve hexadecimal digits."""
    found: set[str] = set()
    while len(found) < count:
        found.add(f"{int(rng.integers(0, 16**12)):012x}")
    return [str(each) for each in rng.permutation(sorted(found))]


def make(raw: Path, seed: int, scale: int) -> None:
    """Write studies of one to three images with both tables, and test images of Kaggle's own, which are not used."""
    rng = np.random.default_rng(seed)
    n = 130 * scale
    studies = _ids(rng, n)
    studies[:2] = ["000123456789", "12345678e901"]  # ids that look like numbers
    images, series = iter(_ids(rng, 4 * n)), iter(_ids(rng, 4 * n))
    kinds = np.concatenate([np.tile(np.arange(4), 6), rng.choice(4, n - 24, p=SHARES)])
    study_rows, image_rows = [], []
    for study, kind in zip(studies, kinds, strict=True):
        labels = {name: int(number == kind) for number, name in enumerate(APPEARANCES)}
        study_rows.append({"id": f"{study}_study", **labels})
        for _ in range(1 + int(rng.random() < 0.1) + int(rng.random() < 0.03)):
            image, pixels = next(images), rng.integers(0, 40, (10, 10))
            boxes, label = _opacities(rng, int(kind), pixels)
            image_rows.append({"id": f"{image}_image", "boxes": boxes, "label": label, "StudyInstanceUID": study})
            modality, sex = str(rng.choice(["CR", "DX"])), str(rng.choice(["M", "F"]))
            picture = radiograph(pixels, [(0x08, 0x60, "CS", modality), (0x10, 0x40, "CS", sex)])
            _write_image(raw / "train" / study / next(series), image, picture)
    pd.DataFrame(study_rows).sort_values("id").to_csv(raw / "train_study_level.csv", index=False)
    pd.DataFrame(image_rows).sort_values("id").to_csv(raw / "train_image_level.csv", index=False)
    other_studies, other_images = [], []
    for study in _ids(rng, 2 * scale):
        image = next(images)
        _write_image(raw / "test" / study / next(series), image, radiograph(rng.integers(0, 40, (10, 10))))
        other_studies.append(f"{study}_study")
        other_images.append(f"{image}_image")
    ids = sorted(other_studies, reverse=True) + sorted(other_images, reverse=True)
    sample = pd.DataFrame({"id": ids, "PredictionString": np.repeat(STUDY_AND_IMAGE, 2 * scale)})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def _opacities(rng: np.random.Generator, kind: int, pixels: NDArray[np.int64]) -> tuple[str | None, str]:
    """The cells `boxes` and `label` of an image; the boxes are brightened in the picture."""
    count = 0 if kind == NEGATIVE else int(rng.integers(0 if rng.random() < 0.1 else 1, 4))
    boxes, label = [], []
    for number in range(count):
        left, top = int(rng.integers(100 + 900 * number, 400 + 900 * number)), int(rng.integers(100, 900))
        corner = np.round(np.array([left, top]) + rng.random(2), 5)
        x, y = (float(value) for value in corner)
        width, height = (float(value) for value in np.round(rng.integers(200, 800, 2) + rng.random(2), 5))
        boxes.append({"x": x, "y": y, "width": width, "height": height})
        label.append(f"opacity 1 {x} {y} {round(x + width, 5)} {round(y + height, 5)}")
        rows = slice(int(y // 250), int((y + height) // 250) + 1)
        columns = slice(int(x // 300), int((x + width) // 300) + 1)
        pixels[rows, columns] += 60 * kind
    return (str(boxes), " ".join(label)) if boxes else (None, NO_OPACITY)


def _write_image(folder: Path, image: str, picture: bytes) -> None:
    folder.mkdir(parents=True)
    (folder / f"{image}.dcm").write_bytes(picture)


def _noisy_study(rng: np.random.Generator, truth: str) -> str:
    """Probabilities of the four study classes that lean towards the true one."""
    true_word = truth.split()[0]
    chances = rng.dirichlet([1 + 1.2 * (word == true_word) for word in WORDS])
    return " ".join(f"{word} {round(float(chance), 4)} {WHOLE}" for word, chance in zip(WORDS, chances, strict=True))


def _noisy_image(rng: np.random.Generator, truth: str) -> str:
    """Boxes near the true ones, and doubts where there are none."""

    def confidence(low: float, high: float) -> float:
        return round(float(rng.uniform(low, high)), 3)

    words = truth.split()
    if words[0] == "none":
        parts = [f"none {confidence(0.4, 1)} {WHOLE}"]
        if rng.random() < 0.5:
            parts.append(f"opacity {confidence(0, 0.5)} 100.5 100 300 400.25")
        return " ".join(parts)
    parts = []
    for start in range(0, len(words), 6):
        box = np.array(words[start + 2 : start + 6], float) + rng.normal(0, 80, 4)
        if rng.random() < 0.85:
            parts.append(f"opacity {confidence(0.3, 1)} " + " ".join(f"{value:.2f}" for value in box))
    parts.append(f"none {confidence(0, 0.6)} {WHOLE}")
    return " ".join(parts)


def _with_rival(text: str) -> str:
    """True boxes at a low confidence, and beside the first one a shifted box at a high one."""
    if text.startswith("none"):
        return text
    rival = " ".join(f"{float(value) + 60:.1f}" for value in text.split()[2:6])
    return text.replace("opacity 1 ", "opacity 0.4 ") + f" opacity 0.9 {rival}"


def _guess(case: Case) -> list[str]:
    """Every study class with a probability; boxes shifted, some left out, some invented."""
    return [(_noisy_study if _is_study(text) else _noisy_image)(case.rng, text) for text in case.truth]


def _is_study(text: str) -> bool:
    return text.split()[0] in WORDS


def _sure(confidence: float) -> Callable[[str], str]:
    return lambda text: text.replace(f" 1 {WHOLE}", f" {confidence} {WHOLE}")


IN_STUDIES: dict[str, Callable[[str], str]] = {
    "iou_exactly_half": lambda text: text.split()[0] + " 1 0 0 0.5 1",  # no match
    "iou_just_over_half": lambda text: text.split()[0] + " 1 0 0 0.51 1",  # a match
    "zero_confidence": _sure(0),  # as if they were missed
    "negative_confidence": _sure(-0.5),  # these rank below what is not predicted
    "high_confidence": _sure(100),  # accepted
    "unknown_class": lambda text: f"{text} covid 1 {WHOLE}",  # passed over
    "opacity_in_study": lambda text: f"{text} opacity 1.5 {WHOLE}",  # false ones
}
IN_IMAGES: dict[str, Callable[[str], str]] = {
    "double_boxes": lambda text: f"{text} {text}",  # the second one is false
    "inverted_boxes": lambda text: NO_OPACITY if text.startswith("none") else "opacity 0.9 500 500 100 100",
    "blank_strings": lambda _: " ",
    "greedy": lambda text: _with_rival(text),  # a shifted box of higher confidence takes the true box first
}
EVERY_WORD = " ".join(f"{word} 1 {WHOLE}" for word in WORDS)


def _special(case: Case) -> dict[str, Any]:
    studies = case.truth.map(_is_study)
    return {
        **{name: case.truth.mask(studies, case.truth.map(change)) for name, change in IN_STUDIES.items()},
        **{name: case.truth.where(studies, case.truth.map(change)) for name, change in IN_IMAGES.items()},
        "equal_confidence": np.where(studies, EVERY_WORD, NO_OPACITY + " " + case.truth),
    }


submissions = Submissions(
    guess=_guess,
    usual=Usual(cells="perfect", twice="first_row", wrong_column="prediction", capital_id="Id", extra={"note": "a,b"}),
    cells={
        "malformed_number": f"typical high {WHOLE}",
        "malformed_length": "typical 1 0 0 1",
        "nan_confidence": f"typical nan {WHOLE}",
    },
    special=_special,
)
