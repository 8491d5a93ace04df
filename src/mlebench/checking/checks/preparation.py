"""Whether data can be prepared, gives the same bytes again, and what preparing takes as data grows."""

from __future__ import annotations

import re
from pathlib import Path

from mlebench.checking.preparing import CIRCUMSTANCES, Prepared, differing, preparation_problem, prepare_elsewhere
from mlebench.checking.subject import SCALES, Subject
from mlebench.competition.checks import Judgement, Problem, check, judged, line_with, not_applicable, placed
from mlebench.errors import MlebenchError
from mlebench.twins import has_twin, write_twin

_MEGABYTE = 1 << 20
_SLOW = 5.0  # seconds below which nobody minds how time grows
_STEEP = 3.0  # how many times as much per row, from one scale to the next, is more than chance
_MOST_SHOWN = 5  # files that differ


@check("data_prepared", "the data can be prepared", stage="preparation", cost="minutes")
def data_prepared(subject: Subject) -> Judgement:
    """There is data, `prepare` ends well and writes the sample submission and the answers."""
    preparation = subject.preparation
    return judged(preparation.problems, f"from {preparation.source}")


@check("same_bytes_again", "preparing again gives the same bytes", stage="repetition", cost="minutes")
def same_bytes_again(subject: Subject) -> Judgement:
    """Another hash seed, time zone and number of processes change nothing."""
    prepared, again = subject.prepared, subject.scratch / "again"
    second = prepare_elsewhere(subject.competition, subject.preparation.archive, again, CIRCUMSTANCES[1])
    if second.problem is not None:
        return judged(preparation_problem(second, subject.competition))
    file = subject.competition.declaration.folder / "competition.py"
    problems = [
        Problem(
            f"{name} differs when the data is prepared again.",
            "Give every random choice a seed; sort what comes from a set, a dict or a folder; write no dates.",
            file,
            _writing_line(file, name),
        )
        for name in differing(prepared, again)
    ]
    return judged(problems[:_MOST_SHOWN], "with another hash seed, time zone and number of processes")


def _writing_line(file: Path, name: str) -> int | None:
    """The line of a preparation that writes a file, or else that of the preparation."""
    part, _, path = name.partition("/")
    return line_with(file, rf"{part}\.\w+\(\s*[\"']{re.escape(path)}[\"']") or line_with(file, r"\.prepare\b")


@check("growth_measured", "time and memory grow with the data", stage="repetition", cost="minutes")
def growth_measured(subject: Subject) -> Judgement:
    """Seconds and peak memory at scales 1, 2 and 4 of the twin."""
    _ = subject.prepared
    competition, scratch, first = subject.competition, subject.scratch, subject.preparation.first
    archive = subject.preparation.archive
    if competition.declaration.raw_fn is not None or not has_twin(competition):
        return not_applicable(f"there is no twin to make more of; {_figures(first)}")
    is_twin = archive is not None and archive.parent == scratch / subject.twin_folder(SCALES[0])
    found = {SCALES[0]: first} if is_twin else {}
    for scale in SCALES[len(found) :]:
        try:
            archive = write_twin(competition, scratch / subject.twin_folder(scale), scale=scale)
        except MlebenchError as error:
            file = competition.declaration.folder / "twin.py"
            return judged([placed(str(error), "Correct the twin.", file, r"def make\b")])
        found[scale] = prepare_elsewhere(competition, archive, scratch / f"scale-{scale}", CIRCUMSTANCES[0])
        if found[scale].problem is not None:
            return judged(preparation_problem(found[scale], competition), f"at scale {scale}")
    middle, largest = found[SCALES[-2]], found[SCALES[-1]]
    growth = SCALES[-1] / SCALES[-2]
    problems = []
    if largest.seconds > _SLOW and largest.seconds > _STEEP * growth * middle.seconds:
        what = f"{growth:g} times the data takes {largest.seconds / middle.seconds:.1f} times as long."
        problems = [subject.problem(what, "Look for a loop over rows in a loop.")]
    return judged(problems, "; ".join(f"scale {scale}: {_figures(prepared)}" for scale, prepared in found.items()))


def _figures(prepared: Prepared) -> str:
    return f"{prepared.seconds:.2f} s, {prepared.peak_bytes / _MEGABYTE:.0f} MB"
