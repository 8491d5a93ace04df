"""Tweet sentiment extraction: which words of a tweet carry its sentiment?"""

from mlebench.kit import Competition

competition = Competition(
    "tweet-sentiment-extraction",
    "Tweet Sentiment Extraction",
    category="Text (Other)",
    metric="mean word-level Jaccard index",
    group="medium",
)
