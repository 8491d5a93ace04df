"""The quickstart's runs: one that cannot be graded costs the others nothing."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from mlebench.runs import practice


def test_a_run_that_cannot_be_graded_is_reported_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "AGENT", "sample")  # any agent will do, and this one takes no time

    def lose_the_answers(done: int, total: int) -> None:
        if done == total:
            shutil.rmtree(tmp_path / "data" / "practice-wine" / "prepared" / "private")

    result = practice.run_practice(tmp_path, sandbox="process", progress=lose_the_answers)
    assert result.complete
    assert not result.is_graded
    valid = {run.record.competition_id: run.is_valid for run in result.runs}
    assert [competition_id for competition_id, is_valid in valid.items() if not is_valid] == ["practice-wine"]
    written = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))["runs"]
    [wine] = [run for run in written if run["competition_id"] == "practice-wine"]
    assert "mlebench prepare -c practice-wine" in wine["problem"]
