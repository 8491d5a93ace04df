"""Cassava leaf disease: which disease, if any, does a leaf show?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="cassava-leaf-disease-classification",
    name="Cassava Leaf Disease Classification",
    category="Image Classification",
    metric="accuracy",
    group="medium",
    known_issues=(
        KnownIssue(
            "The public TFRecord files of the test images are unchanged training files and hold every label.",
            v2="Writes test records without the field target.",
        ),
        KnownIssue(
            "Whole TFRecord files are held out, 2 of 16, so that an eighth of the images is test and not a tenth."
        ),
    ),
)
