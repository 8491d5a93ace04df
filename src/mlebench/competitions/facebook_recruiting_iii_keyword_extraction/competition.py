"""Facebook recruiting III: which tags did users give a Stack Exchange question?"""

import numpy as np

from mlebench.kit import Competition, Output, Raw, Table, aligned, label_sets, micro_f1_of_sets, random_split

COMMON_TAGS = "javascript c# python php java"

competition = Competition(
    "facebook-recruiting-iii-keyword-extraction",
    "Facebook Recruiting III - Keyword Extraction",
    category="Text Classification",
    metric="micro F1",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the questions."""
    questions = raw.stored_rows("Train.zip", text=["Id", "Tags"])
    train, test = random_split(np.arange(len(questions)), test_size=0.1)
    public.write_rows("train.csv", questions, train)
    public.write_rows("test.csv", questions, test, change=lambda rows: rows.drop(columns="Tags"))
    # As published: the sample repeats the questions.
    public.write_rows("sample_submission.csv", questions, test, change=lambda rows: rows.assign(Tags=COMMON_TAGS))
    private.write_rows("test.csv", questions, test)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """F1 of the tags, pooled over all questions; as published, a tag that no answer has costs nothing."""
    truth, predicted = map(label_sets, aligned(submission, answers, on="Id", target="Tags"))
    known = set().union(*truth)
    return micro_f1_of_sets(truth, [tags & known for tags in predicted])
