"""Cdiscount: into which of 5,000 shop categories does a product belong, by its pictures?"""

from mlebench.kit import Competition

competition = Competition(
    "cdiscount-image-classification-challenge",
    "Cdiscount's Image Classification Challenge",
    category="Image Classification",
    metric="accuracy",
    group="medium",
    answers="answers.csv",
    gigabytes=72.7,
)
