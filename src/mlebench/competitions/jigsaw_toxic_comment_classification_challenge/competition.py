"""Toxic comments: which of six kinds of toxic behaviour does a comment show?"""

from collections.abc import Sequence

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    known_ids,
    mean_column_auc,
    numbers,
    require_columns,
    require_rows,
)

KINDS = ["toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate"]

competition = Competition(
    "jigsaw-toxic-comment-classification-challenge",
    "Toxic Comment Classification Challenge",
    category="Text Classification",
    metric="mean column-wise area under the ROC curve",
    group="low",
    gigabytes=0.06,
    breaks=["wrong_values_refused"],  # as published, nobody looks at predictions for comments that are not scored
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, text: Sequence[str] = ()) -> None:
    """Take Kaggle's own training and test sets, and the test labels that were published later."""
    public.write_csv("train.csv", raw.read_csv("train.csv.zip", text=text))
    public.write_csv("test.csv", raw.read_csv("test.csv.zip", text=text))
    sample = raw.read_csv("sample_submission.csv.zip")
    public.write_csv("sample_submission.csv", sample.assign(**dict.fromkeys(KINDS, 0.5)))
    private.write_csv("test.csv", raw.read_csv("test_labels.csv.zip"))


@competition.grade
def grade(submission: Table, answers: Table, by_id_and_name: bool = False) -> float:
    """Mean over the six kinds of the area under the ROC curve, on the comments that are scored."""
    if by_id_and_name:
        labels, given = aligned(submission, answers, on="id", target=KINDS)
        known = labels.sum(axis=1).to_numpy() >= 0
        return mean_column_auc(labels[known], numbers(given)[known])
    require_columns(submission, ["id", *KINDS], exactly=True)
    require_rows(submission, answers)
    known_ids(submission["id"], answers["id"], "id")
    scored = answers.set_index("id")[KINDS].sum(axis=1) >= 0  # the others have -1 throughout
    # As published: rows are paired by position after pandas' own sort, which leaves ascending ids alone and
    # is not stable otherwise; where an id is repeated, rows shift. Columns too are paired by position.
    truth, predicted = (table.set_index("id").sort_index() for table in (answers, submission))
    truth, predicted = (table[scored.loc[table.index].to_numpy()] for table in (truth, predicted))
    if len(truth) != len(predicted):
        raise InvalidSubmissionError(
            "The column id repeats some ids and lacks others; every id must occur once.",
            code=RefusalCode.DUPLICATE_IDS,
            where=lambda table: table["id"].duplicated(),
        )
    return mean_column_auc(truth[KINDS], numbers(predicted))


competition.v2(text=["comment_text"], by_id_and_name=True, breaks=[])
