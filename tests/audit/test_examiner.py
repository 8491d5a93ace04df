"""A few leaks of the examiner, who does not know the detectors, in competitions of one's own.

`python -m benchmarks.audit.examiner` plants all kinds, in such competitions and in twins.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from examiner_case import LEAST_GAIN, own_case
from examiner_clean import CONDITIONS, HONEST
from examiner_draws import Conditions
from examiner_leaks import LEAKS
from examiner_worlds import WORLDS, write_world

from mlebench.audit.auditing import audit
from mlebench.competition.local import LocalCompetition

KIND = WORLDS["habitat"]


@pytest.fixture(scope="session")
def habitat(tmp_path_factory: pytest.TempPathFactory) -> LocalCompetition:
    """A prepared competition of one's own, to be copied."""
    return write_world(tmp_path_factory.mktemp("own"), KIND, Conditions(rows=320, test_share=0.3), 1)


def copied(competition: LocalCompetition, folder: Path) -> LocalCompetition:
    """The same competition with data of its own."""
    copy = LocalCompetition(competition.declaration, folder)
    shutil.copytree(competition.prepared_dir, copy.prepared_dir)
    return copy


def test_the_examination_has_the_kinds_that_it_promises() -> None:
    leaks = [planting for planting in LEAKS.values() if planting.defect is None]
    assert len(leaks) >= 60
    assert sum(planting.devious for planting in leaks) <= 0.1 * len(leaks)
    assert len(WORLDS) >= 8
    assert len(HONEST) + len(CONDITIONS) >= 20


@pytest.mark.parametrize("kind", ["raw_copy_in_subfolder", "git_object", "column_encoded_on_both_sides"])
def test_a_leak_in_a_competition_of_ones_own_is_found(kind: str, habitat: LocalCompetition, tmp_path: Path) -> None:
    case = own_case(copied(habitat, tmp_path), KIND.key, KIND.targets, 3)
    sample_score = case.score(None)
    told = LEAKS[kind].plant(case)
    assert case.gain(told, sample_score) >= LEAST_GAIN
    assert any(found.severity == "leak" for found in audit(case.competition).findings)


def test_a_clean_competition_of_ones_own_has_no_leak(habitat: LocalCompetition, tmp_path: Path) -> None:
    case = own_case(copied(habitat, tmp_path), KIND.key, KIND.targets, 3)
    HONEST["feature_of_auc_097"](case)
    assert not [found for found in audit(case.competition).findings if found.severity == "leak"]
