"""chaii: which words of a Hindi or Tamil article answer a question?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="chaii-hindi-and-tamil-question-answering",
    name="chaii - Hindi and Tamil Question Answering",
    category="Question Answering",
    metric="mean word-level Jaccard index",
    group="medium",
    known_issues=(
        KnownIssue("A question whose true answer is empty, or reads as a missing value, can only score 0."),
        KnownIssue(
            "A submission in which every answer is a number is refused, because the column is no longer text.",
            v2="Reads every answer as text.",
        ),
        KnownIssue("The split is by row: questions about one article can be on both sides."),
    ),
)
