"""Automated essay scoring 2.0: which mark from 1 to 6 does a student's essay get?"""

import numpy as np

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Table,
    aligned,
    one_of,
    quadratic_weighted_kappa,
    random_split,
    whole_numbers,
)

competition = Competition(
    "learning-agency-lab-automated-essay-scoring-2",
    "Learning Agency Lab - Automated Essay Scoring 2.0",
    category="Text Regression",
    metric="quadratic weighted kappa",
    group="medium",
    answers="answers.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the essays."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns="score"))
    marks = np.random.RandomState(42).randint(1, 7, size=len(test), dtype=np.int64)
    public.write_csv("sample_submission.csv", test[["essay_id"]].assign(score=marks))
    private.write_csv("answers.csv", test)


@competition.grade
def grade(submission: Table, answers: Table, marks: range | None = None) -> float:
    """Quadratic weighted kappa of predicted and true marks."""
    truth, predicted = aligned(submission, answers, on="essay_id", target="score")
    # As published: any whole number is a mark, and marks are as far apart as their places among those that occur.
    values = whole_numbers(predicted)
    if marks is not None:
        one_of(predicted, marks)
    return quadratic_weighted_kappa(truth, values, ratings=marks)


competition.v2(marks=range(1, 7))
