"""Herbarium 2021: which of 65,000 plant species is mounted on a herbarium sheet?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="herbarium-2021-fgvc8",
    name="Herbarium 2021 - FGVC8",
    category="Image Classification",
    metric="macro F1",
    group="medium",
    answers="answers.csv",
    known_issues=(
        KnownIssue("The contest had at most ten test images of a species; here a fifth of each species is test."),
        KnownIssue('The original text once says "regions" where the metadata has "institutions".'),
        KnownIssue("The published checksums cover the CSV files only, not the metadata."),
    ),
)
