"""Google QUEST: how do people rate a question and its answer on thirty subjective aspects?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="google-quest-challenge",
    name="Google QUEST Q&A Labeling",
    category="Text Regression",
    metric="mean column-wise Spearman correlation",
    group="medium",
    known_issues=(
        KnownIssue(
            "Ids are never compared: rows are paired by position after sorting, so wrong ids still get a score.",
            v2="Requires the ids of the sample submission.",
        ),
        KnownIssue(
            "A constant column or a missing value makes the score not a number, and words are ranked as text.",
            v2="Refuses missing and non-numeric values; a constant column scores 0.",
        ),
        KnownIssue(
            "A question occurs with several answers, and the split is by row: the question targets of many "
            "test rows can be looked up in train by address or text.",
            v2="Splits by question.",
        ),
        KnownIssue(
            "One row may be exchanged between train and test according to its label, so that "
            "question_type_spelling varies in the test part."
        ),
    ),
)
