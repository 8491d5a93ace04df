"""Text normalisation, English: turn written tokens into the words a person would say."""

from mlebench.competitions.families import text_normalization
from mlebench.kit import Competition, Output, Raw

competition = Competition(
    "text-normalization-challenge-english-language",
    "Text Normalization Challenge - English Language",
    category="Seq->Seq",
    metric="accuracy",
    group="low",
    answers="answers.csv",
    gigabytes=0.01,
    private_sample="sample_submission.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the sentences, as in the other language."""
    text_normalization.prepare(raw, public, private, language="en")


competition.grade(text_normalization.grade)
