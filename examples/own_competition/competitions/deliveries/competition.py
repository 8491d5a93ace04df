"""Deliveries: how many minutes does a meal take to arrive?"""

from pathlib import Path

from mlebench.kit import Competition, Output, Raw, Table, aligned, numbers, random_split, rmse

competition = Competition("deliveries", "Deliveries", category="Tabular", metric="root mean squared error")


@competition.raw_data
def write_raw(raw: Path) -> None:
    """Make the raw data; without this function it would be an archive deliveries.zip of yours, given by --source."""
    import numpy as np
    import pandas as pd

    rng = np.random.default_rng(20)
    n = 500
    table = pd.DataFrame({"id": np.arange(n), "kilometres": rng.gamma(4, 1, n).round(2), "rain": rng.integers(0, 2, n)})
    table["minutes"] = (14 + 4.2 * table["kilometres"] + 7 * table["rain"] + rng.normal(0, 4, n)).round(1)
    table.to_csv(raw / "deliveries.csv", index=False)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a fifth of the deliveries."""
    train, test = random_split(raw.read_csv("deliveries.csv"), test_size=0.2)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="minutes"))
    public.write_csv("sample_submission.csv", test[["id"]].assign(minutes=30.0))
    private.write_csv("test.csv", test[["id", "minutes"]])


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Root mean squared error of the predicted minutes; nothing arrives before it was ordered."""
    truth, predicted = aligned(submission, answers, on="id", target="minutes")
    return rmse(truth, numbers(predicted, low=0))
