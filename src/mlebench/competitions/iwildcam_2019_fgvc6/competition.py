"""iWildCam 2019: which animal, if any, did a camera trap at an unseen place photograph?"""

from mlebench.kit import Competition

competition = Competition(
    "iwildcam-2019-fgvc6",
    "iWildCam 2019 - FGVC6",
    category="Image Classification",
    metric="macro F1",
    group="high",
    answers="answers.csv",
)
