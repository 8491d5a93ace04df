"""Everything about a competition that can be checked before anybody else sees it, one outcome after the other."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from mlebench.base.authored import said
from mlebench.checking.declared import declaration_problems, leaderboard_problems
from mlebench.checking.described import Description, content_problems, example_problems, shape_problems
from mlebench.checking.grading import (
    Examples,
    best_outcome,
    broken_outcomes,
    examples_outcome,
    excused,
    sample_outcome,
)
from mlebench.checking.leaks import leak_problems
from mlebench.checking.outcomes import Outcome, Problem, judged, line_with, not_applicable, placed
from mlebench.checking.preparing import (
    CIRCUMSTANCES,
    Prepared,
    differing,
    preparation_problem,
    prepare_elsewhere,
)
from mlebench.competition.declaration import Check
from mlebench.competition.loading import BUILT_IN
from mlebench.competition.local import LocalCompetition
from mlebench.data.checks import data_checks, require_files
from mlebench.errors import MlebenchError, PreparationError
from mlebench.twins import has_twin, write_twin

SCALES = (1, 2, 4)
_MEGABYTE = 1 << 20
_SLOW = 5.0  # seconds below which nobody minds how time grows
_STEEP = 3.0  # how many times as much per row, from one scale to the next, is more than chance


def check(competition: LocalCompetition) -> Iterator[Outcome]:
    """Check a competition and give the outcomes as they come; the user's data folder is only read."""
    competition.require_edition()
    declared = competition.declaration
    yield judged("the declaration is sound", list(declaration_problems(declared)))
    if declared.own_leaderboard_path is None and declared.human_leaderboard() is None:
        yield not_applicable("the leaderboard fits the metric", "there is no leaderboard")
    else:
        yield judged("the leaderboard fits the metric", list(leaderboard_problems(competition)))
    description = Description(declared.folder / "description.md", competition.edition)
    yield _shape(description, published_form=declared.published is not None)
    with tempfile.TemporaryDirectory(prefix="mlebench-check-") as scratch:
        yield from _on_data(competition, description, Path(scratch))


def _shape(description: Description, *, published_form: bool) -> Outcome:
    name = "the description has the five parts"
    if not description.path.is_file() or not description.text.strip():
        advice = "Write what the contestant needs to know; `mlebench new` shows the form."
        return judged(name, [description.problem("There is no description.", advice)])
    if not description.is_text:
        advice = "Save it again with the encoding UTF-8."
        return judged(name, [description.problem("The description is not text in UTF-8.", advice)])
    if published_form:
        return not_applicable(name, "a competition in the published form may have any")
    return judged(name, list(shape_problems(description)))


def _on_data(competition: LocalCompetition, description: Description, scratch: Path) -> Iterator[Outcome]:
    here = LocalCompetition(competition.declaration, scratch, competition.edition)
    try:
        archive, data = _raw_data(competition, scratch)
    except MlebenchError as error:
        twin = competition.declaration.folder / "twin.py"
        advice = error.hint or "Mend it."
        yield judged("there is data to prepare", [placed(error.sentence, advice, twin, r"def make\b")])
        return
    first = prepare_elsewhere(here, archive, here.prepared_dir, CIRCUMSTANCES[0])
    problems = preparation_problem(first, here) or _missing_files(here)
    yield judged("the data can be prepared", problems, f"from {data}")
    if problems:
        yield not_applicable("everything that needs prepared data", "the preparation fails")
        return
    yield from _of_prepared_data(here, description)
    yield _determined(here, archive, scratch)
    yield _measured(here, archive, first, scratch)


def _raw_data(competition: LocalCompetition, scratch: Path) -> tuple[Path | None, str]:
    """(the archive, what it is): of one's own what is in place, else the twin; None for what writes its data itself."""
    own = competition.declaration.folder.parent != BUILT_IN
    if competition.declaration.raw_fn is not None:
        return None, "the raw data that it writes"
    if own and competition.archive.is_file():
        return competition.archive.resolve(), str(competition.archive)
    if has_twin(competition):
        return write_twin(competition, scratch / _twin_folder(SCALES[0])), "its twin"
    raise PreparationError(
        f"{competition.id} has no raw data to try it with.",
        hint=f"Put the archive at {competition.archive}, or write a twin.py beside competition.py.",
    )


def _missing_files(competition: LocalCompetition) -> list[Problem]:
    try:
        require_files(competition, competition.prepared_dir)
    except PreparationError as error:
        file = competition.declaration.folder / "competition.py"
        advice = "Write it, or declare its name with `sample=` or `answers=`."
        return [Problem(error.sentence, advice, file, line_with(file, r"\.prepare\b"))]
    return []


def _of_prepared_data(competition: LocalCompetition, description: Description) -> Iterator[Outcome]:
    name = "the description names what there is"
    if not description.path.is_file() or competition.declaration.published is not None:
        yield not_applicable(name, "there is none in our form")
    else:
        problems = content_problems(description, competition.public_dir)
        problems += example_problems(description, competition.sample_submission)
        yield judged(name, problems)
    file = competition.declaration.folder / "competition.py"
    for check, find in data_checks(competition, competition.prepared_dir).items():
        if check == "the sample is valid":
            continue  # below, with the place
        if check in excused(competition):
            yield not_applicable(check, "the competition says that its data breaks this")
            continue
        found = _found(find)
        place = line_with(file, r"\.prepare\b")
        advice = "Mend the preparation."
        yield judged(check, [Problem(f"{found[0].upper()}{found[1:]}.", advice, file, place)] if found else [])
    try:
        examples = Examples(competition, competition.data_dir / "examples")
    except (MlebenchError, ValueError) as error:  # parser errors and wrong encodings among the latter
        advice = "Write both as tables that can be read."
        what = f"The sample submission or the answers cannot be read: {said(error)}."
        yield judged("examples can be graded", [Problem(what, advice, file, line_with(file, r"\.prepare\b"))])
        return
    leaks: Check = "no public column has the answers"
    if leaks in excused(competition):
        yield not_applicable(leaks, "the competition says that its data breaks this")
    else:
        yield judged(leaks, list(leak_problems(examples)))
    yield sample_outcome(examples)
    if examples.fails:
        yield not_applicable("everything else about grading", "the grader fails on the sample submission")
        return
    yield examples_outcome(examples)
    yield best_outcome(examples)
    yield from broken_outcomes(examples)


def _found(find: Callable[[], str | None]) -> str | None:
    """What a check of the data finds; also that it cannot be made, because something cannot be read."""
    try:
        return find()
    except (MlebenchError, ValueError) as error:
        return f"this cannot be checked: {said(error)}"


def _determined(competition: LocalCompetition, archive: Path | None, scratch: Path) -> Outcome:
    name = "preparing again gives the same bytes"
    again = scratch / "again"
    second = prepare_elsewhere(competition, archive, again, CIRCUMSTANCES[1])
    if second.problem is not None:
        return judged(name, preparation_problem(second, competition))
    file = competition.declaration.folder / "competition.py"
    problems = [
        Problem(
            f"{each} differs when the data is prepared again.",
            "Give every random choice a seed; sort what comes from a set, a dict or a folder; write no dates.",
            file,
            _writing_line(file, each),
        )
        for each in differing(competition.prepared_dir, again)
    ]
    return judged(name, problems[:5], "with another hash seed, time zone and number of processes")


def _writing_line(file: Path, name: str) -> int | None:
    """The line of a preparation that writes a file, or else that of the preparation."""
    part, _, path = name.partition("/")
    return line_with(file, rf"{part}\.\w+\(\s*[\"']{path}[\"']") or line_with(file, r"\.prepare\b")


def _twin_folder(scale: int) -> str:
    return f"twin-{scale}"


def _measured(competition: LocalCompetition, archive: Path | None, first: Prepared, scratch: Path) -> Outcome:
    name = "time and memory grow with the data"
    if competition.declaration.raw_fn is not None or not has_twin(competition):
        return not_applicable(name, f"there is no twin to make more of; {_figures(first)}")
    found = {SCALES[0]: first} if archive and archive.parent == scratch / _twin_folder(SCALES[0]) else {}
    for scale in SCALES[len(found) :]:
        try:
            archive = write_twin(competition, scratch / _twin_folder(scale), scale=scale)
        except MlebenchError as error:
            file = competition.declaration.folder / "twin.py"
            return judged(name, [placed(str(error), "Mend the twin.", file, r"def make\b")])
        found[scale] = prepare_elsewhere(competition, archive, scratch / f"scale-{scale}", CIRCUMSTANCES[0])
        if found[scale].problem is not None:
            return judged(name, preparation_problem(found[scale], competition), f"at scale {scale}")
    middle, largest = found[SCALES[-2]], found[SCALES[-1]]
    growth = SCALES[-1] / SCALES[-2]
    problems = []
    if largest.seconds > _SLOW and largest.seconds > _STEEP * growth * middle.seconds:
        file = competition.declaration.folder / "competition.py"
        what = f"{growth:g} times the data takes {largest.seconds / middle.seconds:.1f} times as long."
        problems = [Problem(what, "Look for a loop over rows in a loop.", file, line_with(file, r"\.prepare\b"))]
    return judged(name, problems, "; ".join(f"scale {scale}: {_figures(each)}" for scale, each in found.items()))


def _figures(prepared: Prepared) -> str:
    return f"{prepared.seconds:.2f} s, {prepared.peak_bytes / _MEGABYTE:.0f} MB"
