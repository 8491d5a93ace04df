"""Google QUEST: how do people rate a question and its answer on thirty subjective aspects?"""

from mlebench.kit import Competition

competition = Competition(
    "google-quest-challenge",
    "Google QUEST Q&A Labeling",
    category="Text Regression",
    metric="mean column-wise Spearman correlation",
    group="medium",
)
