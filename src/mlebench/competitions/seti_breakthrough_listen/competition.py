"""SETI Breakthrough Listen: is there a simulated alien signal in a radio observation?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="seti-breakthrough-listen",
    name="SETI Breakthrough Listen - E.T. Signal Search",
    category="Signal Processing",
    metric="area under the ROC curve",
    group="medium",
    known_issues=(
        KnownIssue(
            "The labelled data from before the contest's relaunch is public, and backgrounds that it shares "
            "with the new data may give test samples away.",
            v2="Leaves old_leaky_data out.",
        ),
        KnownIssue("Samples cut from one observation can be on both sides of the random split."),
        KnownIssue("An empty prediction ends in a bare error.", v2="Refuses it with a reason."),
    ),
)
