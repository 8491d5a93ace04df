"""OpenVaccine: how fast does each base of an mRNA molecule degrade?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="stanford-covid-vaccine",
    name="OpenVaccine: COVID-19 mRNA Vaccine Degradation Prediction",
    category="Tabular",
    metric="mean columnwise root mean squared error",
    better="lower",
    group="high",
    known_issues=(
        KnownIssue(
            "Which rows are scored is decided by row number instead of id: even the answers score badly in "
            "any order but that of the sample submission.",
            v2="Matches rows by id first.",
        ),
        KnownIssue(
            "The base-pair probabilities of the original, which hold no labels, are not handed out.",
            v2="Publishes bpps/ for train and test molecules.",
        ),
        KnownIssue(
            "Near-identical molecules are in both parts, since the original's rule on cluster sizes is not "
            "applied, and all have 107 bases where the original's final test had 130: scores do not compare "
            "with Kaggle's."
        ),
        KnownIssue("The published configuration calls the metric a log loss; it is the MCRMSE."),
    ),
)
