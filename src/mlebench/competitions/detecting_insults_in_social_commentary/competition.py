"""Detecting insults in social commentary: is the comment meant to insult somebody in the conversation?"""

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
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
def prepare(raw: Raw, public: Output, private: Output, numbered: bool = False) -> None:
    """Take Kaggle's own training and test sets as they are."""
    public.place({"train.csv": raw["train.csv"]})
    if numbered:
        test = raw.read_csv("test_with_solutions.csv", text=["Date", "Comment"])[["Insult", "Date", "Comment"]]
        test.insert(0, "id", range(len(test)))
        public.write_csv("test.csv", test[["id", "Date", "Comment"]])
        public.write_csv("sample_submission_null.csv", test[["id"]].assign(Insult=0))
        private.write_csv("test.csv", test)
        return
    test = raw.read_csv("test_with_solutions.csv")[["Insult", "Date", "Comment"]]
    public.write_csv("test.csv", test[["Date", "Comment"]])
    public.write_csv("sample_submission_null.csv", test.assign(Insult=0))
    private.place({"test.csv": raw["test_with_solutions.csv"]})
    private.write_csv("gold_submission.csv", test)


@competition.grade
def grade(submission: Table, answers: Table, numbered: bool = False) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    if numbered:
        truth, predicted = aligned(submission, answers, on="id", target="Insult")
        return roc_auc(truth, probabilities(predicted))
    require_columns(submission, ["Comment", "Insult"])
    require_rows(submission, answers)
    same_ids(submission["Comment"], answers["Comment"], "Comment")
    submission = submission.assign(Insult=probabilities(submission["Insult"]))
    true_rows, rows = paired_by_position(submission, answers, on="Comment")
    if (true_rows["Comment"] != rows["Comment"]).any():
        surplus = submission["Comment"].value_counts() - answers["Comment"].value_counts()
        raise InvalidSubmissionError(
            "A comment occurs more or less often than in test.csv; give one row for each of its rows.",
            code=RefusalCode.DUPLICATE_IDS,
            where=in_cell(surplus.idxmax()),
        )
    return roc_auc(true_rows["Insult"], rows["Insult"])


competition.v2(numbered=True, breaks=[])
