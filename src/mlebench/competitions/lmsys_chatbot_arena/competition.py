"""LMSYS chatbot arena: which of two chatbots does a person prefer?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="lmsys-chatbot-arena",
    name="LMSYS - Chatbot Arena Human Preference Predictions",
    category="Text (Other)",
    metric="multi-class log loss",
    better="lower",
    group="medium",
    answers="answers.csv",
    known_issues=(
        KnownIssue(
            "Rows must sum to 1 to six decimals, which refuses probabilities rounded to two or three, even "
            "the contest's own example of 0.33 three times.",
            v2="Accepts rounded probabilities and renormalises them.",
        ),
        KnownIssue("The split is random, so one prompt can be on both sides."),
    ),
)
