"""RSNA cervical spine fractures: which vertebrae of the neck does a CT scan show broken?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="rsna-2022-cervical-spine-fracture-detection",
    name="RSNA 2022 Cervical Spine Fracture Detection",
    category="Image Classification",
    metric="weighted multi-label log loss",
    better="lower",
    group="high",
    answers="answers.csv",
    gigabytes=340,
    known_issues=(
        KnownIssue(
            "The split is upside down: a tenth of the studies, about 202 of 2019, is left for training, and "
            "all others are test studies.",
            v2="Draws a tenth for the test and keeps the rest for training.",
        ),
        KnownIssue(
            "Boxes and segmentations of some train studies are withheld.",
            v2="Publishes all annotations of train studies.",
        ),
        KnownIssue(
            "The published grader crashes on a wrong number of rows.",
            v2="Refuses it with a reason, before all else.",
        ),
        KnownIssue(
            "The original page averages the loss over all rows; the score divides by the weights within "
            "each study first, as the organisers' own code does."
        ),
    ),
)
