"""Automated essay scoring 2.0: which mark from 1 to 6 does a student's essay get?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="learning-agency-lab-automated-essay-scoring-2",
    name="Learning Agency Lab - Automated Essay Scoring 2.0",
    category="Text Regression",
    metric="quadratic weighted kappa",
    group="medium",
    answers="answers.csv",
    known_issues=(
        KnownIssue(
            "Distances are counted in places among the marks that occur, not in marks: where a mark occurs "
            "on neither side its neighbours move together, and 30 is one step above 6.",
            v2="Uses the marks 1 to 6 and refuses all others.",
        ),
        KnownIssue(
            "A wrong number of rows and marks that are no whole numbers end in a bare error.",
            v2="Refuses these with a reason.",
        ),
        KnownIssue("The split is random, so essays on one writing prompt are on both sides, as in the original."),
    ),
)
