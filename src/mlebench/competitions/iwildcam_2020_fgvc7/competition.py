"""iWildCam 2020: which animal, if any, did a camera trap at a new place photograph?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="iwildcam-2020-fgvc7",
    name="iWildCam 2020 - FGVC7",
    category="Image Classification",
    metric="accuracy",
    group="medium",
    answers="answers.csv",
    known_issues=(
        KnownIssue(
            "The original text shows the columns Id,Predicted; the grader wants Id,Category.",
            v2="The description says Id,Category.",
        ),
        KnownIssue(
            "An image with two annotations would be asked for twice; the real data has one annotation per image."
        ),
        KnownIssue(
            "The test share of 22 % is measured against train and test images plus the test images once "
            "more, so about 28 % become test."
        ),
    ),
)
