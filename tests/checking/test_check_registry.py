"""The registry of checks: adding one touches one file, here or in another package."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import run_command
from own import Own

from mlebench.checking import checks as built_in
from mlebench.checking.checker import all_checks, check
from mlebench.competition.checks import STAGES, Check, by_stage, judged
from mlebench.competition.declaration import Competition
from mlebench.errors import MlebenchError
from mlebench.twins import write_twin

CHECK = """
from mlebench.competition.checks import check, judged


@check("{id}", "the description is long enough", stage="{stage}", cost="instant")
def long_enough(subject):
    size = len(subject.competition.description)
    what = f"The description has {{size}} characters."
    return judged([] if size > 10**6 else [subject.problem(what, "Write more.")])
"""


def test_a_check_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = Own(tmp_path, "my-contest")
    folder = tmp_path / "checks"
    folder.mkdir()
    (folder / "planted_check.py").write_text(CHECK.format(id="planted_check", stage="declaration"))
    monkeypatch.setattr(built_in, "__path__", [*built_in.__path__, str(folder)])
    for outcome in check(own.load()):
        if outcome.check.id == "planted_check":
            [finding] = outcome.findings
            assert (finding.subject, finding.code) == ("my-contest", "planted_check")
            assert "characters" in finding.message
            assert finding.advice == "Write more."
            return
    pytest.fail("the check was not made")


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an installed package that registers a check of prepared data."""
    folder = tmp_path / "site"
    (folder / "planted-1.0.dist-info").mkdir(parents=True)
    (folder / "planted_elsewhere.py").write_text(CHECK.format(id="planted_elsewhere", stage="data"))
    (folder / "planted-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: planted\nVersion: 1.0\n")
    entry = "[mlebench.checks]\nplanted = planted_elsewhere\n"
    (folder / "planted-1.0.dist-info" / "entry_points.txt").write_text(entry)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    return folder


def test_another_package_registers_a_check(package: Path, tmp_path: Path) -> None:
    own = Own(tmp_path, "my-contest")
    listed = json.loads(run_command("check", "--list", "--json", cwd=tmp_path).out)["checks"]
    [planted] = [entry for entry in listed if entry["id"] == "planted_elsewhere"]
    assert planted["stage"] == "data"
    assert planted["cost"] == "instant"
    # One of prepared data is made after every preparation too.
    competition = own.load()
    write_twin(competition, competition.home)
    ran = run_command("prepare", "-c", "my-contest", "--competitions-dir", "mine", "--data-dir", "data", cwd=tmp_path)
    assert ran.code != 0
    assert "The prepared data of my-contest is not sound (planted_elsewhere): The description has" in ran.err


def test_one_that_cannot_be_loaded_is_a_sentence(package: Path, tmp_path: Path) -> None:
    (package / "planted_elsewhere.py").write_text("1 / 0\n")
    ran = run_command("check", "--list", cwd=tmp_path)
    assert ran.code == 1
    assert "planted_elsewhere, which is registered in mlebench.checks, cannot be loaded: ZeroDivisionError" in ran.err


def test_ids_are_unique_and_stages_are_in_order() -> None:
    checks = all_checks()
    assert len({entry.id for entry in checks}) == len(checks) >= 15
    assert [entry.stage for entry in checks] == sorted((entry.stage for entry in checks), key=STAGES.index)
    twice = Check(checks[0].id, "again", "data", "instant", lambda _: judged([]))
    with pytest.raises(MlebenchError, match="Two checks have the id"):
        by_stage([*checks, twice])
    with pytest.raises(MlebenchError, match="cannot be the id of a check"):
        Check("Two Words", "no", "data", "instant", lambda _: judged([]))


def test_a_declaration_may_use_ids_and_the_names_they_had() -> None:
    competition = Competition(
        "x", "X", category="Tabular", metric="accuracy", breaks=["the sample is valid", "ids_disjoint"]
    )
    assert competition.breaks == ("sample_valid", "ids_disjoint")


def test_check_without_an_id(tmp_path: Path) -> None:
    ran = run_command("check", cwd=tmp_path)
    assert ran.code == 2
    assert "Give the ID of a competition, or --list." in ran.err
