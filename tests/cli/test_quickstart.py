"""`mlebench quickstart`: a real evaluation from nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command import Ran, run_command


@pytest.mark.xdist_group("quickstart")
def test_quickstart(quickstart: tuple[Path, Ran]) -> None:
    folder, ran = quickstart
    assert ran.code == 0, ran.err
    results = json.loads((folder / "mlebench-quickstart" / "results.json").read_text())
    assert len(results["runs"]) == 4
    assert all(each["valid_submission"] and each["score"] is not None for each in results["runs"])
    assert any(each["any_medal"] for each in results["runs"])
    assert results["versions"]["mlebench"]
    page = (folder / "mlebench-quickstart" / "report.html").read_text()
    charts = page.partition("<script")[0].count("<svg")
    assert charts >= 7, "outcomes, standing, scores of four competitions, time and memory"
    assert "they prove nothing" in page
    assert "://" not in page, "the page loads nothing from elsewhere"
    for name in ("submission.csv", "metrics.json", "report.md"):
        found = (folder / "mlebench-quickstart" / "runs").glob(
            f"*_run-group_baseline/practice-digits_*/submission/{name}"
        )
        assert len(list(found)) == 1
    told = ran.out.partition("mlebench runs show ")[2].splitlines()[0]
    assert "Sandbox" in run_command("runs", "show", told, cwd=folder).out, "what it names can be typed"
