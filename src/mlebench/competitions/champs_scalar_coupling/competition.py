"""CHAMPS scalar coupling: how strongly do two atoms of a molecule interact magnetically?"""

from mlebench.kit import Competition

competition = Competition(
    "champs-scalar-coupling",
    "Predicting Molecular Properties",
    category="Tabular",
    metric="mean log of the mean absolute error per coupling type",
    group="medium",
    answers="answers.csv",
)
