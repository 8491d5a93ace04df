"""Detecting insults in social commentary: is the comment meant to insult somebody in the conversation?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.grade import InvalidSubmissionError, probabilities, require_columns, require_rows, same_ids
from mlebench.metrics import roc_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

competition = Competition(
    id="detecting-insults-in-social-commentary",
    name="Detecting Insults in Social Commentary",
    category="Text Classification",
    metric="area under the ROC curve",
    group="low",
    sample="sample_submission_null.csv",
    gigabytes=0.002,
    known_issues=(
        KnownIssue(
            "Rows are matched by the text of the comment, so rows with the same text pair up by chance; a "
            'test comment "NA" would be read as missing, and no submission could match it.',
            v2="Gives every comment a number, matches by it, and reads every comment as text.",
        ),
        KnownIssue("The labels of the test set are public."),
        KnownIssue(
            "The original leaderboard was decided on a later verification set, so its scores are not "
            "strictly comparable."
        ),
        KnownIssue(
            "The original text speaks of sample_submissions_null.csv and of predictions in the first column; "
            "the file is sample_submission_null.csv and columns are found by name."
        ),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Take Kaggle's own training and test sets as they are."""
    test = raw.read_csv("test_with_solutions.csv")[["Insult", "Date", "Comment"]]
    public.place({"train.csv": raw["train.csv"]})
    public.write_csv("test.csv", test[["Date", "Comment"]])
    public.write_csv("sample_submission_null.csv", test.assign(Insult=0))
    private.place({"test.csv": raw["test_with_solutions.csv"]})
    private.write_csv("gold_submission.csv", test)


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Area under the ROC curve of the predicted probabilities."""
    require_columns(submission, ["Comment", "Insult"])
    require_rows(submission, answers)
    same_ids(submission["Comment"], answers["Comment"], "Comment")
    submission = submission.assign(Insult=probabilities(submission["Insult"]))
    # As published: rows with the same text are paired as this sort, which is not stable, leaves them.
    truth, predicted = (table.sort_values("Comment", ignore_index=True) for table in (answers, submission))
    if (truth["Comment"] != predicted["Comment"]).any():
        raise InvalidSubmissionError(
            "A comment occurs more or less often than in test.csv; give one row for each of its rows."
        )
    return roc_auc(truth["Insult"], predicted["Insult"])
