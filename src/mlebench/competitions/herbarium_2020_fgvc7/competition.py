"""Herbarium 2020: which plant species is mounted on a herbarium sheet from New York?"""

from mlebench.kit import Competition

competition = Competition(
    "herbarium-2020-fgvc7",
    "Herbarium 2020 - FGVC7",
    category="Image Classification",
    metric="macro F1",
    group="medium",
    answers="answers.csv",
)
