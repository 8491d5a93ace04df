"""Text normalisation, Russian: turn written tokens into the words a person would say."""

from mlebench.competition import Competition, KnownIssue
from mlebench.competitions.families.text_normalization import text_normalization

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
        KnownIssue(
            'Tokens such as "NA", "null" or "None" are lost as missing values, in the public data and in the answers.',
            v2="Reads every token as text.",
        ),
        KnownIssue("The original text names files without the ending _2.csv.zip that the public files have."),
        KnownIssue(
            "The original text shows the marks <self> and sil for unchanged tokens; the data repeats the token.",
            v2="The description shows real rows.",
        ),
        KnownIssue(
            "A sentence that occurs twice in the corpus may be in both parts; Kaggle left such sentences out "
            "of its scoring, here they count.",
            v2="Splits by the text of the sentence.",
        ),
    ),
)

text_normalization(competition, "ru")
