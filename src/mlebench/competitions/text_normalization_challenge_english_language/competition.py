"""Text normalisation, English: turn written tokens into the words a person would say."""

from mlebench.competition import Competition
from mlebench.competitions.families.text_normalization import KNOWN_ISSUES, text_normalization

competition = Competition(
    id="text-normalization-challenge-english-language",
    name="Text Normalization Challenge - English Language",
    category="Seq->Seq",
    metric="accuracy",
    group="low",
    answers="answers.csv",
    sample="private/sample_submission.csv",
    gigabytes=0.01,
    known_issues=KNOWN_ISSUES,
)

text_normalization(competition, "en")
