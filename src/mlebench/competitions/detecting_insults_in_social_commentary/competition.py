"""Detecting insults in social commentary: is the comment meant to insult somebody in the conversation?"""

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    in_cell,
    paired_by_position,
    probabilities,
    require_columns,
    require_rows,
    roc_auc,
    same_ids,
)

competition = Competition(
    "detecting-insults-in-social-commentary",
    "Detecting Insults in Social Commentary",
    category="Text Classification",
    metric="area under the ROC curve",
    group="low",
    sample="sample_submission_null.csv",
    gigabytes=0.002,
    breaks=["ids_disjoint"],  # there are none: the first column has the predictions
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Take Kaggle's own training and test sets as they are."""
    test = raw.read_csv("test_with_solutions.csv")[["Insult", "Date", "Comment"]]
    public.place({"train.csv": raw["train.csv"]})
    public.write_csv("test.csv", test[["Date", "Comment"]])
    public.write_csv("sample_submission_null.csv", test.assign(Insult=0))
    private.place({"test.csv": raw["test_with_solutions.csv"]})
    private.write_csv("gold_submission.csv", test)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    require_columns(submission, ["Comment", "Insult"])
    require_rows(submission, answers)
    same_ids(submission["Comment"], answers["Comment"], "Comment")
    submission = submission.assign(Insult=probabilities(submission["Insult"]))
    truth, predicted = paired_by_position(submission, answers, on="Comment")
    if (truth["Comment"] != predicted["Comment"]).any():
        surplus = submission["Comment"].value_counts() - answers["Comment"].value_counts()
        raise InvalidSubmissionError(
            "A comment occurs more or less often than in test.csv; give one row for each of its rows.",
            code=RefusalCode.DUPLICATE_IDS,
            where=in_cell(surplus.idxmax()),
        )
    return roc_auc(truth["Insult"], predicted["Insult"])
