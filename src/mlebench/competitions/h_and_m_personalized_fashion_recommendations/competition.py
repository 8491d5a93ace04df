"""H&M recommendations: which articles will a customer buy in the days to come?"""

from mlebench.kit import Competition

competition = Competition(
    "h-and-m-personalized-fashion-recommendations",
    "H&M Personalized Fashion Recommendations",
    category="Recommendation",
    metric="MAP@12",
    group="medium",
    answers="answers.csv",
    gigabytes=30,
)
