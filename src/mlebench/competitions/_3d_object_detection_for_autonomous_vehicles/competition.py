"""Lyft 3D object detection: where, around a self-driving car, are which objects?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="3d-object-detection-for-autonomous-vehicles",
    name="Lyft 3D Object Detection for Autonomous Vehicles",
    category="Object Detection",
    metric="mean average precision over 3D IoU thresholds",
    group="high",
    known_issues=(
        KnownIssue(
            "The train map.json lists the logs of the test part, as the test one does.",
            v2="Lists in each file the logs of its own part.",
        ),
        KnownIssue(
            "The score is an average precision per class and sample, not the TP / (TP + FP + FN) that the "
            "original page announced, and predictions of a class that a sample does not have cost nothing."
        ),
        KnownIssue(
            "A sample without any object could neither be prepared nor scored; the real data have no such sample."
        ),
        KnownIssue("The original data listing calls the lidar files jpeg; they are binary."),
    ),
)
