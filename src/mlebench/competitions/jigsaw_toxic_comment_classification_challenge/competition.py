"""Toxic comments: which of six kinds of toxic behaviour does a comment show?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlebench.competition import Competition, KnownIssue
from mlebench.grade import InvalidSubmissionError, known_ids, numbers, require_columns, require_rows
from mlebench.metrics import mean_column_auc

if TYPE_CHECKING:
    import pandas as pd

    from mlebench.data.folders import OutputFolder, RawFiles

KINDS = ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"]

competition = Competition(
    id="jigsaw-toxic-comment-classification-challenge",
    name="Toxic Comment Classification Challenge",
    category="Text Classification",
    metric="mean column-wise area under the ROC curve",
    group="low",
    gigabytes=0.06,
    known_issues=(
        KnownIssue(
            "The six columns of predictions are taken in the order in which they stand, not by name.",
            v2="Takes them by name and passes over further columns.",
        ),
        KnownIssue(
            "A submission in which one id is replaced by a second copy of another can get a wrong score.",
            v2="Refuses repeated ids.",
        ),
        KnownIssue(
            'Comments such as "NA" or "null" are lost as missing values in the public files.',
            v2="Reads every comment as text.",
        ),
        KnownIssue("The labels of the test set are public."),
    ),
)


@competition.prepare
def prepare(raw: RawFiles, public: OutputFolder, private: OutputFolder) -> None:
    """Take Kaggle's own training and test sets, and the test labels that were published later."""
    public.write_csv("train.csv", raw.read_csv("train.csv.zip"))
    public.write_csv("test.csv", raw.read_csv("test.csv.zip"))
    sample = raw.read_csv("sample_submission.csv.zip")
    public.write_csv("sample_submission.csv", sample.assign(**dict.fromkeys(KINDS, 0.5)))
    private.write_csv("test.csv", raw.read_csv("test_labels.csv.zip"))


@competition.grade
def grade(submission: pd.DataFrame, answers: pd.DataFrame) -> float:
    """Mean over the six kinds of the area under the ROC curve, on the comments that are scored."""
    require_columns(submission, ["id", *KINDS], exactly=True)
    require_rows(submission, answers)
    known_ids(submission["id"], answers["id"], "id")
    scored = answers.set_index("id")[KINDS].sum(axis=1) >= 0  # the others have -1 throughout
    # As published: rows are paired by position after pandas' own sort, which leaves ascending ids alone and
    # is not stable otherwise; where an id is repeated, rows shift. Columns too are paired by position.
    truth, predicted = (table.set_index("id").sort_index() for table in (answers, submission))
    truth, predicted = (table[scored.loc[table.index].to_numpy()] for table in (truth, predicted))
    if len(truth) != len(predicted):
        raise InvalidSubmissionError("The column id repeats some ids and lacks others; every id must occur once.")
    return mean_column_auc(truth[KINDS], numbers(predicted))
