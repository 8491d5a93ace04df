"""Hotel-ID 2021: in which hotel was a photograph of a room taken?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="hotel-id-2021-fgvc8",
    name="Hotel-ID to Combat Human Trafficking 2021 - FGVC8",
    category="Image Classification",
    metric="MAP@5",
    group="medium",
    gigabytes=25,
    known_issues=(
        KnownIssue(
            "The split is not stratified: a hotel whose pictures are all in the test part cannot be learned.",
            v2="Keeps at least one picture of each hotel in train.",
        ),
        KnownIssue("The picture ce27d36c9147cc19.jpg, which is listed twice, is left out altogether."),
    ),
)
