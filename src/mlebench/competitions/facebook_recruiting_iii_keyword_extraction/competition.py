"""Facebook recruiting III: which tags did users give a Stack Exchange question?"""

import numpy as np

from mlebench.kit import (
    Competition,
    NoMedalCode,
    Output,
    Raw,
    Table,
    aligned,
    label_sets,
    mean_f1_of_sets,
    micro_f1_of_sets,
    random_split,
    split_together,
)

COMMON_TAGS = "javascript c# python php java"

competition = Competition(
    "facebook-recruiting-iii-keyword-extraction",
    "Facebook Recruiting III - Keyword Extraction",
    category="Text Classification",
    metric="micro F1",
    group="medium",
)


@competition.prepare
def prepare(
    raw: Raw, public: Output, private: Output, copies_together: bool = False, sample_has_questions: bool = True
) -> None:
    """Hold out a tenth of the questions."""
    questions = raw.stored_rows("Train.zip", text=["Id", "Tags"])
    rows = np.arange(len(questions))
    if copies_together:
        train, test = split_together(rows, questions.digests(["Title", "Body"]).tolist(), test_size=0.1)
    else:
        train, test = random_split(rows, test_size=0.1)
    public.write_rows("train.csv", questions, train)
    public.write_rows("test.csv", questions, test, change=lambda rows: rows.drop(columns="Tags"))
    # As published: the sample repeats the questions.
    shown = ["Id", "Title", "Body", "Tags"] if sample_has_questions else ["Id", "Tags"]
    public.write_rows(
        "sample_submission.csv", questions, test, change=lambda rows: rows.assign(Tags=COMMON_TAGS)[shown]
    )
    private.write_rows("test.csv", questions, test)


@competition.grade
def grade(submission: Table, answers: Table, per_question: bool = False) -> float:
    """F1 of the tags, pooled over all questions; as published, a tag that no answer has costs nothing."""
    truth, predicted = map(label_sets, aligned(submission, answers, on="Id", target="Tags"))
    if per_question:
        return mean_f1_of_sets(truth, predicted)
    known = set().union(*truth)
    return micro_f1_of_sets(truth, [tags & known for tags in predicted])


# The duplicates were in the contest too, so its human scores rest on them.
competition.v2(
    copies_together=True,
    sample_has_questions=False,
    per_question=True,
    metric="mean F1 of each row",
    text_columns=["Tags"],
    no_medals=NoMedalCode.HUMANS_HAD_LEAK,
)
