"""Practice, tabular classification: is the tumour malignant?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.competition import Competition
from mlebench.competitions.families.practice import PRACTICE_ISSUES, hold_out, write_shuffled
from mlebench.grade import aligned, probabilities
from mlebench.metrics import roc_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="practice-breast-cancer",
    name="Practice: Breast Cancer",
    category="Tabular",
    metric="area under the ROC curve",
    group="practice",
    known_issues=PRACTICE_ISSUES,
)


@competition.raw_data
def write_raw(raw: Path) -> None:
    """Write the measurements under names without spaces, and whether the tumour is malignant."""
    from sklearn.datasets import load_breast_cancer

    source = load_breast_cancer(as_frame=True)
    measurements = source.data.rename(columns=lambda name: name.replace(" ", "_"))
    write_shuffled(raw, measurements.assign(malignant=1 - source.target))  # the source counts benign as 1


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out 30 % of the tumours, with the same share of malignant ones."""
    _, test = hold_out(raw, public, target="malignant", stratify=True)
    public.write_csv("sample_submission.csv", test[["id"]].assign(malignant=0.5))
    private.write_csv("test.csv", test[["id", "malignant"]])


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of the probability of malignancy."""
    truth, predicted = aligned(submission, answers, on="id", target="malignant")
    return roc_auc(truth, probabilities(predicted))
