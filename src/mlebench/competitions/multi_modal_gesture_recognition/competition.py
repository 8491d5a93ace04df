"""Multi-modal gesture recognition: which Italian gestures follow one another in a recording?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="multi-modal-gesture-recognition",
    name="Multi-modal Gesture Recognition",
    category="Video Classification",
    metric="Levenshtein distance per true gesture",
    better="lower",
    group="medium",
    sample="randomPredictions.csv",
    known_issues=(
        KnownIssue(
            "test.tar.gz is an unchanged training archive: the Matlab file of every test recording still "
            "names the true gestures.",
            v2="Empties the labels in the test recordings.",
        ),
        KnownIssue(
            "An empty sequence is refused, although a model may find no gesture; one of blanks alone passes.",
            v2="Reads an empty cell as no gesture.",
        ),
        KnownIssue(
            "35 entries of 999999 were removed from the human leaderboard, so that random guessing, at "
            "0.91966, wins no medal."
        ),
        KnownIssue("The original text shows labels separated by commas in one place; blanks are right."),
    ),
)
