"""ALASKA2: does a photograph carry a hidden message?"""

from mlebench.kit import Competition

competition = Competition(
    "alaska2-image-steganalysis",
    "ALASKA2 Image Steganalysis",
    category="Image Classification",
    metric="weighted AUC",
    group="medium",
)
