"""A run group from elsewhere runs none of its code in any command that reads one, unless the user names that code."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from graded import write_group

from mlebench.cli import cli
from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.errors import MlebenchError
from mlebench.results.groups import open_group
from mlebench.results.records import GroupRecord, RunRecord
from mlebench.results.trust import Named, choose_data, is_own, note_planned
from mlebench.runs.grading import grade_group
from mlebench.runs.group import create_group, load_group
from mlebench.runs.settings import RunSettings
from mlebench.runs.trust import NamedConditions
from mlebench.sandbox import Network, choose_sandbox

WINE, THEIRS = "practice-wine", "strangers-competition"
STRONGEST = choose_sandbox().sandbox.name
CODE = """
from pathlib import Path
Path({trace!r}).touch()
from mlebench.kit import Competition
competition = Competition({id!r}, "Theirs", category="Tabular", metric="accuracy", group="own")
"""
AGENT = """
theirs:
  start: start.sh
  requirements: requirements.txt
"""


@pytest.fixture
def wine(prepared_practice: Callable[[str], LocalCompetition]) -> LocalCompetition:
    return prepared_practice(WINE)


class Stranger:
    """A run group that somebody made elsewhere, with code that leaves a trace when it is run."""

    def __init__(self, folder: Path, wine: LocalCompetition, competition_id: str, **settings: Any) -> None:
        self.trace, self.competitions = folder / "trace", folder / "theirs"
        own = self.competitions / "code"
        own.mkdir(parents=True)
        (own / "competition.py").write_text(CODE.format(trace=str(self.trace), id=THEIRS))
        (own / "description.md").write_text("# Theirs\n")
        conditions = RunSettings("sample", wine.data_dir, (self.competitions,), sandbox=STRONGEST, **settings)
        self.group = write_group(
            folder / "runs" / "group", [competition_id], left=_can_be_replayed, settings=conditions.to_dict()
        )

    def call(self, *arguments: object, **environment: str) -> str:
        """What a command prints, whether it succeeds or not."""
        ran = CliRunner().invoke(cli, [str(argument) for argument in arguments], env=environment)
        assert ran.exception is None or isinstance(ran.exception, SystemExit | MlebenchError), ran.exception
        return ran.output + str(ran.exception)


def _can_be_replayed(folder: Path, _: RunRecord) -> None:
    values = {"seed": 0, "runtime_seconds": 1, "peak_memory_mb": 1, "artifacts": [], "tasks": []}
    line = json.dumps(values | {"replay": {"command": "true", "seed": 0}})
    (folder / "agent.log").write_text(f"MLE_BENCH_LITE_RESULT={line}\n")


COMMANDS: dict[str, list[str]] = {
    "grade": ["grade", "--workers", "1", "--run-group", "GROUP"],
    "replay": ["replay", "GROUP"],
    "run --resume": ["run", "--resume", "GROUP"],
    "score": ["score", "--partial", "GROUP"],
    "score --synthetic": ["score", "--synthetic", "GROUP"],
    "report": ["report", "GROUP", "--output", "OUT/page.html"],
    "failures": ["failures", "GROUP"],
    "aggregate": ["aggregate", "GROUP"],
    "compare": ["compare", "GROUP", "GROUP"],
    "runs": ["runs", "--runs-dir", "RUNS"],
    "runs show": ["runs", "show", "GROUP"],
    "runs logs": ["runs", "logs", "GROUP"],
    "leaderboard": ["leaderboard", "--by", "low", "--pad-missing", "--mine", "--reports", "GROUP"],
    "leaderboard export": ["leaderboard", "export", "GROUP", "--output-dir", "OUT/export"],
}
LOADS_COMPETITIONS = ("grade", "replay", "score", "report", "failures")


@pytest.mark.parametrize(
    ("name", "competition_id"), [*((name, THEIRS) for name in COMMANDS), ("grade", WINE), ("replay", WINE)]
)
def test_no_command_runs_code_that_a_record_names(
    name: str, competition_id: str, wine: LocalCompetition, tmp_path: Path
) -> None:
    stranger = Stranger(tmp_path, wine, competition_id)
    places = {"GROUP": str(stranger.group), "RUNS": str(stranger.group.parent), "OUT": str(tmp_path / "out")}
    arguments = [_with(argument, places) for argument in COMMANDS[name]]
    printed = stranger.call(*arguments)
    assert not stranger.trace.exists(), printed
    if competition_id == THEIRS and name in ("grade", "replay"):
        assert f"name {'it' if name == 'grade' else 'that'}: " in printed
        assert f"--competitions-dir {stranger.competitions}" in printed
    if name in LOADS_COMPETITIONS:  # the control: the same code, named by the user
        stranger.call(*arguments, "--competitions-dir", stranger.competitions)
        assert stranger.trace.exists()


def _with(argument: str, places: dict[str, str]) -> str:
    for name, path in places.items():
        argument = argument.replace(name, path)
    return argument


def test_the_environment_names_code_too(wine: LocalCompetition, tmp_path: Path) -> None:
    stranger = Stranger(tmp_path, wine, THEIRS)
    grade = ("grade", "--workers", "1", "--run-group", stranger.group)
    stranger.call(*grade)
    assert not stranger.trace.exists()
    stranger.call(*grade, MLEBENCH_COMPETITIONS_DIR=str(stranger.competitions))
    assert stranger.trace.exists()


def agents_dir(folder: Path) -> tuple[Path, Path]:
    """(a folder with an agent whose packages run code when they are installed, the trace that they leave)."""
    trace, package = folder / "installed", folder / "agents" / "theirs" / "package"
    package.mkdir(parents=True)
    (package / "setup.py").write_text(f"from pathlib import Path\nPath({str(trace)!r}).touch()\nraise SystemExit(1)\n")
    agent = package.parent
    (agent / "config.yaml").write_text(AGENT)
    (agent / "start.sh").write_text("true\n")
    (agent / "requirements.txt").write_text(f"{package}\n")
    return folder / "agents", trace


@pytest.mark.parametrize("command", ["replay", "run --resume"])
def test_no_agent_that_a_record_names_is_installed(command: str, wine: LocalCompetition, tmp_path: Path) -> None:
    agents, trace = agents_dir(tmp_path)
    settings = RunSettings("theirs", wine.data_dir, agents_dirs=(agents,), sandbox="process").to_dict()
    group = write_group(tmp_path / "runs" / "group", [WINE], left=_can_be_replayed, settings=settings)
    if command == "run --resume":
        for path in group.glob("*/run.json"):
            path.unlink()
    data = ["--data-dir", str(wine.data_dir)]
    arguments = [*command.split(), str(group), *data]
    refused = CliRunner().invoke(cli, arguments)
    assert isinstance(refused.exception, MlebenchError)
    told = str(refused.exception)
    assert "was not planned by you on this machine" in told
    assert f"--agents-dir {agents}" in told
    assert not trace.exists()
    named = ["--agents-dir", str(agents), "--sandbox", "process"]
    CliRunner().invoke(cli, [*arguments, *named])  # the control
    if not trace.exists():
        pytest.skip("pip has no setuptools here, so it builds no package")


def resumable(folder: Path, wine: LocalCompetition, **settings: Any) -> Path:
    conditions = RunSettings("sample", wine.data_dir, sandbox=STRONGEST, **settings)
    group = create_group(folder / "runs", [WINE], [0], conditions).folder
    record = GroupRecord.load(group)  # as it would come from another machine: the same, with another time
    replace(record, created_at="2026-01-01T00:00:00+00:00").save(group)
    assert not is_own(GroupRecord.load(group))
    return group


CONDITIONS: dict[str, tuple[dict[str, Any], str, NamedConditions]] = {
    "network": ({"network": Network(full=True)}, "--network full", NamedConditions(network="full")),
    "some network": (
        {"network": Network(allowed=("example.com:443",))},
        "--network example.com:443",
        NamedConditions(network="example.com:443"),
    ),
    "privileges": ({"allow_privileged": True}, "--allow-privileged", NamedConditions(allow_privileged=True)),
    "an executor": ({"executor": "theirs"}, "--executor theirs", NamedConditions(executor="theirs")),
    "a service": (
        {"services": {"validation": {}, "theirs": {"upstream": "http://example.com"}}},
        "--service theirs",
        NamedConditions(services=("theirs",)),
    ),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_conditions_of_a_group_from_elsewhere_are_asked_for(name: str, wine: LocalCompetition, tmp_path: Path) -> None:
    settings, option, named = CONDITIONS[name]
    group = resumable(tmp_path, wine, **settings)
    before = (group / "metadata.json").read_bytes()
    with pytest.raises(MlebenchError, match=r"was not planned by you") as refused:
        load_group(group)
    assert str(refused.value).endswith(option)
    assert (group / "metadata.json").read_bytes() == before
    with pytest.raises(MlebenchError, match=r"was not planned by you"):
        load_group(group, NamedConditions(network="example.org:443"))
    adopted = load_group(group, replace(named, data_dir=wine.data_dir))
    assert adopted.settings.data_dir == wine.data_dir
    assert all(not options for options in adopted.settings.services.values())
    assert is_own(GroupRecord.load(group))


def test_the_command_and_the_code_of_an_agent_are_asked_for(wine: LocalCompetition, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    group = resumable(tmp_path, wine)
    record = GroupRecord.load(group)
    options = {"command": "cat *", "code": str(Path.home())}
    replace(record, settings={**record.settings, "agent": "command", "agent_options": options}).save(group)
    with pytest.raises(MlebenchError) as refused:
        load_group(group, NamedConditions(command="true"))
    assert str(refused.value).endswith(f"--command 'cat *' --code {Path.home()}")
    adopted = load_group(group, NamedConditions(command="cat *", code=tmp_path / "mine", data_dir=wine.data_dir))
    assert adopted.settings.agent_options == {"command": "cat *", "code": str(tmp_path / "mine")}


def test_processes_of_another_machine_are_not_ended_here(wine: LocalCompetition, tmp_path: Path) -> None:
    group = resumable(tmp_path, wine)
    (planned,) = GroupRecord.load(group).plan
    identity = {"pid": str(os.getpid()), "started": "0", "mark": "x"}
    RunRecord(planned.run_id, group.name, WINE, "sample", 0, status="running", identity=identity).save(
        group / planned.folder
    )
    load_group(group, NamedConditions(data_dir=wine.data_dir))
    assert RunRecord.load(group / planned.folder).identity == {}


def test_a_group_of_ones_own_needs_no_options(wine: LocalCompetition, tmp_path: Path) -> None:
    stranger = Stranger(tmp_path, wine, WINE)
    settings = RunSettings("sample", wine.data_dir, (stranger.competitions,), sandbox=STRONGEST, network=Network(True))
    group = create_group(tmp_path / "own", [WINE], [0], settings)
    assert is_own(GroupRecord.load(group.folder))
    assert load_group(group.folder).settings == settings
    assert choose_data(group.record).registry == settings.registry
    moved = group.folder.rename(tmp_path / "moved")
    assert load_group(moved).settings == settings, "the folder may be moved"
    changes: list[dict[str, Any]] = [
        {"competitions_dirs": []},
        {"network": {"full": False, "allowed": ["a:1"]}},
        {"agent": "dummy"},
    ]
    for changed in changes:
        assert not is_own(replace(group.record, settings={**group.record.settings, **changed}))
    assert not is_own(replace(group.record, plan=()))
    note_planned(replace(group.record, plan=()))
    assert is_own(replace(group.record, plan=()))


def test_without_a_state_folder_options_are_asked_for(
    wine: LocalCompetition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MLEBENCH_STATE_DIR", str(tmp_path / "file" / "below"))
    group = create_group(tmp_path / "own", [WINE], [0], RunSettings("sample", wine.data_dir, sandbox=STRONGEST))
    assert not is_own(group.record)


def forged(wine: LocalCompetition, folder: Path) -> Registry:
    """A data folder whose answers were changed after the preparation, together with their record."""
    registry = Registry(folder)
    prepare(registry.get_competition(WINE))
    competition = registry.get_competition(WINE)
    header, *rows = wine.sample_submission.read_text().splitlines()
    first_class = [",".join([row.split(",")[0], "1", *["0"] * (header.count(",") - 1)]) for row in rows]
    competition.answers.write_text("\n".join([header, *first_class, ""]))
    record = competition.private_dir / "dataset.record"
    values = json.loads(record.read_text())
    record.write_text(json.dumps(values | {"answers_sha256": None, "public_fingerprint": "of other data"}))
    return registry


def test_the_data_that_the_user_names_grades_a_group(wine: LocalCompetition, tmp_path: Path) -> None:
    registry = forged(wine, tmp_path / "forged")
    theirs = registry.data_dir
    settings = RunSettings("sample", theirs, sandbox=STRONGEST).to_dict()

    def hands_in_forged_answers(folder: Path, _: RunRecord) -> dict[str, Any]:
        shutil.copy(registry.get_competition(WINE).answers, folder / "submission" / "submission.csv")
        return {"inputs": {"public": "of other data"}}

    folder = write_group(tmp_path / "group", [WINE], graded=False, settings=settings, left=hands_in_forged_answers)
    control = grade_group(open_group(folder), named=Named(data_dir=theirs))
    ran = CliRunner().invoke(
        cli, ["grade", "--run-group", str(folder), "--data-dir", str(wine.data_dir), "--workers", "1", "--json"]
    )
    report = json.loads(ran.stdout)
    (true,), (false,) = report["competition_reports"], control["competition_reports"]
    assert (false["score"], false["gold_medal"]) == (0, True), "with their own answers"
    assert true["score"] > 10
    assert not true["any_medal"]
    assert true["answers_sha256"] != false["answers_sha256"]
    assert (true["data_dir"], false["data_dir"]) == (str(wine.data_dir), str(theirs))
    assert report["notes"] == [
        f"The data in {wine.data_dir} is used; the group was run on the data in {theirs}.",
        f"The data in {wine.data_dir} is not what the agents were given, for {WINE}.",
    ]
    assert all(f"note: {note}" in ran.stderr.replace("\n", " ") for note in report["notes"])
    assert control["notes"] == []
    saved = json.loads(Path(report["report_path"]).read_text())
    assert saved["competition_reports"][0]["answers_sha256"] == true["answers_sha256"]


def test_without_options_a_group_from_elsewhere_is_graded_with_ones_own_data(
    wine: LocalCompetition, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = forged(wine, tmp_path / "forged").data_dir
    monkeypatch.setenv("MLEBENCH_DATA_DIR", str(wine.data_dir))
    settings = RunSettings("sample", theirs, sandbox=STRONGEST)
    folder = write_group(tmp_path / "group", [WINE], graded=False, settings=settings.to_dict())
    (report,) = grade_group(open_group(folder))["competition_reports"]
    assert report["data_dir"] == str(wine.data_dir)
    assert open_group(folder).data_dir is None
    note_planned(GroupRecord.load(folder))  # the control: one's own is graded with what it was planned with
    (report,) = grade_group(open_group(folder))["competition_reports"]
    assert report["data_dir"] == str(theirs)
    assert open_group(folder).data_dir == theirs


def test_the_edition_that_the_user_names(wine: LocalCompetition, tmp_path: Path) -> None:
    settings = RunSettings("sample", wine.data_dir, sandbox=STRONGEST).to_dict()
    record = GroupRecord.load(write_group(tmp_path / "group", [WINE], settings=settings))
    named = choose_data(record, Named(edition="v2", data_dir=wine.data_dir))
    assert named.registry.edition == "v2"
    assert named.notes == ("Edition v2 is used; the group was run on edition v1.",)
    assert choose_data(replace(record, settings={**settings, "edition": "v2"})).registry.edition == "v2"
    assert choose_data(replace(record, settings={**settings, "edition": "../.."})).registry.edition == "v1"
    with pytest.raises(MlebenchError, match="was written by another version of mlebench"):
        choose_data(replace(record, settings={**settings, "competitions_dirs": [5]}))
