"""TensorFlow 2.0 question answering: which passage and which phrase of an article answer a question?"""

from mlebench.kit import Competition

competition = Competition(
    "tensorflow2-question-answering",
    "TensorFlow 2.0 Question Answering",
    category="Question Answering",
    metric="micro F1",
    group="medium",
    answers="test.jsonl",
)
