"""Humpback whales: which animal does a picture of a tail fluke show?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="whale-categorization-playground",
    name="Humpback Whale Identification Challenge",
    category="Image Classification",
    metric="MAP@5",
    group="medium",
    known_issues=(
        KnownIssue(
            "The test part is much larger than a tenth and holds nearly one picture of each whale, while "
            "new_whale is rarer than in the contest's test."
        ),
        KnownIssue("Whales named in the sample submission need not occur in train."),
        KnownIssue(
            "Pictures have exact and near duplicates under other names, so some test pictures are in train too."
        ),
        KnownIssue("Preparation stops if no test picture is of a new_whale."),
    ),
)
