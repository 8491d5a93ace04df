"""Vesuvius challenge: where on the X-rayed fragment of a carbonised scroll is ink?"""

from mlebench.kit import Competition

competition = Competition(
    "vesuvius-challenge-ink-detection",
    "Vesuvius Challenge - Ink Detection",
    category="Image Segmentation",
    metric="F0.5",
    group="high",
    answers="inklabels_rle.csv",
)
