"""Where a score on synthetic data stands: between the sample submission and a perfect one."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from mlebench.competition.registry import Registry
from mlebench.competition.vocabulary import EDITIONS
from mlebench.errors import MlebenchError
from mlebench.grade.grading import score_file
from mlebench.results.measures import fraction_between
from mlebench.results.names import SUBMISSION_FILE
from mlebench.results.reports import SavedReport

PERFECT = "perfect"  # the name of that example in every twin


def place_on_twin(saved: SavedReport, *, registry: Registry, data_dir: Path | None) -> tuple[float | None, str]:
    """(100 times how far it is from the sample to a perfect score, in words how); None without the twin's data."""
    report = saved.report
    if report.score is None:
        return 0.0, "there is no score"
    edition = next(known for known in EDITIONS if known == report.edition)
    places = [registry.data_dir, *([data_dir] if data_dir else [])]
    reason = "its data is not here"
    for place in places:
        try:
            sample, perfect = _ends(report.competition_id, replace(registry, data_dir=place, edition=edition))
        except MlebenchError as error:
            reason = str(error)
            continue
        value = 100.0 * fraction_between(report.score, sample, perfect)
        return value, f"{report.score:g} between the sample ({sample:g}) and perfect ({perfect:g}) on {report.data}"
    return None, reason


@lru_cache(maxsize=256)
def _ends(competition_id: str, registry: Registry) -> tuple[float, float]:
    """(score of the sample, score of a perfect submission) on the data of a twin."""
    from mlebench.twins import twin_program  # which loads pandas

    competition = registry.get_competition(competition_id)
    sample = score_file(competition.sample_submission, competition)
    for example in twin_program(competition).submissions(competition.prepared_dir, 0):
        if example.name == PERFECT:
            with tempfile.TemporaryDirectory(prefix="mlebench-perfect-") as scratch:
                path = Path(scratch) / SUBMISSION_FILE
                example.write(path)
                return sample, score_file(path, competition)
    raise MlebenchError(f"The twin of {competition.id} has no perfect submission.")
