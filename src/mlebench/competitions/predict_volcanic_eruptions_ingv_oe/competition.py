"""INGV volcanic eruptions: how long after ten minutes of tremor will the volcano erupt?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="predict-volcanic-eruptions-ingv-oe",
    name="INGV - Volcanic Eruption Prediction",
    category="Signal Processing",
    metric="mean absolute error",
    better="lower",
    group="high",
    gigabytes=15,
    known_issues=(
        KnownIssue("A segment may be given several times, and each time counts.", v2="Wants every segment once."),
        KnownIssue("The published refusal of surplus segments speaks of missing ones."),
        KnownIssue(
            "Segments are split at random, as in the original, so neighbours from the run-up to one "
            "eruption are in both parts."
        ),
    ),
)
