"""RSNA breast cancer: does a breast have cancer, by its screening mammograms?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="rsna-breast-cancer-detection",
    name="RSNA Screening Mammography Breast Cancer Detection",
    category="Image Classification",
    metric="probabilistic F1",
    group="high",
    answers="answers.csv",
    gigabytes=300,
    known_issues=(
        KnownIssue("The original page writes ids with a dash (0-L); the files have an underscore (0_L)."),
        KnownIssue(
            "An empty prediction makes the score 0 instead of being refused, and predictions that are all "
            "negative crash the published grader.",
            v2="Refuses empty predictions and scores the negative ones 0.",
        ),
        KnownIssue(
            "The label of a breast is that of its first picture; in the real data all its pictures agree on it."
        ),
    ),
)
