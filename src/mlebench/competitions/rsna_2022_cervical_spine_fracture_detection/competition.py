"""RSNA cervical spine fractures: which vertebrae of the neck does a CT scan show broken?"""

from mlebench.kit import Competition

competition = Competition(
    "rsna-2022-cervical-spine-fracture-detection",
    "RSNA 2022 Cervical Spine Fracture Detection",
    category="Image Classification",
    metric="weighted multi-label log loss",
    group="high",
    answers="answers.csv",
    gigabytes=340,
)
