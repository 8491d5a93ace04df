"""What can be checked without data: the declaration, the leaderboard and the shape of the description."""

from __future__ import annotations

from mlebench.checking.declaration_problems import declaration_problems, leaderboard_problems
from mlebench.checking.described import shape_problems
from mlebench.checking.subject import Subject
from mlebench.competition.checks import Judgement, check, judged, not_applicable


@check("declaration_sound", "the declaration is sound", stage="declaration", cost="instant")
def declaration_sound(subject: Subject) -> Judgement:
    """Category and metric are known, the direction fits, the known issues can be read."""
    return judged(declaration_problems(subject.competition.declaration))


@check("leaderboard_fits", "the leaderboard fits the metric", stage="declaration", cost="instant")
def leaderboard_fits(subject: Subject) -> Judgement:
    """Scores are numbers, and the best comes first."""
    declared = subject.competition.declaration
    if declared.own_leaderboard_path is None and declared.human_leaderboard() is None:
        return not_applicable("there is no leaderboard")
    return judged(leaderboard_problems(subject.competition))


@check("description_has_its_parts", "the description has the five parts", stage="declaration", cost="instant")
def description_has_its_parts(subject: Subject) -> Judgement:
    """Title, Background, Task, Data, Metric, Submission with an example."""
    description = subject.description
    if not description.path.is_file() or not description.text.strip():
        advice = "Write what the contestant needs to know; `mlebench new` shows the form."
        return judged([description.problem("There is no description.", advice)])
    if not description.is_text:
        advice = "Save it again with the encoding UTF-8."
        return judged([description.problem("The description is not text in UTF-8.", advice)])
    if subject.competition.declaration.published is not None:
        return not_applicable("a competition in the published form may have any")
    return judged(shape_problems(description))
