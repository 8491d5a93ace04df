"""AI4Code: where in a notebook do its shuffled markdown cells belong?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="AI4Code",
    name="Google AI4Code - Understand Code in Python Notebooks",
    category="Text (Other)",
    metric="Kendall tau, pooled over notebooks",
    group="medium",
    answers="test_orders.csv",
    known_issues=(
        KnownIssue(
            "An order that misses a cell of the notebook (unknown or repeated cells) ends in a bare error.",
            v2="Refuses it with a reason.",
        ),
        KnownIssue(
            "Truth and submission are handed to the metric in exchanged roles; scores are right, because "
            "the correlation of two permutations is symmetric."
        ),
        KnownIssue("The notebooks are public, so true orders can be found online."),
    ),
)
