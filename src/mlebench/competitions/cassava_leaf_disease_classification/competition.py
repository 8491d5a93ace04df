"""Cassava leaf disease: which disease, if any, does a leaf show?"""

from mlebench.kit import Competition

competition = Competition(
    "cassava-leaf-disease-classification",
    "Cassava Leaf Disease Classification",
    category="Image Classification",
    metric="accuracy",
    group="medium",
)
