"""Herbarium 2022: which North American plant is mounted on a herbarium sheet?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="herbarium-2022-fgvc9",
    name="Herbarium 2022 - FGVC9",
    category="Image Classification",
    metric="macro F1",
    group="medium",
    answers="answers.csv",
    known_issues=(
        KnownIssue(
            "The original text places the images in h22-train/images and h22-test/images; they are in "
            "train_images and test_images."
        ),
        KnownIssue(
            "The contest capped a species at 80 train images and tested frequent species more; here a fifth "
            "of each species' train images is test."
        ),
    ),
)
