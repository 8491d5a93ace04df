"""Google QUEST: how do people rate a question and its answer on thirty subjective aspects?"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlebench.kit import (
    Column,
    Competition,
    InvalidSubmissionError,
    Output,
    Raw,
    RefusalCode,
    Table,
    aligned,
    as_text,
    complete,
    numbers,
    paired_by_position,
    random_split,
    require_columns,
    require_rows,
    spearman,
    split_together,
)

SPELLING = "question_type_spelling"
TARGETS = [
    "question_asker_intent_understanding", "question_body_critical", "question_conversational",
    "question_expect_short_answer", "question_fact_seeking", "question_has_commonly_accepted_answer",
    "question_interestingness_others", "question_interestingness_self", "question_multi_intent",
    "question_not_really_a_question", "question_opinion_seeking", "question_type_choice",
    "question_type_compare", "question_type_consequence", "question_type_definition", "question_type_entity",
    "question_type_instructions", "question_type_procedure", "question_type_reason_explanation",
    SPELLING, "question_well_written", "answer_helpful", "answer_level_of_information",
    "answer_plausible", "answer_relevance", "answer_satisfaction", "answer_type_instructions",
    "answer_type_procedure", "answer_type_reason_explanation", "answer_well_written",
]  # fmt: skip

competition = Competition(
    "google-quest-challenge",
    "Google QUEST Q&A Labeling",
    category="Text Regression",
    metric="mean column-wise Spearman correlation",
    group="medium",
    breaks=[
        "incomplete_refused",  # as published, ids are never compared
        "wrong_values_refused",  # as published, words are ranked as text
    ],
)


@competition.prepare
def prepare(raw: Raw, public: Output, private: Output, questions_together: bool = False) -> None:
    """Hold out a tenth of the pairs, one of them with a spelling question."""
    pairs = raw.read_csv("train.csv")
    rows = np.arange(len(pairs))
    if questions_together:
        train, test = split_together(rows, pairs["url"].tolist(), test_size=0.1)
    else:
        train, test = random_split(rows, test_size=0.1)
    spelling = pairs[SPELLING].to_numpy()
    if not questions_together and len(np.unique(spelling[test])) == 1:  # a constant target has no correlation
        found = np.argmax(spelling[train] != 0)
        train[found], test[0] = test[0], train[found]
    held_out = pairs.iloc[test]
    public.write_csv("train.csv", pairs.iloc[train])
    public.write_csv("test.csv", held_out.drop(columns=TARGETS))
    rising = np.linspace(0, 1, len(test))
    public.write_csv("sample_submission.csv", held_out[["qa_id"]].assign(**dict.fromkeys(TARGETS, rising)))
    private.write_csv("test.csv", held_out[["qa_id", *TARGETS]])


@competition.grade
def grade(submission: Table, answers: Table, match_ids: bool = False) -> float:
    """Mean over the targets of the rank correlation."""
    require_columns(submission, ["qa_id", *TARGETS], exactly=True)
    if match_ids:
        true_ratings, given = aligned(submission, answers, on="qa_id", target=TARGETS)
        ratings = dict(zip(TARGETS, numbers(given, infinite=True).T, strict=True))
        varied = [target for target in TARGETS if true_ratings[target].nunique() > 1]  # others have no correlation
        return float(np.mean([_correlation(true_ratings[target], ratings[target]) for target in varied]))
    require_rows(submission, answers)
    if submission["qa_id"].dtype == object:  # one word among the ids makes all of them text
        submission = submission.assign(qa_id=as_text(submission["qa_id"]))
    # As published: rows are paired by their position after sorting, whatever the ids are.
    truth, predicted = paired_by_position(submission, answers, on="qa_id")
    return float(np.mean([spearman(truth[target], _ratings(predicted[target])) for target in TARGETS]))


def _correlation(truth: Column, predicted: NDArray[np.float64]) -> float:
    """The rank correlation, which is 0 where all predictions are equal."""
    return 0.0 if len(np.unique(predicted)) == 1 else spearman(truth, predicted)


def _ratings(column: Column) -> NDArray[Any]:
    """Predictions that can be ranked: numbers, also infinite ones, but not all the same."""
    from pandas.api.types import infer_dtype

    if complete(column).nunique() == 1:
        raise InvalidSubmissionError(
            f"The column {column.name} is constant and has no rank correlation; let its predictions vary.",
            code=RefusalCode.CONSTANT_PREDICTIONS,
        )
    # As published: one word makes pandas read the whole column as text, which is ranked as text.
    return as_text(column) if infer_dtype(column) == "string" else numbers(column, infinite=True)


competition.v2(questions_together=True, match_ids=True, breaks=[])
