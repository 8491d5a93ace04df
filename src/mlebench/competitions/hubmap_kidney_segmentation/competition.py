"""HuBMAP kidney: where are the glomeruli in a microscope picture of kidney tissue?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="hubmap-kidney-segmentation",
    name="HuBMAP - Hacking the Kidney",
    category="Image Segmentation",
    metric="mean Dice coefficient",
    group="medium",
    known_issues=(
        KnownIssue(
            "The test folder holds the true outlines of the glomeruli, one JSON file per image.",
            v2="Publishes test images and anatomical structures only.",
        ),
        KnownIssue(
            "The split is by image, and both kidneys of one patient can be on different sides; patient "
            "numbers of test images are public.",
            v2="Splits by patient.",
        ),
        KnownIssue("With only three test images, scores are noisy."),
        KnownIssue(
            "An empty mask among the answers would make every submission fail; the real data has none.",
            v2="Takes it as an empty mask.",
        ),
        KnownIssue("The original text shows the columns img,pixels; the grader wants id,predicted."),
    ),
)
