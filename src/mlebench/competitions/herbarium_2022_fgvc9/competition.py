"""Herbarium 2022: which North American plant is mounted on a herbarium sheet?"""

from mlebench.kit import Competition

competition = Competition(
    "herbarium-2022-fgvc9",
    "Herbarium 2022 - FGVC9",
    category="Image Classification",
    metric="macro F1",
    group="medium",
    answers="answers.csv",
)
