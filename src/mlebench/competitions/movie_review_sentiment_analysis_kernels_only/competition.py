"""Movie review sentiment: how positive is a phrase from a film review, on a scale of five?"""

from collections.abc import Sequence

from mlebench.kit import (
    Competition,
    Output,
    Raw,
    Split,
    Table,
    accuracy,
    aligned,
    class_numbers,
    grouped_by,
    random_split,
)

competition = Competition(
    "movie-review-sentiment-analysis-kernels-only",
    "Movie Review Sentiment Analysis (Kernels Only)",
    category="Text Classification",
    metric="accuracy",
    group="dev",
    answers="answers.csv",
    sample="sampleSubmission.csv",
    breaks=["wrong_values_refused"],  # as published, one word makes all classes text, which equals no class
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, split: Split = random_split, text: Sequence[str] = ()) -> None:
    """Hold out three tenths of the phrases."""
    train, test = split(raw.read_csv("train.tsv.zip", sep="\t", text=text), test_size=0.3)
    public.write_csv("train.tsv.zip", train, sep="\t")
    public.write_csv("test.tsv.zip", test.drop(columns="Sentiment"), sep="\t")
    public.write_csv("sampleSubmission.csv", test[["PhraseId"]].assign(Sentiment=2))
    private.write_csv("answers.csv", test)


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Share of phrases whose sentiment is predicted right."""
    truth, predicted = aligned(submission, answers, on="PhraseId", target="Sentiment")
    return accuracy(truth, class_numbers(predicted))


competition.v2(split=grouped_by("SentenceId"), text=["Phrase"])
