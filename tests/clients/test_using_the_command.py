"""Ways of using the command `mlebench`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import Run
from servers import KaggleServer

from mlebench.competition.local import LocalCompetition


def test_a_script_runs_the_module_of_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "mlebench.cli", "--help"], capture_output=True, text=True, check=True)
    assert "grade-sample" in done.stdout


def test_an_agent_cuts_the_report_out_of_a_log(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    """Both streams in one, and a pattern that ends at the first closing brace."""
    rows = titanic.sample_submission.read_text().splitlines()
    odd = tmp_path / "odd{}.csv"
    odd.write_text("\n".join([rows[0], rows[1].split(",")[0] + ",{1: 2}", *rows[2:]]) + "\n")
    for path in (titanic.sample_submission, odd, tmp_path / "missing.csv"):
        ran = run("grade-sample", path, titanic.id, "--data-dir", titanic.data_dir)
        log = ran.out + ran.err.replace("{", "").replace("}", "")
        found = re.search(r"\{.*?\}", log, re.DOTALL)
        assert found is not None
        report = json.loads(found[0])
        assert report["competition_id"] == titanic.id
        assert report["submission_path"] == str(path)


def test_an_agent_reads_thresholds_without_a_submission(run: Run, titanic: LocalCompetition) -> None:
    """One that has no submission yet writes `None` for it, and stops if the command fails."""
    ran = run("grade-sample", "None", titanic.id, "--data-dir", titanic.data_dir)
    assert ran.code == 0
    assert json.loads(ran.out)["gold_threshold"] == 0.82066


def test_an_agent_grades_a_submission_that_is_refused(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("PassengerId,Transported\n")
    ran = run("grade-sample", "bad.csv", titanic.id, "--data-dir", titanic.data_dir)
    assert ran.code == 0
    assert ran.err.startswith("Invalid submission: ")
    assert json.loads(ran.out)["valid_submission"] is False
    assert run("validate", "bad.csv", titanic.id, "--data-dir", titanic.data_dir).code == 1


def test_a_harness_grades_a_list(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    line = {"competition_id": titanic.id, "submission_path": str(titanic.sample_submission)}
    (tmp_path / "list.jsonl").write_text(json.dumps(line) + "\n")
    ran = run("grade", "--submission", "list.jsonl", "--output-dir", "out", "--data-dir", titanic.data_dir)
    assert ran.code == 0
    (report,) = (tmp_path / "out").glob("*_grading_report.json")
    assert json.loads(report.read_text())["total_valid_submissions"] == 1


@pytest.mark.parametrize("chosen", [["-c", "spaceship-titanic"], ["-l", "ids.txt"], ["--list", "ids.txt"]])
def test_a_harness_prepares_into_its_own_folder(chosen: list[str], run: Run, mirror: Path, tmp_path: Path) -> None:
    (tmp_path / "ids.txt").write_text("spaceship-titanic\n")
    ran = run("prepare", *chosen, "--keep-raw", "--data-dir", "./zip_files", "--source", mirror)
    assert ran.code == 0
    assert (tmp_path / "zip_files" / "spaceship-titanic" / "prepared" / "public" / "train.csv").is_file()


def test_a_maintainer_downloads_all_leaderboards(run: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    pytest.importorskip("kaggle.api.kaggle_api_extended", exc_type=ImportError)
    (tmp_path / "data" / "AI4Code").mkdir(parents=True)
    (tmp_path / "data" / "AI4Code" / "leaderboard.csv").write_text("score\n0.9\n")
    with KaggleServer() as server:
        ran = run("dev", "download-leaderboard", "--all", **server.environment(home))
    asked = [json.loads(request.body)["competitionName"] for request in server.requests if request.method == "POST"]
    assert ran.code == 1, "the server has none of them"
    assert len(set(asked)) == 81, "one is there already"
    assert "\nerror: 81 competitions (" in ran.err
    assert ", spaceship-titanic," in ran.err
    assert ": Kaggle no longer serves ID. " in ran.err


def test_a_maintainer_names_no_competition(run: Run) -> None:
    ran = run("dev", "download-leaderboard")
    assert ran.code == 2
    assert "-c ID or --all" in ran.err
