"""chaii: which words of a Hindi or Tamil article answer a question?"""

from mlebench.kit import Competition

competition = Competition(
    "chaii-hindi-and-tamil-question-answering",
    "chaii - Hindi and Tamil Question Answering",
    category="Question Answering",
    metric="mean word-level Jaccard index",
    group="medium",
)
