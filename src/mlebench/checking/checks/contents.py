"""What is inside prepared data: names that the description gives, and what gives the answers away."""

from __future__ import annotations

from mlebench.checking.described import content_problems, example_problems
from mlebench.checking.leaks import leak_problems
from mlebench.checking.subject import Subject
from mlebench.competition.checks import Judgement, check, judged, not_applicable


@check("description_names_everything", "the description names what there is", stage="contents", cost="seconds")
def description_names_everything(subject: Subject) -> Judgement:
    """Every public file, column, key and member is named, and every name is one of them."""
    description, competition, public = subject.description, subject.competition, subject.prepared / "public"
    if not description.path.is_file() or competition.declaration.published is not None:
        return not_applicable("there is none in our form")
    problems = content_problems(description, public)
    return judged([*problems, *example_problems(description, competition.sample_submission)])


@check("no_answers_in_public", "no public column has the answers", stage="contents", cost="seconds")
def no_answers_in_public(subject: Subject) -> Judgement:
    """The audit finds no leak in public data: no answers, and nothing that tells them beyond what train does."""
    _ = subject.prepared
    return judged(leak_problems(subject.competition))
