"""Ventilator pressure: how does the pressure in a test lung rise and fall during a breath?"""

from mlebench.kit import Competition, Output, Raw, Table, aligned, group_split, mean_absolute_error, numbers

competition = Competition(
    "ventilator-pressure-prediction",
    "Google Brain - Ventilator Pressure Prediction",
    category="Tabular",
    metric="mean absolute error",
    group="medium",
    breaks=["ids_disjoint"],  # rows are numbered from 1 in both
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the breaths, and number the rows of both parts afresh from 1."""
    steps = raw.read_csv("train.csv", lean=True)
    train, test = group_split(steps, "breath_id", 0.1, consume=True, regroup=True)
    train, test = (part.assign(id=range(1, len(part) + 1)) for part in (train, test))
    digits = "%.10g"
    public.write_csv("train.csv", train, float_format=digits)
    public.write_csv("test.csv", test.drop(columns="pressure"), float_format=digits)
    public.write_csv("sample_submission.csv", test[["id"]].assign(pressure=0))
    private.write_csv("test.csv", test, float_format=digits)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean absolute error while air flows in; other rows must be there, but nobody looks at their predictions."""
    truth, predicted = aligned(submission, answers, on="id", target="pressure")
    inspiring = answers["u_out"].to_numpy() == 0
    return mean_absolute_error(truth[inspiring], numbers(predicted[inspiring]))
