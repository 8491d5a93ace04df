"""Kuzushiji recognition: which characters stand where on a page of an old Japanese book?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="kuzushiji-recognition",
    name="Kuzushiji Recognition",
    category="Object Detection",
    metric="micro F1 of located characters",
    group="medium",
    known_issues=(
        KnownIssue(
            "A page without characters in the test part breaks the published preparation; the grader copes with it.",
            v2="Writes an empty entry for it in the gold submission.",
        ),
        KnownIssue(
            "The split is by page, so pages of one book are on both sides; the contest's test was harder.",
            v2="Splits by book.",
        ),
        KnownIssue(
            "The contest's limit of 1,200 characters per page is not enforced; a grid of guesses costs "
            "precision and makes grading slow."
        ),
        KnownIssue("A coordinate that is no number ends in a bare error.", v2="Refuses it with a reason."),
    ),
)
