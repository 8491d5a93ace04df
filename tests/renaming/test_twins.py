"""Renamed twins: described as they are, made once, and graded as before, bit for bit.

A few competitions with one kind of data each; `MLEBENCH_TESTS=whole` takes all 82.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from covered import COVERED, WHOLE

from mlebench.checking.described import Description, content_problems, example_problems
from mlebench.competition.local import LocalCompetition
from mlebench.data.fingerprint import fingerprint
from mlebench.files.hashing import sha256_of
from mlebench.grade.grading import grade_csv
from mlebench.renaming.copies import FOLDER, RenamedData, renamed_data
from mlebench.renaming.submissions import rename_submission
from mlebench.services.check_submission import check
from mlebench.twins import twin_program

SAMPLED = [
    "random-acts-of-pizza",  # json, and the same in archives
    "spooky-author-identification",  # labels that are columns
    "text-normalization-challenge-russian-language",  # tables in zip archives
]
CHOSEN = COVERED if WHOLE else SAMPLED
TITANIC = "spaceship-titanic"


@pytest.fixture
def renamed(prepared_twin: Callable[[str], LocalCompetition]) -> Callable[[str], tuple[LocalCompetition, RenamedData]]:
    def get(competition_id: str) -> tuple[LocalCompetition, RenamedData]:
        competition = prepared_twin(competition_id)
        return competition, renamed_data(competition, obfuscate=True)

    return get


@pytest.mark.parametrize("competition_id", CHOSEN)
def test_same_scores(renamed: Callable[[str], tuple[LocalCompetition, RenamedData]], competition_id: str,
                     tmp_path: Path) -> None:  # fmt: skip
    competition, data = renamed(competition_id)
    before = fingerprint(competition.public_dir)
    path, graded = tmp_path / "submission.csv", 0
    for example in twin_program(competition).submissions(competition.prepared_dir, 0):
        example.write(path)
        if not path.is_file():
            continue
        expected = grade_csv(path, competition)
        rename_submission(path, data.renaming)
        handed_in = sha256_of(path)
        found = grade_csv(path, competition, renaming=data.renaming)
        assert found.raw_score == expected.raw_score, example.name
        assert (found.refusal_code, found.refusal_line) == (expected.refusal_code, expected.refusal_line), example.name
        assert sha256_of(path) == handed_in
        graded += 1
    assert graded > 5
    assert fingerprint(competition.public_dir) == before


@pytest.mark.parametrize("competition_id", CHOSEN)
def test_described_as_it_is(
    renamed: Callable[[str], tuple[LocalCompetition, RenamedData]], competition_id: str
) -> None:
    competition, data = renamed(competition_id)
    description = Description(data.folder / "description.md", competition.edition)
    assert content_problems(description, data.folder) == []
    sample = competition.sample_submission
    if sample.is_relative_to(competition.public_dir):
        shown = data.folder / data.renaming.path(sample.relative_to(competition.public_dir).as_posix())
        assert shown.name.startswith("sample_submission")
        assert list(example_problems(description, shown)) == []


def test_a_copy_is_made_once(renamed: Callable[[str], tuple[LocalCompetition, RenamedData]]) -> None:
    competition, data = renamed(TITANIC)
    assert data.folder.is_relative_to(competition.data_dir / FOLDER)
    assert TITANIC not in data.folder.relative_to(competition.data_dir).as_posix()
    table = data.folder / "train.csv"
    made = table.stat().st_ino
    assert renamed_data(competition, obfuscate=True) == data
    assert table.stat().st_ino == made
    assert renamed_data(competition, obfuscate=True, seed=1).folder != data.folder
    assert renamed_data(competition).folder != data.folder, "its description has names"
    os.truncate(table, 10)
    assert renamed_data(competition, obfuscate=True) == data
    assert table.stat().st_size > 10, "a copy that is not as it was made is made again"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_data_that_is_not_ours_to_write(renamed: Callable[[str], tuple[LocalCompetition, RenamedData]],
                                        tmp_path: Path) -> None:  # fmt: skip
    competition, data = renamed(TITANIC)
    competition.data_dir.chmod(0o500)
    (competition.data_dir / FOLDER).chmod(0o500)
    try:
        found = renamed_data(competition, seed=7, scratch=tmp_path / "data")
    finally:
        competition.data_dir.chmod(0o700)
        (competition.data_dir / FOLDER).chmod(0o700)
    assert found.folder == tmp_path / "data"
    assert found.renaming.columns.keys() == data.renaming.columns.keys()


def test_unknown_columns_are_refused_in_the_words_of_the_agent(
    renamed: Callable[[str], tuple[LocalCompetition, RenamedData]], tmp_path: Path
) -> None:
    competition, data = renamed(TITANIC)
    shown, identifier = data.renaming.column("Transported"), data.renaming.column("PassengerId")
    path = tmp_path / "submission.csv"
    rows = (data.folder / "sample_submission.csv").read_text().split("\n", 1)[1]
    path.write_text(f"{identifier},{shown}\n{rows}")
    assert grade_csv(path, competition, renaming=data.renaming).valid_submission
    assert check(path, competition, data.renaming) == (True, "Submission is valid.")
    # The true name is unknown to the agent, and so to the grader.
    for wrong in ("Transported", "target"):
        path.write_text(f"{identifier},{wrong}\n{rows}")
        sentence = f"The submission lacks the column {shown}; it has {identifier}, {wrong}."
        assert grade_csv(path, competition, renaming=data.renaming).refusal == sentence
        assert check(path, competition, data.renaming) == (False, sentence)
    path.unlink()
    assert "There is no submission at" in str(grade_csv(path, competition, renaming=data.renaming).refusal)
