"""Facebook recruiting III: which tags did users give a Stack Exchange question?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="facebook-recruiting-iii-keyword-extraction",
    name="Facebook Recruiting III - Keyword Extraction",
    category="Text Classification",
    metric="micro F1",
    group="medium",
    known_issues=(
        KnownIssue(
            "The contest averaged the F1 of each question; here the counts are pooled over all questions, "
            "which gives scores on another scale than the human ones.",
            v2="Averages the F1 of each question.",
        ),
        KnownIssue(
            "A predicted tag that no test question has costs nothing.",
            v2="Counts it as a false positive.",
        ),
        KnownIssue(
            "The sample submission repeats title and body of every question.",
            v2="Its columns are Id and Tags only.",
        ),
        KnownIssue(
            'The tags "null" and "nan" are read as missing values, so a question can lose its only tag.',
            v2="Reads every tag as text.",
        ),
        KnownIssue(
            "The training data is full of exact duplicates, so most of those held out can be looked up in train."
        ),
        KnownIssue("Train.csv and Test.csv of the original are train.csv and test.csv here."),
    ),
)
