"""Herbarium 2020: which plant species is mounted on a herbarium sheet from New York?"""

from mlebench.competitions.families import herbarium
from mlebench.kit import Competition, Output, Raw

competition = Competition(
    "herbarium-2020-fgvc7",
    "Herbarium 2020 - FGVC7",
    category="Image Classification",
    metric="macro F1",
    group="medium",
    answers="answers.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """As in 2021, but in a folder of its own and with metadata that is not UTF-8."""
    herbarium.prepare(raw, public, private, folder="nybg2020/", encoding="latin-1")


competition.grade(herbarium.grade)
