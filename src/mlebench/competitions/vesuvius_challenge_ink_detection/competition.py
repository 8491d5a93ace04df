"""Vesuvius challenge: where on the X-rayed fragment of a carbonised scroll is ink?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="vesuvius-challenge-ink-detection",
    name="Vesuvius Challenge - Ink Detection",
    category="Image Segmentation",
    metric="F0.5",
    group="high",
    answers="inklabels_rle.csv",
    known_issues=(
        KnownIssue(
            "The one test fragment was a training fragment of the original: its labels are public, and "
            "models that were trained for this challenge have seen it."
        ),
        KnownIssue("The original had two test fragments, a and b; here there is only a, and two rows are refused."),
        KnownIssue(
            "Odd counts of numbers are not looked for, so three numbers pass; runs may go beyond the last "
            "pixel; a wrong Id and a number that is not whole crash the published grader.",
            v2="Refuses all of these with a reason.",
        ),
        KnownIssue("The infrared photo of the test fragment is withheld, and rightly: it shows the ink."),
    ),
)
