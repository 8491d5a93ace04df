"""Billion word imputation: which word is missing from a sentence, and where?"""

from mlebench.kit import Competition

competition = Competition(
    "billion-word-imputation",
    "Billion Word Imputation",
    category="Seq->Seq",
    metric="mean Levenshtein distance",
    group="medium",
    private_sample="sample_submission.csv",
)
