"""Practice, multi-class classification: which of three cultivars is the wine made of?"""

from pathlib import Path

import numpy as np

from mlebench.competitions.families import practice
from mlebench.kit import Competition, Output, Raw, Table, aligned, distributions, log_loss

CLASSES = ["class_0", "class_1", "class_2"]

competition = Competition(
    "practice-wine", "Practice: Wine Cultivars", category="Tabular", metric="multi-class log loss", group="practice"
)


@competition.raw_data
def write_raw(raw: Path) -> None:
    """Write the chemical measurements and the cultivar of each wine."""
    from sklearn.datasets import load_wine

    source = load_wine(as_frame=True)
    measurements = source.data.rename(columns={"od280/od315_of_diluted_wines": "od280_od315"})
    practice.write_shuffled(raw, measurements.assign(cultivar=np.array(CLASSES, dtype=object)[source.target]))


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out 30 % of the wines, cultivar by cultivar."""
    _, test = practice.hold_out(raw, public, target="cultivar", stratify=True)
    ids = test[["id"]]
    public.write_csv("sample_submission.csv", ids.assign(**dict.fromkeys(CLASSES, 1 / 3)))
    private.write_csv("test.csv", ids.assign(**{name: (test["cultivar"] == name).astype(int) for name in CLASSES}))


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean negative logarithm of the probability given to the true cultivar."""
    truth, predicted = aligned(submission, answers, on="id", target=CLASSES)
    return log_loss(truth, distributions(predicted))
