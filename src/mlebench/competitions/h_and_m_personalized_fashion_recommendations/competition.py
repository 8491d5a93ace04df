"""H&M recommendations: which articles will a customer buy in the days to come?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="h-and-m-personalized-fashion-recommendations",
    name="H&M Personalized Fashion Recommendations",
    category="Recommendation",
    metric="MAP@12",
    group="medium",
    answers="answers.csv",
    gigabytes=30,
    known_issues=(
        KnownIssue(
            "Article ids lost their leading zero in the answers and the public transactions; the ten-digit "
            "ids of the article table, the pictures and the sample submission match nothing and score 0.",
            v2="Compares article ids as numbers.",
        ),
        KnownIssue(
            "The test period is the last eight days, where the task speaks of seven.",
            v2="Holds out seven days.",
        ),
        KnownIssue(
            "A customer given twice is accepted and shifts all customers after it.",
            v2="Refuses repeated customers.",
        ),
    ),
)
