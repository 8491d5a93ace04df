"""Plant pathology 2021: which diseases does an apple leaf have?"""

from mlebench.kit import Competition

competition = Competition(
    "plant-pathology-2021-fgvc8",
    "Plant Pathology 2021 - FGVC8",
    category="Image Classification",
    metric="micro F1",
    group="medium",
    answers="answers.csv",
    gigabytes=15,
)
