"""Humpback whales: which animal does a picture of a tail fluke show?"""

from mlebench.kit import Competition

competition = Competition(
    "whale-categorization-playground",
    "Humpback Whale Identification Challenge",
    category="Image Classification",
    metric="MAP@5",
    group="medium",
)
