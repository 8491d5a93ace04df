"""Twin of osic-pulmonary-fibrosis-progression: lungs that lose capacity week by week, and scans that show it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from mlebench.kit import random_split
from mlebench.twins.kit.dicom import LITTLE_ENDIAN, Element, dicom, grey_pixels
from mlebench.twins.kit.submissions import Case, Submissions, Usual

COLUMNS = ["Patient", "Weeks", "FVC", "Percent", "Age", "Sex", "SmokingStatus"]
SEXES = ["Male", "Female"]
SMOKING = ["Ex-smoker", "Never smoked", "Currently smokes"]
CT_STORAGE = "1.2.840.10008.5.1.4.1.1.2"

Visit: TypeAlias = tuple[str, int, int, float, int, str, str]


def make(raw: Path, seed: int, scale: int) -> None:
    """Write visits and scans of the patients, and the small test set of the code contest, which is not used."""
    rng = np.random.default_rng(seed)
    numbers = range(7, 7 + 64 * scale, 2)
    patients = sorted({f"ID{number:05d}637202{int(rng.integers(10**12, 10**13))}" for number in numbers})
    train, test = random_split(patients, test_size=0.1)
    visits: list[Visit] = []
    for position, patient in enumerate(patients):
        count = int(rng.integers(5, 10))
        if patient == test[0]:
            count = 2  # fewer visits than are scored
        capacity, own = _visits(rng, patient, count)
        if patient in train[:2]:
            # Two measurements in one week; of a test patient they would stop the preparation.
            twice = own[2]
            own.append((*twice[:2], twice[2] + 9, *twice[3:]))
        visits += own[::-1] if position % 5 == 0 else own  # not all are in order of time
        _write_scan(rng, raw / "train" / patient, capacity)
    table = pd.DataFrame(visits, columns=COLUMNS)
    in_first_half = table["Patient"].isin(patients[::2])
    table = pd.concat([table[in_first_half], table[~in_first_half]])  # patients out of order
    table.to_csv(raw / "train.csv", index=False)
    _write_unused(raw, table.groupby("Patient").head(1).head(3))


def _visits(rng: np.random.Generator, patient: str, count: int) -> tuple[float, list[Visit]]:
    """The capacity of a patient's lungs at first, and the visits."""
    start = int(rng.integers(-5, 30))
    weeks = start + np.sort(rng.choice(np.arange(70), count, replace=False))
    capacity, slope = rng.uniform(1200, 4200), rng.uniform(-9, 1)
    measured = np.round(capacity + slope * (weeks - start) + rng.normal(0, 60, count)).astype(int)
    person = (int(rng.integers(49, 88)), str(rng.choice(SEXES)), str(rng.choice(SMOKING)))
    typical = capacity * 1.3
    return capacity, [
        (patient, int(week), int(volume), float(volume / typical * 100), *person)
        for week, volume in zip(weeks, measured, strict=True)
    ]


def _write_scan(rng: np.random.Generator, folder: Path, capacity: float) -> None:
    folder.mkdir(parents=True)
    for number in (1, 2):
        pixels = rng.integers(-200, 200, (6, 5)) + int((capacity - 2700) / 4)
        (folder / f"{number}.dcm").write_bytes(_slice(pixels, folder.name, number))


def _slice(pixels: NDArray[np.int64], patient: str, number: int) -> bytes:
    instance = f"1.2.826.0.1.{number}"
    meta: list[Element] = [
        (0x02, 0x01, "OB", b"\0\1"),
        (0x02, 0x02, "UI", CT_STORAGE),
        (0x02, 0x03, "UI", instance),
        LITTLE_ENDIAN,
        (0x02, 0x12, "UI", "1.2.826.0.1.3680043.8.498.1"),
        (0x02, 0x13, "SH", "PYDICOM 3.0.2"),
    ]
    *shape, picture = grey_pixels(pixels, signed=True)
    elements: list[Element] = [
        (0x08, 0x16, "UI", CT_STORAGE),
        (0x08, 0x18, "UI", instance),
        (0x08, 0x60, "CS", "CT"),
        (0x10, 0x20, "LO", patient),
        (0x20, 0x13, "IS", str(number)),
        *shape,
        (0x28, 0x1052, "DS", "-1024.0"),
        (0x28, 0x1053, "DS", "1.0"),
        picture,
    ]
    return dicom(elements, meta)


def _write_unused(raw: Path, visits: pd.DataFrame) -> None:
    """Kaggle's own test set: a few of the training patients again."""
    visits.to_csv(raw / "test.csv", index=False)
    for patient in visits["Patient"]:
        (raw / "test" / patient).mkdir(parents=True)
        (raw / f"test/{patient}/1.dcm").write_bytes((raw / f"train/{patient}/1.dcm").read_bytes())
    weeks = [f"{patient}_{week}" for patient in visits["Patient"] for week in range(-12, 4)]
    sample = pd.DataFrame({"Patient_Week": weeks, "FVC": 2000, "Confidence": 100})
    sample.to_csv(raw / "sample_submission.csv", index=False)


def _perfect(case: Case) -> pd.DataFrame:
    """The true values, with the smallest confidence that makes a difference."""
    average = case.full.groupby("Patient")["FVC"].transform("mean")
    return case.full[["Patient_Week"]].assign(FVC=case.full["FVC"].fillna(average), Confidence=70)


def _guess(case: Case) -> dict[str, Any]:
    volumes = case.answers["FVC"] + case.rng.normal(0, 150, case.n)
    return {"FVC": volumes, "Confidence": case.rng.uniform(50, 350, case.n)}


def _special(case: Case) -> dict[str, Any]:
    """Rows and cells left out, repeated and broken, where they count and where they do not."""
    perfect, noisy, volumes = case.answers, case.noisy, case.noisy["FVC"]
    visits = case.full.dropna(subset=["FVC"]).sort_values("Weeks")
    scored = visits.groupby("Patient").tail(3)["Patient_Week"]
    counts, first = case.ids.isin(scored), case.ids == scored.iloc[0]
    idle = case.ids == case.full.loc[case.full["FVC"].isna(), "Patient_Week"].iloc[0]
    one = noisy[first]
    return {
        "low_confidence_value": noisy.assign(Confidence=1),  # counts as 70
        "negative_confidence": noisy.assign(Confidence=-500),  # counts as 70
        "far_off": noisy.assign(FVC=volumes + 5000),  # every error counts as 1000 ml
        "missing_row": perfect[~first],  # accepted
        "missing_unscored_row": noisy[~idle],
        "only_scored": noisy[counts],
        "only_easy": perfect.iloc[::2],  # the others are not graded
        "no_scored_row": noisy[~counts],  # the mean of nothing
        "one_row": one,
        "extra_row": pd.concat([noisy, one]),
        "extra_unscored_row": pd.concat([noisy, noisy[idle]]),
        "one_id_twice_only": pd.concat([one, one.assign(FVC=one["FVC"] + 100)]),  # both are compared with its truth
        "no_confidence": noisy.drop(columns="Confidence"),
        "nan": noisy.assign(FVC=volumes.mask(first)),  # the score is not a number
        "nan_unscored": noisy.assign(FVC=volumes.where(counts)),
        "nan_confidence": noisy.assign(Confidence=noisy["Confidence"].mask(counts)),  # counts as 0, and so as 70
        "text_confidence": noisy.assign(Confidence="high"),
    }


submissions = Submissions(
    perfect=_perfect,
    guess=_guess,
    usual=Usual("noisy", twice=None, unknown="ID00000000000000000000000_5", wrong_column="fvc", no_id="id"),
    cells={"text": "x"},
    special=_special,
)
