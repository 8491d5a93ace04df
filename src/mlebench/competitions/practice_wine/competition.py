"""Practice, multi-class classification: which of three cultivars is the wine made of?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mlebench.competition import Competition
from mlebench.competitions.families.practice import PRACTICE_ISSUES, hold_out, write_shuffled
from mlebench.grade import aligned, distributions
from mlebench.metrics import log_loss

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

CLASSES = ["class_0", "class_1", "class_2"]

competition = Competition(
    id="practice-wine",
    name="Practice: Wine Cultivars",
    category="Tabular",
    metric="multi-class log loss",
    better="lower",
    group="practice",
    known_issues=PRACTICE_ISSUES,
)


@competition.raw_data
def write_raw(raw: Path) -> None:
    """Write the chemical measurements and the cultivar of each wine."""
    from sklearn.datasets import load_wine

    source = load_wine(as_frame=True)
    measurements = source.data.rename(columns={"od280/od315_of_diluted_wines": "od280_od315"})
    write_shuffled(raw, measurements.assign(cultivar=np.array(CLASSES, dtype=object)[source.target]))


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out 30 % of the wines, cultivar by cultivar."""
    _, test = hold_out(raw, public, target="cultivar", stratify=True)
    ids = test[["id"]]
    public.write_csv("sample_submission.csv", ids.assign(**dict.fromkeys(CLASSES, 1 / 3)))
    private.write_csv("test.csv", ids.assign(**{name: (test["cultivar"] == name).astype(int) for name in CLASSES}))


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Mean negative logarithm of the probability given to the true cultivar."""
    truth, predicted = aligned(submission, answers, on="id", target=CLASSES)
    return log_loss(truth, distributions(predicted))
