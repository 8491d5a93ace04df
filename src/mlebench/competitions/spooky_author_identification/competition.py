"""Spooky author identification: Poe, Lovecraft or Shelley?"""

from mlebench.kit import (
    EPSILON,
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    distributions,
    log_loss,
    one_hot,
    random_split,
    require_columns,
)

AUTHORS = ["EAP", "HPL", "MWS"]
SHARES = {"EAP": 0.403493538995863, "HPL": 0.287808366106543, "MWS": 0.308698094897594}

competition = Competition(
    "spooky-author-identification",
    "Spooky Author Identification",
    category="Text Classification",
    metric="multi-class log loss",
    group="low",
    gigabytes=0.0019,
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the sentences."""
    train, test = random_split(raw.read_csv("train.zip"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="author"))
    public.write_csv("sample_submission.csv", test[["id"]].assign(**SHARES))
    private.write_csv("test.csv", test[["id"]].join(one_hot(test["author"], AUTHORS)))


@competition.grade
def grade(submission: Table, answers: Table, rescale: bool = False, epsilon: float = EPSILON) -> float:
    """Log loss of the probabilities of the three authors."""
    require_columns(submission, ["id", *AUTHORS], exactly=True)
    if submission.columns[0] != "id":  # as published: all columns but the first are probabilities
        raise InvalidSubmissionError(
            "The column id must come first, before the columns EAP, HPL and MWS.", code=RefusalCode.WRONG_COLUMN_ORDER
        )
    truth, predicted = aligned(submission, answers, on="id", target=AUTHORS)
    return log_loss(truth, distributions(predicted, rescale=rescale), epsilon=epsilon)


competition.v2(rescale=True, epsilon=1e-15)
