"""VinBigData chest X-rays: which findings does a radiograph show, and where?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="vinbigdata-chest-xray-abnormalities-detection",
    name="VinBigData Chest X-ray Abnormalities Detection",
    category="Object Detection",
    metric="mean average precision at IoU 0.4",
    group="high",
    answers="answers.csv",
    gigabytes=200,
    known_issues=(
        KnownIssue(
            "The grader takes the far corner of a box for its width and height, so boxes that do not touch "
            "can match, and how well they must overlap depends on where in the image they are.",
            v2="Takes corners as corners.",
        ),
        KnownIssue(
            "Boxes are numbered from 0, which the matching reads as unmatched: one true box never counts, "
            "the order of rows matters a little, and giving the first box twice pays.",
            v2="Numbers from 1.",
        ),
        KnownIssue(
            "The answers keep one box per image and class, that of the radiologist listed first; further "
            "true findings of the class count as false. The original had a consensus of five radiologists.",
            v2="Merges overlapping boxes of different radiologists and keeps distinct ones.",
        ),
        KnownIssue("The number of rows is not checked, and an image may be on several.", v2="Wants every image once."),
        KnownIssue("The original page shows the columns ID and TARGET; they are image_id and PredictionString."),
    ),
)
