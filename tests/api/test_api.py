"""`mlebench.api`: the commands as functions, with the same checks, and results that show themselves."""

from __future__ import annotations

import inspect
import json
import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import click
import pytest
from graded import write_group
from waiting import PATIENCE, wait_for

import mlebench.data
import mlebench.grade
import mlebench.registry
from mlebench import api
from mlebench.base.progress import Step
from mlebench.cli import cli
from mlebench.errors import MlebenchError, NotPreparedError, PreparationError, StoppedByUser
from mlebench.registry import Competition, registry

WINE, DIABETES = "practice-wine", "practice-diabetes"
HAND_IN = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
# What only a command line has: how competitions are chosen, how results are printed, and what other functions do.
ONLY_COMMANDS = {
    "run": {
        *("competition_id", "lite", "all", "list", "split", "json", "grade", "report", "open", "resume"),
        *("detach", "print_script"),
    },
    "prepare": {
        *("competition_id", "lite", "all", "list", "split", "json", "dry_run"),
        *("overwrite_checksums", "overwrite_leaderboard"),
    },
    "score": {"details", "json", "wide"},
    "aggregate": {"json", "wide"},
    "compare": {"json", "wide"},
    "report": set(),
    "twin": {"json", "submissions", "data_dir"},
    "grade": {"json", "wide", "run_group", "write_list"},
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("api") / "data"
    api.prepare([WINE, DIABETES], data_dir=folder, progress=False)
    return folder


@pytest.fixture(scope="module")
def group(data: Path) -> Any:
    """A group of two agents' worth of runs, graded."""
    made = api.run(
        [WINE, DIABETES],
        agent="sample",
        seeds=[7, 42],
        workers=2,
        sandbox="process",
        data_dir=data,
        runs_dir=data.parent / "runs",
        progress=False,
    )
    api.grade(made, progress=False)
    return api.open_group(made)


def option_names(command: click.Command) -> set[str]:
    """The long options of a command, as names in Python."""
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    longest = [max((name.lstrip("-") for name in option.opts), key=len) for option in options]
    return {name.replace("-", "_") for name in longest}


@pytest.mark.parametrize("name", ONLY_COMMANDS)
def test_keyword_arguments_are_named_as_options(name: str) -> None:
    parameters = inspect.signature(getattr(api, name)).parameters.values()
    keywords = {parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}
    options = option_names(cli.commands[name])
    assert ONLY_COMMANDS[name] <= options, "the list above names options that there are"
    assert options - ONLY_COMMANDS[name] <= keywords | {"submission"}
    assert keywords - options <= {"progress", "runs_dir"}, "what has no option"


@pytest.mark.parametrize("name", api.__all__)
def test_every_function_is_documented_and_typed(name: str) -> None:
    function = getattr(api, name)
    assert function.__doc__
    assert set(function.__annotations__) == {*inspect.signature(function).parameters, "return"}


def test_modules_that_other_projects_import_stay_modules() -> None:
    for module in (mlebench.grade, mlebench.data, mlebench.registry):
        assert inspect.ismodule(module)
    code = "import sys, mlebench.api, mlebench.grade; assert mlebench.grade is sys.modules['mlebench.grade']"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_run_group_with_seeds_of_ones_own(group: Any) -> None:
    assert sorted({run.record.seed for run in group.runs}) == [7, 42]
    assert [run.record.status for run in group.runs] == ["success"] * 4
    shown = str(group)
    assert repr(group) == shown
    assert shown.startswith("sample: 4 runs in ")
    assert "practice-wine" in group._repr_html_()
    values = group.to_dict()
    assert values["statuses"] == {"success": 4}
    assert json.loads(json.dumps(values))["runs"][0]["report"]["valid_submission"]


def test_what_a_group_is_named_by(group: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = group.folder.parent
    forms = [group, group.folder, str(group.folder)]
    names = [api.open_group(given).name for given in forms]
    names += [api.open_group(given, runs_dir=runs).name for given in (group.folder.name, "latest")]
    monkeypatch.setenv("MLEBENCH_RUNS_DIR", str(runs))
    assert {*names, api.open_group().name} == {group.folder.name}
    with pytest.raises(MlebenchError, match="nowhere"):
        api.open_group("nowhere")


def test_grading_scoring_averaging_comparing_and_reporting(group: Any, tmp_path: Path) -> None:
    grading = api.grade(group, progress=False)
    assert [report.valid_submission for report in grading.reports] == [True] * 4
    assert grading.path.is_file()
    assert grading.to_dict()["total_runs"] == 4
    assert str(grading).startswith("4 submissions: 4 valid, ")
    score = api.score(group)
    assert len(score.runs) == 4
    assert score.to_dict()["overall"] == pytest.approx(score.mean("overall"), abs=0.01)
    assert "Lite score" in str(score)
    assert "mean" in score._repr_html_()
    averaged = api.aggregate(group, competition_id=[WINE, DIABETES])
    assert [part.num_competitions_per_seed for part in averaged.splits.values()] == [2]
    assert "any_medal" in str(averaged)
    with pytest.raises(MlebenchError, match="two sources"):
        api.compare(group)
    other = write_group(tmp_path / "other", [WINE, DIABETES], [7, 42])
    compared = api.compare(group, other)
    assert len(compared) == 1
    assert compared[0].verdict in compared._repr_html_()
    assert compared.to_dict()[0]["first"] == "sample"
    page = api.report(group, output=tmp_path / "page.html")
    assert "practice-wine" in Path(page).read_text(encoding="utf-8")
    shown = page._repr_html_()
    assert 'sandbox="allow-scripts"' in shown
    assert shown.count("<script") == 0, "the page is in an attribute, escaped"


def test_grading_a_file_and_a_list(data: Path, tmp_path: Path) -> None:
    competition = registry.set_data_dir(data).get_competition(WINE)
    sample = competition.sample_submission
    for given in (WINE, competition):
        report = api.grade(sample, given, data_dir=data)
        assert report.valid_submission
    assert api.grade(str(sample), competition).score == report.score, "an object says where its data is"
    assert "<table>" in report._repr_html_()
    listed = tmp_path / "list.jsonl"
    listed.write_text(json.dumps({"competition_id": WINE, "submission_path": str(sample)}) + "\n", encoding="utf-8")
    assert api.grade(listed, output_dir=tmp_path / "out", data_dir=data).to_dict()["total_valid_submissions"] == 1
    with pytest.raises(MlebenchError, match="Name the competition"):
        api.grade(sample)
    assert api.validate(sample, competition) == (True, "Submission is valid.")
    listed.write_text("class_0\n1\n", encoding="utf-8")
    assert not api.validate(listed, competition)[0]


def test_preparing_and_listing(data: Path, tmp_path: Path) -> None:
    assert api.competitions("practice").ids == registry.split("practice")
    assert len(api.competitions()) > 82
    assert "practice-wine" in api.competitions("practice")._repr_html_()
    assert api.competitions("practice").to_dict()[WINE]["metric"] == "multi-class log loss"
    ids = tmp_path / "ids.txt"
    ids.write_text(f"{WINE}\n", encoding="utf-8")
    for given in (WINE, ids, str(ids), [WINE], registry.set_data_dir(data).get_competition(WINE)):
        [competition] = api.prepare(given, data_dir=data)
        assert isinstance(competition, Competition)
        assert competition.public_dir.is_dir()
    with pytest.raises(PreparationError):
        api.prepare("spaceship-titanic", source=tmp_path, data_dir=tmp_path / "data")
    archive = api.twin("spaceship-titanic", tmp_path / "twins")
    [titanic] = api.prepare("spaceship-titanic", source=archive.parent, data_dir=tmp_path / "data")
    assert api.grade(titanic.sample_submission, titanic).valid_submission
    with zipfile.ZipFile(archive, "w") as own:
        own.writestr("train.csv", "id\n1\n")
    with pytest.raises(MlebenchError, match="is no twin"):
        api.twin("spaceship-titanic", archive.parent)


def test_progress_is_given_to_a_function(data: Path, tmp_path: Path) -> None:
    steps: list[Step] = []
    api.prepare(WINE, data_dir=tmp_path / "data", progress=steps.append)
    assert {step.task for step in steps} == {WINE}
    assert steps[-1].stage is None
    steps.clear()
    api.run(WINE, agent="sample", sandbox="process", data_dir=data, runs_dir=tmp_path, progress=steps.append)
    assert [(step.task, step.stage) for step in steps] == [(f"{WINE} seed 0", "run"), (f"{WINE} seed 0", None)]
    assert steps[-1].what.startswith("success after ")


AGENT_NEEDS = """
thirsty:
  start: thirsty/start.sh
  dockerfile: thirsty/Dockerfile
  env_vars:
    KEY: ${{ secrets.A_KEY_THAT_IS_NOT_SET }}
"""

REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an unknown agent": ({"agent": "smaple"}, "Did you mean sample"),
    "no agent": ({"agent": ""}, "Say which agent"),
    "a command without a command line": ({"agent": "command"}, "needs --command"),
    "a blank command": ({"agent": "command", "command": " "}, "The command is empty"),
    "no folder of code": ({"agent": "command", "command": "true", "code": "nowhere"}, "There is no folder"),
    "a command for another agent": ({"agent": "sample", "command": "true"}, "are for --agent command"),
    "an unknown sandbox": ({"sandbox": "bublewrap"}, "Did you mean bubblewrap"),
    "an unknown network": ({"network": "some where"}, "some where"),
    "a GPU that is not there": ({"gpus": 999, "sandbox": "process"}, "GPU"),
    "4 bytes of memory": ({"memory_limit": 4}, "Write 4G"),
    "4 of nothing": ({"memory_limit": "4"}, "has no unit"),
    "no time": ({"time_limit": 0}, "is not a duration"),
    "no seeds": ({"seeds": 0}, "at least one seed"),
    "a seed twice": ({"seeds": [1, 1]}, "twice"),
    "a negative seed": ({"seed": -1}, "whole numbers"),
    "seed and seeds": ({"seed": 1, "seeds": 2}, "one of the two"),
    "no workers": ({"workers": 0}, "workers must be at least 1"),
    "an unknown variant": ({"variant": "light"}, "There is no variant"),
    "a setting of containers": ({"container_config": "config.json", "sandbox": "process"}, "--sandbox docker"),
    "an unknown field": ({"disclose": {"colour": "red"}}, "unknown field"),
    "an unknown edition": ({"edition": "v9"}, "There is no edition"),
    "an unknown competition": ({"competitions": "practice-whine"}, "Did you mean practice-wine"),
    "no competition": ({"competitions": []}, "No competition was given"),
    "nothing": ({"competitions": None}, "Say which competitions"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_before_anything_runs(case: str, data: Path, tmp_path: Path) -> None:
    given, words = REFUSED[case]
    arguments = {"competitions": WINE, "agent": "sample", "data_dir": data, "runs_dir": tmp_path / "runs", **given}
    with pytest.raises(MlebenchError, match=words):
        api.run(**arguments)
    assert not (tmp_path / "runs").exists()


def test_what_the_system_refuses_is_an_error_of_ours(data: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MlebenchError, match="A part of this path is a file"):
        api.run(WINE, agent="sample", sandbox="process", data_dir=data, runs_dir=tmp_path / "file" / "runs")


def test_data_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotPreparedError, match="mlebench prepare -c practice-wine"):
        api.run(WINE, agent="sample", sandbox="process", data_dir=tmp_path, runs_dir=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_budgets_and_competitions_of_a_config(data: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    budgets = {"maxRuntimeSeconds": 60, "maxPeakMemoryMb": 512}
    config.write_text(json.dumps({"competitionIds": [WINE], "resourceBudgets": budgets}), encoding="utf-8")
    made = api.run(
        agent="command",
        command=HAND_IN,
        config=config,
        sandbox="process",
        disclose={"models": "none"},
        data_dir=data,
        runs_dir=tmp_path / "runs",
        progress=False,
    )
    [run] = made.runs
    assert run.record.competition_id == WINE
    assert (run.record.limits["seconds"], run.record.limits["memory_bytes"]) == (60, 512 << 20)
    settings = json.loads((made.folder / "metadata.json").read_text(encoding="utf-8"))["settings"]
    assert settings["disclosure"]["models"] == "none"


INTERRUPTED = """
import sys
import zipfile
from mlebench import api
from mlebench.errors import StoppedByUser
command = 'touch "$AGENT_DIR/../begun"; until [ -e {release} ]; do sleep 0.05; done; {hand_in}'
try:
    api.run({ids!r}, agent="command", command=command, sandbox="process", data_dir={data!r}, runs_dir={runs!r})
except StoppedByUser as stop:
    print(stop)
    sys.exit(7)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are those of Unix")
def test_an_interrupted_group_is_resumed(data: Path, tmp_path: Path) -> None:
    runs, release = tmp_path / "runs", tmp_path / "release"
    code = INTERRUPTED.format(ids=[WINE, DIABETES], data=str(data), runs=str(runs), release=release, hand_in=HAND_IN)
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: [path for path in runs.glob("*/*/run.json") if '"running"' in path.read_text()])
        process.send_signal(signal.SIGINT)
        release.touch()
        printed, _ = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 7, "a KeyboardInterrupt with a sentence of its own"
    [folder] = runs.iterdir()
    assert f"mlebench run --resume {folder}" in printed
    assert issubclass(StoppedByUser, KeyboardInterrupt)
    interrupted = api.open_group(folder)
    assert sorted(run.record.status for run in interrupted.runs) == ["planned", "success"]
    with pytest.raises(MlebenchError, match=r"interrupted.*mlebench run --resume"):
        api.report(interrupted)
    resumed = api.resume(folder, progress=False)
    assert [run.record.status for run in resumed.runs] == ["success", "success"]


HOSTILE = '<script>alert(1)</script>"onload="x\x1b[31m\n'


def test_what_is_shown_holds_nothing_but_text(tmp_path: Path) -> None:
    def spoil(place: Path, record: object) -> dict[str, Any]:
        return {"status": "failed", "error": HOSTILE}

    def refused(competition_id: str, seed: int) -> dict[str, Any]:
        return {"valid_submission": False, "score": None, "refusal": HOSTILE}

    hostile = write_group(tmp_path / "one", [WINE], agent=HOSTILE, left=spoil, report_of=refused)
    other = write_group(tmp_path / "two", [WINE], agent=HOSTILE, left=spoil, report_of=refused)
    opened = api.open_group(hostile)
    shown: list[Any] = [opened, api.score(hostile), api.aggregate(hostile), api.compare(hostile, other)]
    shown += [shown[-1][0], opened.runs[0].report.report]  # type: ignore[union-attr]
    for result in shown:
        html = result._repr_html_()
        assert "<script" not in html, type(result)
        assert "x\x1b[" not in html
        assert '"onload="' not in html
    for result in shown[:5]:
        assert "\x1b" not in str(result)
        assert "\x1b" not in repr(result)


def test_a_run_group_is_graded_with_the_data_that_is_named(data: Path, tmp_path: Path) -> None:
    settings = {"data_dir": str(tmp_path / "theirs")}
    folder = write_group(tmp_path / "group", [WINE], graded=False, settings=settings)
    graded = api.grade(folder, data_dir=data)
    assert [report.data_dir for report in graded.reports] == [str(data)]
    assert graded.to_dict()["notes"] == [
        f"The data in {data} is used; the group was run on the data in {tmp_path / 'theirs'}."
    ]
