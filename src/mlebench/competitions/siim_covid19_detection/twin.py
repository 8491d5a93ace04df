"""Twin of siim-covid19-detection: tiny radiographs that are brighter within the boxes of opacities."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.twins.kit import examples
from mlebench.twins.kit.dicom import radiograph
from mlebench.twins.kit.examples import Example

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


def submissions(prepared: Path, seed: int) -> Iterator[Example]:
    """Classes and boxes of all sorts, odd confidences, and every way to break the rules."""
    rng = np.random.default_rng(seed + 1)
    answers = examples.table(prepared, "private/test.csv")
    is_study = answers["id"].str.endswith("_study")
    yield Example("perfect", answers, "the answers themselves")
    sample = examples.table(prepared, "public/sample_submission.csv")
    yield Example("sample", sample, "the sample submission")
    guess = [
        _noisy_study(rng, truth) if study else _noisy_image(rng, truth)
        for study, truth in zip(is_study, answers["PredictionString"], strict=True)
    ]
    noisy = answers.assign(PredictionString=guess)
    yield Example("noisy", noisy, "every study class with a probability; boxes shifted, some left out, some invented")
    yield examples.shuffled(noisy, seed)
    yield Example("extra_column", noisy.assign(note="a,b"), "as noisy, one more column")
    yield from _variants(answers, is_study)
    yield examples.missing_row(answers)
    yield examples.extra_row(answers)
    yield examples.first_for_last(answers)
    yield examples.unknown_id(answers, "id", "x")
    yield examples.renamed(answers, "PredictionString", "prediction")
    yield examples.renamed(answers, "id", "Id", "capital_id")
    mistakes = {
        "malformed_number": (f"typical high {WHOLE}", "a confidence that is not a number"),
        "malformed_length": ("typical 1 0 0 1", "five values where six are due"),
        "nan_confidence": (f"typical nan {WHOLE}", "a confidence of nan"),
        "nan": (None, "an empty prediction"),
    }
    for name, (value, note) in mistakes.items():
        yield Example(name, examples.with_cell(answers, "PredictionString", value), note)
    yield examples.empty()


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


def _variants(answers: pd.DataFrame, is_study: pd.Series) -> Iterator[Example]:
    """The answers, changed in the study rows or in the image rows."""
    truth = answers["PredictionString"]

    def studies(change: Callable[[str], str]) -> pd.DataFrame:
        return answers.assign(PredictionString=truth.mask(is_study, truth.map(change)))

    def images(change: Callable[[str], str]) -> pd.DataFrame:
        return answers.assign(PredictionString=truth.where(is_study, truth.map(change)))

    def with_confidence(value: object) -> pd.DataFrame:
        return studies(lambda text: text.replace(f" 1 {WHOLE}", f" {value} {WHOLE}"))

    every_word = " ".join(f"{word} 1 {WHOLE}" for word in WORDS)
    equal = np.where(is_study, every_word, NO_OPACITY + " " + truth)
    equal_confidence = answers.assign(PredictionString=equal)
    yield Example("equal_confidence", equal_confidence, "all study classes, and none beside true boxes: all tied at 1")
    yield Example("double_boxes", images(lambda text: f"{text} {text}"), "each box twice: the second one is false")
    half = studies(lambda text: text.split()[0] + " 1 0 0 0.5 1")
    yield Example("iou_exactly_half", half, "study boxes with an IoU of exactly 0.5: no match")
    over_half = studies(lambda text: text.split()[0] + " 1 0 0 0.51 1")
    yield Example("iou_just_over_half", over_half, "study boxes with an IoU of 0.51: a match")
    inverted = images(lambda text: NO_OPACITY if text.startswith("none") else "opacity 0.9 500 500 100 100")
    yield Example("inverted_boxes", inverted, "boxes whose right edge is left of the left one")
    yield Example("zero_confidence", with_confidence(0), "right classes with confidence 0, as if they were missed")
    yield Example("negative_confidence", with_confidence(-0.5), "right classes that rank below what is not predicted")
    yield Example("high_confidence", with_confidence(100), "confidences above 1: accepted")
    yield Example("blank_strings", images(lambda _: " "), "a blank for every image: no boxes")
    unknown = studies(lambda text: f"{text} covid 1 {WHOLE}")
    yield Example("unknown_class", unknown, "a class that the answers do not have: passed over")
    misplaced = studies(lambda text: f"{text} opacity 1.5 {WHOLE}")
    yield Example("opacity_in_study", misplaced, "opacities in study rows: false ones")
    yield Example("greedy", images(_with_rival), "a shifted box of higher confidence takes the true box first")


def _with_rival(text: str) -> str:
    """True boxes at a low confidence, and beside the first one a shifted box at a high one."""
    if text.startswith("none"):
        return text
    rival = " ".join(f"{float(value) + 60:.1f}" for value in text.split()[2:6])
    return text.replace("opacity 1 ", "opacity 0.4 ") + f" opacity 0.9 {rival}"
