"""Practice, tabular regression: how far has diabetes progressed a year later?"""

from pathlib import Path

from mlebench.competitions.families import practice
from mlebench.kit import Competition, Output, Raw, Table, aligned, numbers, rmse

competition = Competition(
    "practice-diabetes",
    "Practice: Diabetes Progression",
    category="Tabular",
    metric="root mean squared error",
    group="practice",
)


@competition.raw_data
def write_raw(raw: Path) -> None:
    """Write the measurements in their own units, and the progression of the disease."""
    from sklearn.datasets import load_diabetes

    source = load_diabetes(as_frame=True, scaled=False)
    # The source has four decimals; versions of scikit-learn differ in the last bit of what they read.
    practice.write_shuffled(raw, source.data.round(4).assign(progression=source.target))


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out 30 % of the patients."""
    _, test = practice.hold_out(raw, public, target="progression", stratify=False)
    public.write_csv("sample_submission.csv", test[["id"]].assign(progression=150.0))
    private.write_csv("test.csv", test[["id", "progression"]])


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Root mean squared error of the predicted progression."""
    truth, predicted = aligned(submission, answers, on="id", target="progression")
    return rmse(truth, numbers(predicted))
