"""What the grader says to example submissions: to the answers, to the twin's examples, and to broken ones."""

from __future__ import annotations

from mlebench.checking.example_submissions import answers_score_best as best
from mlebench.checking.example_submissions import broken_refused, examples_graded
from mlebench.checking.subject import Subject
from mlebench.competition.checks import Judgement, check


@check("examples_graded", "examples are scored or refused", stage="grading", cost="seconds")
def examples_are_graded(subject: Subject) -> Judgement:
    """The answers are valid, and the grader fails on none of the twin's examples."""
    return examples_graded(subject.graded_examples)


@check("answers_score_best", "nothing scores better than the answers", stage="grading", cost="seconds")
def answers_score_best(subject: Subject) -> Judgement:
    """Nor do all submissions score the same."""
    return best(subject.graded_examples)


@check("incomplete_refused", "incomplete submissions are refused", stage="grading", cost="seconds")
def incomplete_refused(subject: Subject) -> Judgement:
    """Without ids, predictions, a row or all rows, an empty file, an id twice."""
    return broken_refused(subject.graded_examples, "incomplete")


@check("wrong_values_refused", "wrong values are refused", stage="grading", cost="seconds")
def wrong_values_refused(subject: Subject) -> Judgement:
    """A word for a number, an empty cell."""
    return broken_refused(subject.graded_examples, "values")
