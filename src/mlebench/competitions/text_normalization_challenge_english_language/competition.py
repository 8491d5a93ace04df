"""Text normalisation, English: turn written tokens into the words a person would say."""

from mlebench.competition import Competition, KnownIssue
from mlebench.competitions.families.text_normalization import text_normalization

competition = Competition(
    id="text-normalization-challenge-english-language",
    name="Text Normalization Challenge - English Language",
    category="Seq->Seq",
    metric="accuracy",
    group="low",
    answers="answers.csv",
    sample="private/sample_submission.csv",
    gigabytes=0.01,
    known_issues=(
        KnownIssue(
            'Tokens such as "NA", "null" or "None" are lost as missing values, in the public data and in the answers.',
            v2="Reads every token as text.",
        ),
        KnownIssue("The original text names files without the ending _2.csv.zip that the public files have."),
        KnownIssue(
            "The original text shows the marks <self> and sil for unchanged tokens; the data repeats the token.",
            v2="The description shows real rows.",
        ),
    ),
)

text_normalization(competition, "en")
