"""TensorFlow 2.0 question answering: which passage and which phrase of an article answer a question?"""

from mlebench.competition import Competition, KnownIssue

competition = Competition(
    id="tensorflow2-question-answering",
    name="TensorFlow 2.0 Question Answering",
    category="Question Answering",
    metric="micro F1",
    group="medium",
    answers="test.jsonl",
    known_issues=(
        KnownIssue(
            "The F1 is averaged over both classes, which makes it plain accuracy: rightly blank rows count, "
            "and leaving everything blank scores more than a half.",
            v2="Computes the F1 of given answers, under which an all-blank submission scores 0.",
        ),
        KnownIssue(
            "The published check of submissions reads the answers as CSV, although they are JSON lines, and "
            "accepts nothing.",
            v2="Reads the answers in the format of their file.",
        ),
        KnownIssue(
            "A range that is no pair of whole numbers ends in a bare error.",
            v2="Refuses it with a reason.",
        ),
        KnownIssue(
            "The original text calls the test file simplified-nq-kaggle-test.jsonl; it is simplified-nq-test.jsonl."
        ),
        KnownIssue("Several short spans of one annotation are a joint answer, but each one counts as a full match."),
        KnownIssue("The questions and answers are public, and articles recur in train and test."),
    ),
)
