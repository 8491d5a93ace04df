"""SIIM-FISABIO-RSNA COVID-19: what does a chest radiograph show, and where are the opacities?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="siim-covid19-detection",
    name="SIIM-FISABIO-RSNA COVID-19 Detection",
    category="Object Detection",
    metric="mean average precision at IoU > 0.5",
    group="high",
    gigabytes=100,
    known_issues=(
        KnownIssue(
            "A missed box counts as found with confidence 0, so it still gains recall in the end: poor "
            "submissions score a little more than on Kaggle, and the sample more than 0.",
            v2="Uses the interpolation of VOC 2010 over all true boxes.",
        ),
        KnownIssue(
            "Rows without a class enter its average precision as negatives, so what a study class scores at "
            "least depends on how many image rows there are."
        ),
        KnownIssue("The original page names the first column Id; it is id."),
        KnownIssue(
            "Some studies have several images of which only one has boxes, while the others are labelled "
            "none. Patients cannot be kept together, as the tables do not name them."
        ),
    ),
)
