"""Herbarium 2021: which of 65,000 plant species is mounted on a herbarium sheet?"""

from mlebench.kit import Competition

competition = Competition(
    "herbarium-2021-fgvc8",
    "Herbarium 2021 - FGVC8",
    category="Image Classification",
    metric="macro F1",
    group="medium",
    answers="answers.csv",
)
