"""chaii: which words of a Hindi or Tamil article answer a question?"""

from collections.abc import Sequence

import numpy as np

from mlebench.kit import Competition, Output, Raw, Table, aligned, random_split, texts, word_jaccard

competition = Competition(
    "chaii-hindi-and-tamil-question-answering",
    "chaii - Hindi and Tamil Question Answering",
    category="Question Answering",
    metric="mean word-level Jaccard index",
    group="medium",
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, text: Sequence[str] = ()) -> None:
    """Hold out a tenth of the questions."""
    train, test = random_split(raw.read_csv("train.csv", text=text), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns=["answer_text", "answer_start"]))
    public.write_csv("sample_submission.csv", test[["id"]].assign(PredictionString="dummy text"))
    private.write_csv("test.csv", test[["id"]].assign(PredictionString=test["answer_text"]))


@competition.grade
def grade(submission: Table, answers: Table, both_empty_is_right: bool = False) -> float:
    """Mean overlap of the words of both answers; a question whose true answer is empty scores 0, as published."""
    truth, predicted = aligned(submission, answers, on="id", target="PredictionString")
    pairs = zip(texts(truth), texts(predicted), strict=True)
    if both_empty_is_right:
        return float(np.mean([word_jaccard(*pair) if "".join(pair).split() else 1.0 for pair in pairs]))
    return float(np.mean([word_jaccard(*pair) for pair in pairs]))


competition.v2(text=["context", "question", "answer_text"], text_columns=["PredictionString"], both_empty_is_right=True)
