"""Pawpularity: how popular is a pet's profile, by its photo?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="petfinder-pawpularity-score",
    name="PetFinder.my - Pawpularity Contest",
    category="Image Regression",
    metric="root mean squared error",
    better="lower",
    group="medium",
    gigabytes=1,
    known_issues=(
        KnownIssue(
            "A single value below 1 or above 100 has the whole submission refused, which the contest did not do.",
            v2="Clips predictions to the range.",
        ),
        KnownIssue("A wrong number of rows ends in a bare error.", v2="Refuses it with a reason."),
        KnownIssue("Nearly equal photos, some with different scores, are on both sides of the random split."),
    ),
)
