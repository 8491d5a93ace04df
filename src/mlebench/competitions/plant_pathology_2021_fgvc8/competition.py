"""Plant pathology 2021: which diseases does an apple leaf have?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="plant-pathology-2021-fgvc8",
    name="Plant Pathology 2021 - FGVC8",
    category="Image Classification",
    metric="micro F1",
    group="medium",
    answers="answers.csv",
    gigabytes=15,
    known_issues=(
        KnownIssue(
            "The contest averaged the F1 of each photo; here the counts are pooled over all photos.",
            v2="Averages the F1 of each photo.",
        ),
        KnownIssue("A label that no test photo has costs nothing.", v2="Counts it as a false positive."),
        KnownIssue("Duplicate photos, some with different labels, are on both sides of the random split."),
    ),
)
