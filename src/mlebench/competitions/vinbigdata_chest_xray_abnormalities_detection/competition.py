"""VinBigData chest X-rays: which findings does a radiograph show, and where?"""

from mlebench.kit import Competition

competition = Competition(
    "vinbigdata-chest-xray-abnormalities-detection",
    "VinBigData Chest X-ray Abnormalities Detection",
    category="Object Detection",
    metric="mean average precision at IoU 0.4",
    group="high",
    answers="answers.csv",
    gigabytes=200,
)
