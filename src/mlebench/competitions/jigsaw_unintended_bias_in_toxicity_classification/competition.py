"""Jigsaw unintended bias: how toxic is a comment, judged alike whichever group it mentions?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="jigsaw-unintended-bias-in-toxicity-classification",
    name="Jigsaw Unintended Bias in Toxicity Classification",
    category="Text Classification",
    metric="mean of overall AUC and bias AUCs",
    group="medium",
    known_issues=(
        KnownIssue(
            "Predictions are cut at 0.5 before the AUCs are computed, which throws their ranking away: "
            "scores are much lower than in the contest and hardly comparable with its medals.",
            v2="Computes all AUCs on the predictions as they are; truth and identities are still cut at 0.5.",
        ),
        KnownIssue(
            "Words among the predictions, a wrong number of rows, or both columns prediction and toxicity "
            "end in a bare error.",
            v2="Refuses these with a reason.",
        ),
        KnownIssue("An empty prediction counts as non-toxic.", v2="Refuses empty predictions."),
        KnownIssue("The whole corpus with the test labels has been public since the end of the contest."),
    ),
)
