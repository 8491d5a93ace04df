"""Ways of using the command `mlebench`."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

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
    assert ran.code == 0, "the server has none of them, but one ships for each"
    assert len(set(asked)) == 81, "one is there already"
    assert "\nwarning: 81 competitions (" in ran.err
    assert ", spaceship-titanic," in ran.err
    assert ": Kaggle no longer serves ID. " in ran.err


def test_a_maintainer_names_no_competition(run: Run) -> None:
    ran = run("dev", "download-leaderboard")
    assert ran.code == 2
    assert "-c ID or --all" in ran.err


def without_account(tmp_path: Path) -> dict[str, str]:
    """The variables of a user who has no account with Kaggle."""
    return {"HOME": str(tmp_path), "KAGGLE_CONFIG_DIR": str(tmp_path)}


def test_a_script_wants_a_leaderboard_and_one_ships(run: Run, tmp_path: Path) -> None:
    """The published command does nothing where a leaderboard is there, and exits 0."""
    command = ["dev", "download-leaderboard", "--competition", "spaceship-titanic"]
    ran = run(*command, **without_account(tmp_path))
    assert ran.code == 0
    assert ran.err.startswith("warning: spaceship-titanic: ")
    assert "The leaderboards that ship with mlebench decide medals" in ran.err
    forced = run(*command, "--force", **without_account(tmp_path))
    assert forced.code == 1
    assert forced.err.startswith("error: ")


def test_a_script_wants_a_leaderboard_that_it_downloaded_before(run: Run, tmp_path: Path) -> None:
    (tmp_path / "data" / "AI4Code").mkdir(parents=True)
    (tmp_path / "data" / "AI4Code" / "leaderboard.csv").write_text("score\n0.9\n")
    ran = run("dev", "download-leaderboard", "-c", "AI4Code", **without_account(tmp_path))
    assert (ran.code, ran.out) == (0, "")
    assert "leaderboard.csv is there already; --force downloads it again." in ran.err


def grade_sample(titanic: LocalCompetition, **streams: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mlebench", "grade-sample", str(titanic.sample_submission), titanic.id]
    return subprocess.run([*command, "--data", str(titanic.data_dir)], text=True, check=True, **streams)


def test_an_agent_reads_the_report_from_standard_error(titanic: LocalCompetition) -> None:
    """The published command writes nothing else: the line `Competition report:`, and the report below it."""
    done = grade_sample(titanic, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    before, _, after = done.stderr.partition("Competition report:")
    assert not before
    assert json.loads(after)["score"] == 0.375


def test_an_agent_reads_the_report_from_both_streams_as_one(titanic: LocalCompetition) -> None:
    """One object, below the line: a pattern from the first brace to the last one finds the report."""
    done = grade_sample(titanic, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = re.search(r"\{.*\}", done.stdout, re.DOTALL)
    assert found is not None
    assert json.loads(found[0])["score"] == 0.375
    assert done.stdout.startswith("Competition report:\n{")


def test_a_script_reads_the_report_from_standard_output(titanic: LocalCompetition) -> None:
    done = grade_sample(titanic, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert json.loads(done.stdout) | {"created_at": ""} == json.loads(
        done.stderr.removeprefix("Competition report:\n")
    ) | {"created_at": ""}


@pytest.mark.parametrize(
    ("competition", "data"), [("--competition", "--data"), ("--comp", "--data-d"), ("--competition-i", "--dat")]
)
def test_a_harness_abbreviates_options_of_prepare(
    competition: str, data: str, run: Run, mirror: Path, tmp_path: Path
) -> None:
    ran = run("prepare", competition, "spaceship-titanic", f"{data}=here", "--keep", "--skip", "--source", mirror)
    assert ran.code == 0
    assert (tmp_path / "here" / "spaceship-titanic" / "raw").is_dir()


def test_an_abbreviation_that_is_not_clear(run: Run) -> None:
    for option in ("--overwrite", "--l", "--dry"):
        ran = run("prepare", option, "-c", "spaceship-titanic")
        assert ran.code == 2
        assert "No such option" in ran.err


def as_list(titanic: LocalCompetition) -> str:
    return json.dumps({"competition_id": titanic.id, "submission_path": str(titanic.sample_submission)}) + "\n"


def test_a_harness_abbreviates_options_of_grade(run: Run, titanic: LocalCompetition, tmp_path: Path) -> None:
    (tmp_path / "list.jsonl").write_text(as_list(titanic))
    assert run("grade", "--sub", "list.jsonl", "--out", "out", "--data", titanic.data_dir).code == 0
    assert len(list((tmp_path / "out").glob("*_grading_report.json"))) == 1


@pytest.mark.parametrize("source", ["/dev/stdin", "pipe"])
def test_a_harness_pipes_a_list(source: str, titanic: LocalCompetition, tmp_path: Path) -> None:
    lines = as_list(titanic) * 2
    if source == "pipe":
        os.mkfifo(tmp_path / "pipe")
        writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=[lines])
        writer.start()
    command = [sys.executable, "-m", "mlebench", "grade", "--submission", source, "--output-dir", "out"]
    done = subprocess.run(
        [*command, "--data-dir", str(titanic.data_dir)],
        input=lines if source == "/dev/stdin" else "",
        text=True,
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    (report,) = (tmp_path / "out").glob("*_grading_report.json")
    assert json.loads(report.read_text())["total_runs"] == 2
