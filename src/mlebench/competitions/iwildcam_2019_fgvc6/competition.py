"""iWildCam 2019: which animal, if any, did a camera trap at an unseen place photograph?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="iwildcam-2019-fgvc6",
    name="iWildCam 2019 - FGVC6",
    category="Image Classification",
    metric="macro F1",
    group="high",
    answers="answers.csv",
    known_issues=(
        KnownIssue("The original page names the prediction column Predicted; it is Category."),
        KnownIssue("The sample submission has a nameless column of row numbers in front.", v2="Leaves it out."),
        KnownIssue(
            "A picture with several species has several rows with one Id. The submission must repeat the "
            "Id, and its rows are matched by an unstable sort, so that they can pair up crosswise.",
            v2="Keeps one row per picture and accepts any of its species.",
        ),
        KnownIssue(
            "The original test pictures were from another region, Idaho; the new ones are from other places "
            "of the training region, and species of Idaho alone do not occur."
        ),
        KnownIssue("A class may occur in one part only; a test class without training rows still counts in the mean."),
    ),
)
