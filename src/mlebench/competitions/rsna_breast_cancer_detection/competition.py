"""RSNA breast cancer: does a breast have cancer, by its screening mammograms?"""

from mlebench.kit import Competition

competition = Competition(
    "rsna-breast-cancer-detection",
    "RSNA Screening Mammography Breast Cancer Detection",
    category="Image Classification",
    metric="probabilistic F1",
    group="high",
    answers="answers.csv",
    gigabytes=300,
)
