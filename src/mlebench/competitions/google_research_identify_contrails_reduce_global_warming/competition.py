"""Google Research contrails: which pixels of a satellite scene are contrails?"""

from mlebench.kit import Competition

competition = Competition(
    "google-research-identify-contrails-reduce-global-warming",
    "Google Research - Identify Contrails to Reduce Global Warming",
    category="Image Segmentation",
    metric="global Dice coefficient",
    group="high",
    answers="answers.csv",
    gigabytes=450,
)
