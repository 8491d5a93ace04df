"""Herbarium 2020: which plant species is mounted on a herbarium sheet from New York?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="herbarium-2020-fgvc7",
    name="Herbarium 2020 - FGVC7",
    category="Image Classification",
    metric="macro F1",
    group="medium",
    answers="answers.csv",
    known_issues=(
        KnownIssue(
            "The contest had at most ten test images of a species; here a fifth of each species is test, so "
            "train and test are distributed alike, against the original text."
        ),
        KnownIssue(
            "A species with one image would get no test image, although every species should be in both "
            "parts; the real data has at least three of each."
        ),
        KnownIssue("The published checksums cover the CSV files only, not the metadata."),
    ),
)
