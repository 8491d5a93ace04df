"""U.S. patent phrases: how similar are two phrases within a technical field?"""

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    numbers,
    pearson,
    random_split,
)

competition = Competition(
    "us-patent-phrase-to-phrase-matching",
    "U.S. Patent Phrase to Phrase Matching",
    category="Text Regression",
    metric="Pearson correlation",
    group="medium",
    breaks=["sample_valid"],  # it is constant, so it has no correlation
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the pairs."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="score"))
    public.write_csv("sample_submission.csv", test[["id"]].assign(score=0))
    private.write_csv("test.csv", test)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Pearson correlation of predicted and true scores."""
    truth, predicted = aligned(submission, answers, on="id", target="score")
    scores = numbers(predicted)
    if (scores == scores[0]).all():
        raise InvalidSubmissionError(
            f"All predictions are {scores[0]:g}, and constant predictions have no correlation; let them vary.",
            code=RefusalCode.CONSTANT_PREDICTIONS,
        )
    return pearson(truth, scores)
