"""Cdiscount: into which of 5,000 shop categories does a product belong, by its pictures?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="cdiscount-image-classification-challenge",
    name="Cdiscount's Image Classification Challenge",
    category="Image Classification",
    metric="accuracy",
    group="medium",
    answers="answers.csv",
    gigabytes=72.7,
    known_issues=(
        KnownIssue(
            "Products keep their raw ids, although a comment in the published code speaks of new ones; as "
            "the split is random, the order of ids tells nothing."
        ),
        KnownIssue("The split is by product: nearly equal pictures of one product family can be on both sides."),
        KnownIssue("The data was withdrawn after the contest at the sponsor's wish."),
        KnownIssue("The split is not stratified, so a rare category may occur among the test products only."),
    ),
)
