"""Text normalisation, Russian: turn written tokens into the words a person would say."""

from mlebench.competition import Competition, KnownIssue
from mlebench.competitions.families.text_normalization import KNOWN_ISSUES, text_normalization

competition = Competition(
    id="text-normalization-challenge-russian-language",
    name="Text Normalization Challenge - Russian Language",
    category="Seq->Seq",
    metric="accuracy",
    group="low",
    answers="answers.csv",
    sample="private/sample_submission.csv",
    gigabytes=0.01,
    known_issues=(
        *KNOWN_ISSUES,
        KnownIssue(
            "A sentence that occurs twice in the corpus may be in both parts; Kaggle left such sentences out "
            "of its scoring, here they count.",
            v2="Splits by the text of the sentence.",
        ),
    ),
)

text_normalization(competition, "ru")
