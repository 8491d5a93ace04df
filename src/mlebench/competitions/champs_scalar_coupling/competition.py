"""CHAMPS scalar coupling: how strongly do two atoms of a molecule interact magnetically?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="champs-scalar-coupling",
    name="Predicting Molecular Properties",
    category="Tabular",
    metric="mean log of the MAE per coupling type",
    better="lower",
    group="medium",
    answers="answers.csv",
    known_issues=(
        KnownIssue(
            "The public structures cover train molecules only: without the geometry of the test molecules "
            "the task cannot be solved as it is described.",
            v2="Publishes the structures of test molecules too, but none of the other extra files.",
        ),
        KnownIssue(
            "The original text promises that an error counts as at least 1e-9; there is no such floor, and "
            "one coupling type without any error makes the whole score minus infinity.",
            v2="Counts every error as at least 1e-9.",
        ),
        KnownIssue("An id given twice is accepted and counts twice.", v2="Refuses repeated ids."),
    ),
)
