"""Spooky author identification: Poe, Lovecraft or Shelley?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import one_hot, random_split
from mlebench.grade import InvalidSubmissionError, aligned, distributions, require_columns
from mlebench.metrics import log_loss

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

AUTHORS = ["EAP", "HPL", "MWS"]
SHARES = {"EAP": 0.403493538995863, "HPL": 0.287808366106543, "MWS": 0.308698094897594}

competition = Competition(
    id="spooky-author-identification",
    name="Spooky Author Identification",
    category="Text Classification",
    metric="multi-class log loss",
    better="lower",
    group="low",
    gigabytes=0.0019,
    known_issues=(
        KnownIssue(
            "Rows that do not sum to 1 are refused and probabilities are clipped at the machine epsilon, "
            "where the original text promises to rescale rows and to clip at 1e-15.",
            v2="Rescales rows and clips as the original text says.",
        ),
        KnownIssue("The books are in the public domain, so the author of a sentence can be looked up."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out a tenth of the sentences."""
    train, test = random_split(raw.read_csv("train.zip"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="author"))
    public.write_csv("sample_submission.csv", test[["id"]].assign(**SHARES))
    private.write_csv("test.csv", test[["id"]].join(one_hot(test["author"], AUTHORS)))


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Log loss of the probabilities of the three authors."""
    require_columns(submission, ["id", *AUTHORS], exactly=True)
    if submission.columns[0] != "id":  # as published: all columns but the first are probabilities
        raise InvalidSubmissionError("The column id must come first, before the columns EAP, HPL and MWS.")
    truth, predicted = aligned(submission, answers, on="id", target=AUTHORS)
    return log_loss(truth, distributions(predicted))
