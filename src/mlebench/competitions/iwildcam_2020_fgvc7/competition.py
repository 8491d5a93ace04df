"""iWildCam 2020: which animal, if any, did a camera trap at a new place photograph?"""

from mlebench.kit import Competition

competition = Competition(
    "iwildcam-2020-fgvc7",
    "iWildCam 2020 - FGVC7",
    category="Image Classification",
    metric="accuracy",
    group="medium",
    answers="answers.csv",
)
