"""iMet 2020: which attributes does an object of the Metropolitan Museum have?"""

from mlebench.kit import Competition

competition = Competition(
    "imet-2020-fgvc7",
    "iMet Collection 2020 - FGVC7",
    category="Image Classification",
    metric="micro F1",
    group="medium",
    answers="answers.csv",
)
