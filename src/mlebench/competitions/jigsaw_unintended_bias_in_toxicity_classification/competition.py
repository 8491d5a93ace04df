"""Jigsaw unintended bias: how toxic is a comment, judged alike whichever group it mentions?"""

from mlebench.kit import Competition

competition = Competition(
    "jigsaw-unintended-bias-in-toxicity-classification",
    "Jigsaw Unintended Bias in Toxicity Classification",
    category="Text Classification",
    metric="mean of overall AUC and bias AUCs",
    group="medium",
)
