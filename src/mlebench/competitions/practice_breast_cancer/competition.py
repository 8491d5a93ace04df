"""Practice, tabular classification: is the tumour malignant?"""

from pathlib import Path

from mlebench.competitions.families import practice
from mlebench.kit import Competition, Output, Raw, Table, aligned, probabilities, roc_auc

competition = Competition(
    "practice-breast-cancer",
    "Practice: Breast Cancer",
    category="Tabular",
    metric="area under the ROC curve",
    group="practice",
)


@competition.raw_data
def write_raw(raw: Path) -> None:
    """Write the measurements under names without spaces, and whether the tumour is malignant."""
    from sklearn.datasets import load_breast_cancer

    source = load_breast_cancer(as_frame=True)
    measurements = source.data.rename(columns=lambda name: name.replace(" ", "_"))
    practice.write_shuffled(raw, measurements.assign(malignant=1 - source.target))  # the source counts benign as 1


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out 30 % of the tumours, with the same share of malignant ones."""
    _, test = practice.hold_out(raw, public, target="malignant", stratify=True)
    public.write_csv("sample_submission.csv", test[["id"]].assign(malignant=0.5))
    private.write_csv("test.csv", test[["id", "malignant"]])


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the probability of malignancy."""
    truth, predicted = aligned(submission, answers, on="id", target="malignant")
    return roc_auc(truth, probabilities(predicted))
