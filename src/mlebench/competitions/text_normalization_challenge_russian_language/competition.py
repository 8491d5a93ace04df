"""Text normalisation, Russian: turn written tokens into the words a person would say."""

from collections.abc import Sequence

from mlebench.competitions.families import text_normalization
from mlebench.kit import Competition, Output, Raw

competition = Competition(
    "text-normalization-challenge-russian-language",
    "Text Normalization Challenge - Russian Language",
    category="Seq->Seq",
    metric="accuracy",
    group="low",
    answers="answers.csv",
    gigabytes=0.01,
    private_sample="sample_submission.csv",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, text: Sequence[str] = ()) -> None:
    """Hold out a tenth of the sentences, as in the other language."""
    text_normalization.prepare(raw, public, private, language="ru", text=text)


competition.grade(text_normalization.grade)


competition.v2(text=["before", "after"], text_columns=["after"])
