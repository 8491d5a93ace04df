"""Tweet sentiment extraction: which words of a tweet carry its sentiment?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="tweet-sentiment-extraction",
    name="Tweet Sentiment Extraction",
    category="Text (Other)",
    metric="mean word-level Jaccard index",
    group="medium",
    known_issues=(
        KnownIssue(
            "A row in which truth and prediction are both empty divides by zero and leaves the submission "
            "without a score; in the real data the only row without text is in train.",
            v2="Scores 1 for such a row.",
        ),
        KnownIssue("The contest's test set was hidden; the tweets held out here are public with their labels."),
        KnownIssue("The original text advises removing quotes around a text, which a CSV reader does by itself."),
    ),
)
