"""AI4Code: where in a notebook do its shuffled markdown cells belong?"""

from mlebench.kit import Competition

competition = Competition(
    "AI4Code",
    "Google AI4Code - Understand Code in Python Notebooks",
    category="Text (Other)",
    metric="Kendall tau, pooled over notebooks",
    group="medium",
    answers="test_orders.csv",
)
