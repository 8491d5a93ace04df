"""RSNA-MICCAI brain tumours: is the MGMT promoter of a glioblastoma methylated, by its MRI scans?"""

from mlebench.kit import Competition

competition = Competition(
    "rsna-miccai-brain-tumor-radiogenomic-classification",
    "RSNA-MICCAI Brain Tumor Radiogenomic Classification",
    category="Image Classification",
    metric="area under the ROC curve",
    group="high",
    gigabytes=137,
)
