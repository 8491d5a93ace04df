"""U.S. patent phrases: how similar are two phrases within a technical field?"""

from mlebench.kit import Competition

competition = Competition(
    "us-patent-phrase-to-phrase-matching",
    "U.S. Patent Phrase to Phrase Matching",
    category="Text Regression",
    metric="Pearson correlation",
    group="medium",
)
