"""Ventilator pressure: how does the pressure in a test lung rise and fall during a breath?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="ventilator-pressure-prediction",
    name="Google Brain - Ventilator Pressure Prediction",
    category="Tabular",
    metric="mean absolute error",
    better="lower",
    group="medium",
    known_issues=(
        KnownIssue("The published configuration names the metric of another competition; scores are not affected."),
        KnownIssue(
            "The pressure takes only 950 evenly spaced values and the ventilator's controller can be "
            "inverted, so nearly perfect scores are possible, as in the original."
        ),
        KnownIssue("Numbers are written with ten digits, so features differ slightly from the raw file."),
    ),
)
