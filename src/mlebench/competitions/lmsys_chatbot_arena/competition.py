"""LMSYS chatbot arena: which of two chatbots does a person prefer?"""

import numpy as np

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    distributions,
    log_loss,
    probabilities,
    random_split,
)

OUTCOMES = ["winner_model_a", "winner_model_b", "winner_tie"]

competition = Competition(
    "lmsys-chatbot-arena",
    "LMSYS - Chatbot Arena Human Preference Predictions",
    category="Text (Other)",
    metric="multi-class log loss",
    group="medium",
    answers="answers.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the conversations; contestants do not see which models they are with."""
    train, test = random_split(raw.read_csv("train.csv", lean=True), test_size=0.1, consume=True)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test[["id", "prompt", "response_a", "response_b"]])
    public.write_csv("sample_submission.csv", test[["id"]].assign(**dict.fromkeys(OUTCOMES, 1 / 3)))
    private.write_csv("answers.csv", test)


@competition.grade
def grade(submission: Table, answers: Table, rescale: bool = False) -> float:
    """Log loss of the predicted probabilities."""
    truth, predicted = aligned(submission, answers, on="id", target=OUTCOMES)
    if rescale:
        return log_loss(truth, distributions(predicted, rescale=True))
    chances = probabilities(predicted)
    sums = chances.sum(axis=1)
    wrong = sums.round(6) != 1
    if wrong.any():
        raise InvalidSubmissionError(
            f"The probabilities of {np.count_nonzero(wrong)} of {len(sums)} rows do not sum to 1 to six decimals (one "
            f"row sums to {sums[wrong][0]:.8g}); divide each row by its sum, and do not round.",
            code=RefusalCode.WRONG_SUM,
            where=lambda table: probabilities(table[OUTCOMES]).sum(axis=1).round(6) != 1,
        )
    return log_loss(truth, chances)


competition.v2(rescale=True)
