"""U.S. patent phrases: how similar are two phrases within a technical field?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="us-patent-phrase-to-phrase-matching",
    name="U.S. Patent Phrase to Phrase Matching",
    category="Text Regression",
    metric="Pearson correlation",
    group="medium",
    known_issues=(
        KnownIssue(
            "Constant predictions have no correlation, yet are not refused; the sample submission is of that kind.",
            v2="Refuses them.",
        ),
        KnownIssue("The split is by row: pairs with the same anchor are on both sides."),
    ),
)
