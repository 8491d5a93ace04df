"""Movie review sentiment: how positive is a phrase from a film review, on a scale of five?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.data import random_split
from mlebench.grade import aligned, class_numbers
from mlebench.metrics import accuracy

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="movie-review-sentiment-analysis-kernels-only",
    name="Movie Review Sentiment Analysis (Kernels Only)",
    category="Text Classification",
    metric="accuracy",
    group="dev",
    answers="answers.csv",
    sample="sampleSubmission.csv",
    known_issues=(
        KnownIssue(
            "The split is by phrase, so most test phrases contain, or are contained in, a labelled phrase of "
            "the same sentence; scores are higher than on Kaggle, which split by sentence.",
            v2="Splits by sentence.",
        ),
        KnownIssue(
            'Phrases such as "None", "null" or "NA" are lost as missing values.',
            v2="Reads every phrase as text.",
        ),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Hold out three tenths of the phrases."""
    train, test = random_split(raw.read_csv("train.tsv.zip", sep="\t"), test_size=0.3)
    public.write_csv("train.tsv.zip", train, sep="\t")
    public.write_csv("test.tsv.zip", test.drop(columns="Sentiment"), sep="\t")
    public.write_csv("sampleSubmission.csv", test[["PhraseId"]].assign(Sentiment=2))
    private.write_csv("answers.csv", test)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Share of phrases whose sentiment is predicted right."""
    truth, predicted = aligned(submission, answers, on="PhraseId", target="Sentiment")
    return accuracy(truth, class_numbers(predicted))
