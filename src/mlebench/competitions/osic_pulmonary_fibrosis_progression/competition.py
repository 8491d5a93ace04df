"""OSIC pulmonary fibrosis: how will a patient's lung capacity decline, and how sure is that?"""

from mlebench.kit import Competition

competition = Competition(
    "osic-pulmonary-fibrosis-progression",
    "OSIC Pulmonary Fibrosis Progression",
    category="Image Regression",
    metric="modified Laplace log likelihood",
    group="medium",
    gigabytes=20,
)
