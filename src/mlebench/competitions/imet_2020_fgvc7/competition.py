"""iMet 2020: which attributes does an object of the Metropolitan Museum have?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="imet-2020-fgvc7",
    name="iMet Collection 2020 - FGVC7",
    category="Image Classification",
    metric="micro F1",
    group="medium",
    answers="answers.csv",
    known_issues=(
        KnownIssue(
            "A predicted attribute that no test object has costs nothing.",
            v2="Takes the attributes from labels.csv and counts unknown ones as false positives.",
        ),
        KnownIssue(
            "A submission with just one attribute in every row is refused, because the column is read as numbers.",
            v2="Reads attributes as text.",
        ),
        KnownIssue(
            "An object without attributes among the answers would make every submission fail; the real data has none.",
            v2="Allows it.",
        ),
        KnownIssue("The original text mentions F2 in one place; micro F1 is computed."),
    ),
)
