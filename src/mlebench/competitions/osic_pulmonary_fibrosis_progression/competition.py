"""OSIC pulmonary fibrosis: how will a patient's lung capacity decline, and how sure is that?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="osic-pulmonary-fibrosis-progression",
    name="OSIC Pulmonary Fibrosis Progression",
    category="Image Regression",
    metric="modified Laplace log likelihood",
    group="medium",
    gigabytes=20,
    known_issues=(
        KnownIssue(
            "Missing rows are left out of the mean instead of being refused, so one may submit the safest row alone.",
            v2="Requires every patient and week of the sample submission exactly once.",
        ),
        KnownIssue(
            "A missing FVC in a scored row makes the score not a number.",
            v2="Refuses a missing FVC in scored rows.",
        ),
        KnownIssue("The published grader scans all answers for every submitted row, which is needlessly slow."),
        KnownIssue(
            "A test patient with two visits in one week would stop the preparation; the real data seems to have none."
        ),
    ),
)
