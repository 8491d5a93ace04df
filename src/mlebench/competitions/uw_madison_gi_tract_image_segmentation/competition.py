"""UW-Madison GI tract: where are stomach and bowels in a slice of an abdominal scan?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="uw-madison-gi-tract-image-segmentation",
    name="UW-Madison GI Tract Image Segmentation",
    category="Image Segmentation",
    metric="weighted Dice and 3D Hausdorff score",
    group="medium",
    known_issues=(
        KnownIssue(
            "Rows are compared by position and neither counted nor matched: another order is scored "
            "wrongly, and missing or repeated rows go unnoticed.",
            v2="Requires every slice and organ once and matches rows by them.",
        ),
        KnownIssue("Malformed run lengths end in a bare error.", v2="Refuses them with a reason."),
        KnownIssue(
            "Real masks number pixels row by row, but are decoded column by column; on slices that are not "
            "square this scrambles shapes and spoils the Hausdorff part.",
            v2="Decodes masks row by row.",
        ),
        KnownIssue(
            "The Hausdorff distance joins the three organs, so confusing them costs nothing there; the "
            "contest took each organ on its own, as far as is known."
        ),
        KnownIssue("The original text gives two empty masks a Dice of 0; such rows are left out instead."),
        KnownIssue("A predicted volume with missing slices may have another shape than the true one."),
        KnownIssue("Later days of a case are test while its first days are train; this is intended."),
    ),
)
