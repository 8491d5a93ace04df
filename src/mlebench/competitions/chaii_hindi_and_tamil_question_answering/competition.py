"""chaii: which words of a Hindi or Tamil article answer a question?"""

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
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the questions."""
    train, test = random_split(raw.read_csv("train.csv"), test_size=0.1)
    public.write_csv("train.csv", train)
    public.write_csv("test.csv", test.drop(columns=["answer_text", "answer_start"]))
    public.write_csv("sample_submission.csv", test[["id"]].assign(PredictionString="dummy text"))
    private.write_csv("test.csv", test[["id"]].assign(PredictionString=test["answer_text"]))


@competition.grade
def grade(submission: Table, answers: Table) -> float:
    """Mean overlap of the words of both answers; a question whose true answer is empty scores 0, as published."""
    truth, predicted = aligned(submission, answers, on="id", target="PredictionString")
    return float(np.mean(list(map(word_jaccard, texts(truth), texts(predicted)))))
