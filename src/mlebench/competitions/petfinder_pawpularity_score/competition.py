"""Pawpularity: how popular is a pet's profile, by its photo?"""

from mlebench.kit import Competition

competition = Competition(
    "petfinder-pawpularity-score",
    "PetFinder.my - Pawpularity Contest",
    category="Image Regression",
    metric="root mean squared error",
    group="medium",
    gigabytes=1,
)
