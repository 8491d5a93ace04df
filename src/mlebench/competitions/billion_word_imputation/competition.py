"""Billion word imputation: which word is missing from a sentence, and where?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="billion-word-imputation",
    name="Billion Word Imputation",
    category="Seq->Seq",
    metric="mean Levenshtein distance",
    better="lower",
    group="medium",
    sample="private/sample_submission.csv",
    known_issues=(
        KnownIssue(
            "There is no public sample submission; its only public copy is the test file, inside an archive.",
            v2="Publishes sample_submission.csv.",
        ),
        KnownIssue("The original text calls the files train.txt and test.txt; they are train_v2.txt and test_v2.txt."),
        KnownIssue("The corpus is public, so the true sentences can be looked up."),
        KnownIssue("Test sentences have their blanks normalised and the answers do not."),
        KnownIssue(
            "Quotes are doubled before a sentence is cut into tokens, so a removed quote is written as two; "
            "this does no harm."
        ),
    ),
)
