"""Statoil iceberg classifier: is a bright spot on a radar picture a ship or an iceberg?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="statoil-iceberg-classifier-challenge",
    name="Statoil/C-CORE Iceberg Classifier Challenge",
    category="Image Classification",
    metric="log loss",
    better="lower",
    group="medium",
    sample="private/sample_submission.csv",
    known_issues=(
        KnownIssue(
            "The angle of incidence nearly names the satellite scene, and objects of one scene mostly share "
            "their class; equal angles are on both sides, as in the original.",
            v2="Keeps objects of equal angle on one side.",
        ),
        KnownIssue("Missing angles occurred in the contest's train data only; here they occur in test too."),
        KnownIssue(
            "The public sample submission lies inside a 7z archive only.",
            v2="Publishes sample_submission.csv.",
        ),
        KnownIssue("An id given twice ends in a bare error.", v2="Refuses it with a reason."),
    ),
)
