"""Practice, tabular regression: how far has diabetes progressed a year later?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.competition import Competition
from mlebench.competitions.families.practice import PRACTICE_ISSUES, hold_out, write_shuffled
from mlebench.grade import aligned, numbers
from mlebench.metrics import rmse

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="practice-diabetes",
    name="Practice: Diabetes Progression",
    category="Tabular",
    metric="root mean squared error",
    better="lower",
    group="practice",
    known_issues=PRACTICE_ISSUES,
)


@competition.raw_data
def write_raw(raw: Path) -> None:
    """Write the measurements in their own units, and the progression of the disease."""
    from sklearn.datasets import load_diabetes

    source = load_diabetes(as_frame=True, scaled=False)
    # The source has four decimals; versions of scikit-learn differ in the last bit of what they read.
    write_shuffled(raw, source.data.round(4).assign(progression=source.target))


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out 30 % of the patients."""
    _, test = hold_out(raw, public, target="progression", stratify=False)
    public.write_csv("sample_submission.csv", test[["id"]].assign(progression=150.0))
    private.write_csv("test.csv", test[["id", "progression"]])


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Root mean squared error of the predicted progression."""
    truth, predicted = aligned(submission, answers, on="id", target="progression")
    return rmse(truth, numbers(predicted))
