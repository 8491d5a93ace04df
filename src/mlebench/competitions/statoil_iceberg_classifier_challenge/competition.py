"""Statoil iceberg classifier: is a bright spot on a radar picture a ship or an iceberg?"""

from mlebench.kit import Competition

competition = Competition(
    "statoil-iceberg-classifier-challenge",
    "Statoil/C-CORE Iceberg Classifier Challenge",
    category="Image Classification",
    metric="log loss",
    group="medium",
    private_sample="sample_submission.csv",
)
