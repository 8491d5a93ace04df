"""Freesound audio tagging 2019: which of 80 everyday sounds are heard in a clip?"""

from mlebench.kit import Competition

competition = Competition(
    "freesound-audio-tagging-2019",
    "Freesound Audio Tagging 2019",
    category="Audio Classification",
    metric="label-weighted label-ranking average precision",
    group="medium",
    gigabytes=30,
)
