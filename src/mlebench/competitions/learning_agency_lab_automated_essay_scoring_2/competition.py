"""Automated essay scoring 2.0: which mark from 1 to 6 does a student's essay get?"""

from mlebench.kit import Competition

competition = Competition(
    "learning-agency-lab-automated-essay-scoring-2",
    "Learning Agency Lab - Automated Essay Scoring 2.0",
    category="Text Regression",
    metric="quadratic weighted kappa",
    group="medium",
    answers="answers.csv",
)
