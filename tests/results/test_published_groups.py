"""Run groups that the published run_agent.py made: graded, reported and compared as ours are."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from graded import report, write_grading_report, write_group

from mlebench.cli import cli
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import registry
from mlebench.errors import MlebenchError
from mlebench.results.groups import is_group, open_group
from mlebench.results.runs import LeftOut
from mlebench.results.sources import read_source
from mlebench.view.watching import listed

LOW = registry.split("low")
NAME = "2025-03-01T10-00-00-GMT_run-group_aide"


def published_group(folder: Path, competition_ids: list[str], seeds: int = 1, *, success: bool = True) -> Path:
    """What run_agent.py leaves: a folder per run, and when all have ended metadata.json with their names."""
    runs = {}
    for seed in range(seeds):
        for place, competition_id in enumerate(competition_ids):
            name = f"{competition_id}_{seed:08d}-0000-4000-8000-{place:012d}"
            for part in ("submission", "logs", "code"):
                (folder / name / part).mkdir(parents=True)
            (folder / name / "submission" / "submission.csv").write_text("id,target\n1,0\n")
            (folder / name / "run.log").write_text("[2025-03-01 10:00:00,000] Run started\n")
            runs[name] = {"success": success}
    record = {"run_group": NAME, "created_at": "2025-03-01T11-00-00-GMT", "runs": runs}
    (folder / "metadata.json").write_text(json.dumps(record, indent=4))
    return folder


def grade_as_published(group: Path, paths: bool = True) -> Path:
    """A grading report of the published `mlebench grade`, with paths of another machine, in any order."""
    runs = sorted(json.loads((group / "metadata.json").read_text())["runs"], reverse=True)
    reports = [
        report(
            name.rpartition("_")[0],
            "gold" if "00000001-" in name else None,
            submission_path=f"/their/machine/runs/{NAME}/{name}/submission/submission.csv" if paths else None,
        )
        for name in runs
    ]
    return write_grading_report(group / "2025-03-01T12-00-00-GMT_grading_report.json", reports)


def ran(*arguments: object) -> None:
    cli.main([str(argument) for argument in arguments], standalone_mode=False)


def test_its_runs_and_what_is_known_of_them(tmp_path: Path) -> None:
    group = open_group(published_group(tmp_path / NAME, LOW[:2], 2))
    assert is_group(group.folder)
    assert group.is_published
    assert (group.name, group.agent, len(group.runs)) == (NAME, "aide", 4)
    assert [(run.record.competition_id, run.record.seed) for run in group.runs] == [
        (competition_id, seed) for seed in (0, 1) for competition_id in LOW[:2]
    ]
    run = group.runs[0]
    assert run.record.status == "success"
    assert run.record.submission == "submission/submission.csv"
    assert run.has_submission
    assert run.left_out is LeftOut.NOT_GRADED
    assert not run.record.has_conditions
    failed = open_group(published_group(tmp_path / "failed", LOW[:1], success=False)).runs[0]
    assert (failed.record.status, failed.record.has_ended) == ("failed", True)


@pytest.mark.parametrize("paths", [True, False])
def test_reports_find_their_runs(paths: bool, tmp_path: Path) -> None:
    folder = published_group(tmp_path / NAME, LOW[:2], 2)
    grade_as_published(folder, paths)
    group = open_group(folder)
    assert all(run.counts for run in group.runs)
    assert all(run.report and run.report.competition_id == run.record.competition_id for run in group.runs)
    if paths:
        assert [run.report.report.any_medal for run in group.runs if run.report] == [False, False, True, True]
    source = read_source(folder)
    assert source.name == "aide"
    assert [saved.competition_id for saved in source.reports] == [LOW[1], LOW[1], LOW[0], LOW[0]]  # as in the file


def test_every_command_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = published_group(tmp_path / NAME, LOW[:2], 2)
    grade_as_published(folder)
    ours = write_group(tmp_path / "ours", LOW[:2], (0, 1))
    ran("aggregate", folder, "--json")
    assert json.loads(capsys.readouterr().out)["splits"]["reported"]["any_medal"]["mean"] == 50
    ran("compare", folder, ours)
    told = capsys.readouterr()
    assert "aide against tester" in told.out
    assert "The conditions of aide are not recorded; they may differ." in told.err.replace("\n", " ")
    ran("failures", folder)
    ran("score", folder)
    ran("runs", "show", folder)
    ran("runs", "--runs-dir", tmp_path)
    assert "2 success" not in capsys.readouterr().err
    ran("report", folder, "--output", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "aide" in page
    assert NAME in page
    capsys.readouterr()
    ran("leaderboard", "--reports", folder, "--by", "low", "--pad-missing", "--mine", "--json")
    (row,) = json.loads(capsys.readouterr().out)
    assert row["agent"] == "aide"
    assert "internet" in row["undisclosed"]  # nobody has recorded it
    ran("report", folder, ours, "--output", tmp_path / "both.html")


def test_a_part_that_was_graded_counts(tmp_path: Path) -> None:
    folder = published_group(tmp_path / NAME, LOW[:2])
    first = sorted(json.loads((folder / "metadata.json").read_text())["runs"])[0]
    path = f"runs/{first}/submission/submission.csv"
    write_grading_report(folder / "grading_report.json", [report(first.rpartition("_")[0], submission_path=path)])
    source = read_source(folder)
    assert len(source.reports) == 1
    assert "1 of 2 runs" in source.notes[0]


def test_it_is_graded(prepared_twin: Callable[[str], LocalCompetition], tmp_path: Path) -> None:
    competition = prepared_twin("spaceship-titanic")
    folder = published_group(tmp_path / NAME, [competition.id], 2)
    runs = sorted(path for path in folder.iterdir() if path.is_dir())
    shutil.copy(competition.sample_submission, runs[0] / "submission" / "submission.csv")
    (runs[1] / "submission" / "submission.csv").unlink()
    ran("grade", "--run-group", folder, "--data-dir", competition.data_dir, "--workers", 1)
    group = open_group(folder)
    assert [run.report.report.valid_submission for run in group.runs if run.report] == [True, False]
    assert [run.report.run_id for run in group.runs if run.report] == [run.record.run_id for run in group.runs]
    assert {run.report.seed for run in group.runs if run.report} == {None}  # nobody has recorded them
    ran("grade", "--run-group", folder, "--write-list", tmp_path / "list.jsonl")
    assert "seed" not in json.loads((tmp_path / "list.jsonl").read_text().splitlines()[0])


def test_it_cannot_be_resumed(tmp_path: Path) -> None:
    folder = published_group(tmp_path / NAME, LOW[:1])
    with pytest.raises(MlebenchError, match="was made by another program"):
        ran("run", "--resume", folder)


@pytest.mark.parametrize("runs", [{"nothing": {}}, {"a_b": 5}, {"../x_y": {}}, {"a_": {}}])
def test_what_is_not_its_form(runs: object, tmp_path: Path) -> None:
    folder = tmp_path / "group"
    folder.mkdir()
    (folder / "metadata.json").write_text(json.dumps({"run_group": "group", "created_at": "", "runs": runs}))
    with pytest.raises(MlebenchError, match=r"metadata\.json is damaged"):
        open_group(folder)


def test_its_runs_have_ended_wherever_one_looks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    published_group(tmp_path / NAME, LOW[:2])
    assert listed(tmp_path, NAME).counts == "2 success"
    ran("runs", "watch", "latest", "--runs-dir", tmp_path)
    assert "2 of 2 runs ended, 0 running, 0 waiting." in capsys.readouterr().out
    ran("runs", "show", "latest", "--runs-dir", tmp_path)
    shown = capsys.readouterr().out
    assert "waiting" not in shown
    assert "under which conditions is not recorded" in shown
    assert "in nothing" not in shown, "what is not recorded is not as published"
