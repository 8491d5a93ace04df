"""Herbarium 2021: which of 65,000 plant species is mounted on a herbarium sheet?"""

from mlebench.competitions.families import herbarium
from mlebench.kit import Competition, Output, Raw

competition = Competition(
    "herbarium-2021-fgvc8",
    "Herbarium 2021 - FGVC8",
    category="Image Classification",
    metric="macro F1",
    group="medium",
    answers="answers.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a fifth of each species, as in 2020."""
    herbarium.prepare(raw, public, private)


competition.grade(herbarium.grade)
