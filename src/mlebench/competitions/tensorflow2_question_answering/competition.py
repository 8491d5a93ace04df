"""TensorFlow 2.0 question answering: which passage and which phrase of an article answer a question?"""

import json
import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, TypeAlias

import numpy as np

from mlebench.kit import (
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    random_split,
    texts,
)

BLOCK = 1000  # lines that are split at a time
KNOWN_OF_TEST = ["example_id", "question_text", "document_text", "long_answer_candidates"]
SUBMISSION = ["example_id", "PredictionString"]
Example: TypeAlias = dict[str, Any]

competition = Competition(
    "tensorflow2-question-answering",
    "TensorFlow 2.0 Question Answering",
    category="Question Answering",
    metric="micro F1",
    group="medium",
    answers="test.jsonl",
    breaks=["sample_has_a_row_per_answer"],  # it has two, for the short and the long answer
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output) -> None:
    """Hold out a tenth of the examples, each thousand lines split on their own."""
    import pandas as pd

    gold: list[tuple[str, str]] = []
    lines = raw.lines("simplified-nq-train.jsonl")
    with (
        public.text_stream("simplified-nq-train.jsonl") as for_train,
        public.text_stream("simplified-nq-test.jsonl") as for_test,
        private.text_stream("test.jsonl") as answers,
    ):
        while block := list(islice(lines, BLOCK)):
            train, test = random_split(_examples(block), test_size=0.1)
            for_train.writelines(map(_line, train))
            for_test.writelines(_line({key: example[key] for key in KNOWN_OF_TEST}) for example in test)
            answers.writelines(map(_line, test))
            gold += [(row, right[0] if right else "") for row, right in _right_answers(test)]
    submission = pd.DataFrame(gold, columns=SUBMISSION)
    private.write_csv("gold_submission.csv", submission)
    public.write_csv("sample_submission.csv", submission.assign(PredictionString=""))


def _examples(lines: Sequence[str]) -> list[Example]:
    """The examples of a block: all with the same keys, in order of first appearance, and with ids as text."""
    examples = [json.loads(line) for line in lines]
    keys = list(dict.fromkeys(key for example in examples for key in example))
    return [
        {key: example.get(key) for key in keys} | {"example_id": str(example["example_id"])} for example in examples
    ]


def _line(example: Example) -> str:
    """An example as pandas writes JSON lines: no blanks, ASCII only, slashes escaped, but the character DEL raw."""
    text = json.dumps(example, separators=(",", ":")).replace("/", r"\/")
    if r"\u007f" in text:
        # An escaped backslash is skipped, for what follows it is no escape.
        text = re.sub(r"(\\\\)|\\u007f", lambda found: found[1] or "\x7f", text)
    return f"{text}\n"


def _right_answers(examples: Sequence[Example]) -> list[tuple[str, list[str]]]:
    """The rows of a submission, each with all answers that are right; the preferred one comes first."""
    rows = []
    for example in examples:
        annotation = example["annotations"][0]
        yes_or_no, long = annotation["yes_no_answer"], annotation["long_answer"]
        short = [] if yes_or_no == "NONE" else [yes_or_no]
        rows.append(
            (f"{example['example_id']}_short", short + [_span(answer) for answer in annotation["short_answers"]])
        )
        rows.append((f"{example['example_id']}_long", [] if long["start_token"] == -1 else [_span(long)]))
    return rows


def _span(answer: Example) -> str:
    return f"{answer['start_token']}:{answer['end_token']}"


@competition.grade
def grade(submission: Table, answers: list[Example], of_given_answers: bool = False) -> float:
    """Share of rows that are right: as published, the micro F1 is taken over both classes, which is just that."""
    import pandas as pd

    expected = pd.DataFrame(_right_answers(answers), columns=SUBMISSION)
    truth, predicted = aligned(submission, expected, on="example_id", target="PredictionString")
    given = [_normalised(prediction.strip()) for prediction in texts(predicted, any_kind=True)]
    if of_given_answers:
        hits = sum(one in right for one, right in zip(given, truth, strict=True) if one)
        return 2 * hits / max(1, sum(map(bool, given)) + sum(map(bool, truth)))
    return float(np.mean([one in right if one else not right for one, right in zip(given, truth, strict=True)]))


def _normalised(prediction: str) -> str:
    """An answer in the spelling of the true ones: `5:9` for ` 05 : +9`."""
    if prediction in ("", "YES", "NO"):
        return prediction
    try:
        start, end = map(int, prediction.split(":"))
    except ValueError:
        raise InvalidSubmissionError(
            f"A PredictionString is start:end (two whole numbers), YES, NO or empty, but not {prediction[:60]!r}.",
            code=RefusalCode.MALFORMED_VALUE,
            where=lambda table: table["PredictionString"].astype(str).str.strip() == prediction,
        ) from None
    return f"{start}:{end}"


competition.v2(of_given_answers=True)
