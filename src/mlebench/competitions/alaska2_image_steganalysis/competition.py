"""ALASKA2: does a photograph carry a hidden message?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="alaska2-image-steganalysis",
    name="ALASKA2 Image Steganalysis",
    category="Image Classification",
    metric="weighted AUC",
    group="medium",
    known_issues=(
        KnownIssue("Test images are training images of the contest, and all four versions of each are public."),
        KnownIssue("JPEG quality and file size of the test images are left as they are, as in the original."),
        KnownIssue(
            "The original text speaks of the contest's own 5,000 test images; here 5,000 training covers "
            "take their place."
        ),
    ),
)
