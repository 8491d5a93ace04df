"""SIIM-FISABIO-RSNA COVID-19: what does a chest radiograph show, and where are the opacities?"""

from mlebench.kit import Competition

competition = Competition(
    "siim-covid19-detection",
    "SIIM-FISABIO-RSNA COVID-19 Detection",
    category="Object Detection",
    metric="mean average precision at IoU 0.5",
    group="high",
    gigabytes=100,
)
