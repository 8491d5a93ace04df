"""Jigsaw unintended bias: how toxic is a comment, judged alike whichever group it mentions?"""

from typing import Any

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    bias_auc,
    numbers,
)

IDENTITIES = [
    "male", "female", "homosexual_gay_or_lesbian", "christian", "jewish", "muslim", "black", "white",
    "psychiatric_or_mental_illness",
]  # fmt: skip
THRESHOLD = 0.5

competition = Competition(
    "jigsaw-unintended-bias-in-toxicity-classification",
    "Jigsaw Unintended Bias in Toxicity Classification",
    category="Text Classification",
    metric="mean of overall AUC and bias AUCs",
    group="medium",
    breaks=["wrong_values_refused"],  # as published, an empty prediction counts as not toxic
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Take Kaggle's own training set and its private test set, whose labels were published later."""
    test = raw.read_csv("test_private_expanded.csv", usecols=["id", "comment_text"])
    public.place({"train.csv": raw["train.csv"]})
    public.write_csv("test.csv", test)
    public.write_csv("sample_submission.csv", test[["id"]].assign(prediction=0.0))
    private.place({"test.csv": raw["test_private_expanded.csv"]})


@competition.grade
def grade(submission: Table, answers: Table, cut_predictions: bool = True) -> float:
    """Mean of the AUC of all comments and of AUCs on those that mention each identity."""
    named = [name for name in ("prediction", "toxicity") if name in submission]
    if len(named) == 2:
        raise InvalidSubmissionError(
            "The submission has the columns prediction and toxicity; keep one of them.",
            code=RefusalCode.DUPLICATE_COLUMNS,
        )
    target = named[0] if named else "prediction"
    truth, predicted = aligned(submission, answers.rename(columns={"toxicity": target}), on="id", target=target)
    # As published: predictions are cut at the threshold too, so their ranking is lost and an empty cell counts as 0.
    if cut_predictions:
        scores: Any = numbers(predicted, missing=True, infinite=True) >= THRESHOLD
    else:
        scores = numbers(predicted)
    return bias_auc(truth >= THRESHOLD, scores, answers[IDENTITIES] >= THRESHOLD)


competition.v2(cut_predictions=False, breaks=[])
