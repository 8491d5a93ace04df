"""The recipe of a run: a run and its replay are started alike, and what is hidden from both."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.results.records import RunRecord
from mlebench.runs.group import create_group
from mlebench.runs.recipe import build_recipe, hidden_folders
from mlebench.runs.running import run_group
from mlebench.runs.settings import RunSettings
from mlebench.sandbox import SANDBOXES, Capabilities, ContainerConfig, Job, Limits, ProcessSandbox, Running
from mlebench.score.replay import replay

WINE, DIABETES = "practice-wine", "practice-diabetes"
NAMES = [name for name in ("process", "bubblewrap") if SANDBOXES[name].availability().works]
RESULT = 'MLE_BENCH_LITE_RESULT={"seed": 0, "runtime_seconds": 1, "peak_memory_mb": 9, "artifacts": [], "tasks": [], '
LINE = shlex.quote(RESULT + '"replay": {"command": "bash solve.sh", "seed": 0}}')
SOLVE = 'cp "$DATA_DIR/sample_submission.csv" "$SUBMISSION_DIR/submission.csv"'
AGENT = f'echo {shlex.quote(SOLVE)} > "$CODE_DIR/solve.sh"; bash "$CODE_DIR/solve.sh"; echo {LINE}'


@dataclass(frozen=True)
class ContainedSandbox(ProcessSandbox):
    """A process that takes the settings of a container, and remembers with which settings and jobs it was started."""

    name: str = "contained"
    config: ContainerConfig = field(default_factory=ContainerConfig)
    started: ClassVar[list[tuple[ContainerConfig, Job]]] = []

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(takes_container_settings=True)

    def configured(self, container: ContainerConfig, *, retains: bool, allows_privileged: bool) -> ContainedSandbox:
        return replace(self, config=container)

    def start(self, job: Job) -> Running:
        self.started.append((self.config, job))
        return super().start(job)


@pytest.fixture
def contained(monkeypatch: pytest.MonkeyPatch) -> list[tuple[ContainerConfig, Job]]:
    """A sandbox of one class, registered as a package does with an entry point."""
    monkeypatch.setattr(SANDBOXES, "_built_in", dict(SANDBOXES._built_in))
    monkeypatch.setattr(ContainedSandbox, "started", [])
    SANDBOXES.register(ContainedSandbox())
    return ContainedSandbox.started


def test_a_replay_is_started_as_its_run_was(
    contained: list[tuple[ContainerConfig, Job]], prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path
) -> None:
    """With the settings of containers, the threads and the limits of the group; the network alone differs."""
    settings = RunSettings(
        agent="command",
        data_dir=prepared_practice(WINE).data_dir,
        sandbox="contained",
        limits=Limits(seconds=120.0, memory_bytes=2 << 30, processes=500),
        container_config={"shm_size": 64 << 20, "runtime": "runsc"},
        agent_options={"command": AGENT},
        step_limit=7,
        threads=3,
        grace=1.0,
    )
    group = create_group(tmp_path, [WINE], [0], settings)
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    assert record.status == "success", record.error
    replayed = replay(group.folder_of(group.record.plan[0]))
    assert replayed.outcome == "identical", replayed.reason
    (config, job), (again_config, again) = contained
    assert config == again_config == ContainerConfig(shm_size=64 << 20, runtime="runsc")
    assert job.limits == again.limits == settings.limits
    assert (job.data, job.hidden, job.readable, job.image) == (again.data, again.hidden, again.readable, again.image)
    own_paths = {"SUBMISSION_DIR", "LOGS_DIR", "CODE_DIR", "AGENT_DIR", "VALIDATION_URL"}
    same, other = (
        {
            name: value.replace(str(started.home), "HOME")
            for name, value in started.environment.items()
            if name not in own_paths
        }
        for started in (job, again)
    )
    assert same == other
    assert (same["OMP_NUM_THREADS"], same["STEP_LIMIT"], same["SEED"]) == ("3", "7", "0")


def test_settings_of_containers_reach_docker(
    prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path
) -> None:
    settings = RunSettings(
        agent="command",
        data_dir=prepared_practice(WINE).data_dir,
        sandbox="docker",
        container_config={"shm_size": 64 << 20, "runtime": "runsc"},
        agent_options={"command": "true"},
    )
    record = RunRecord("1", "g", WINE, "command", 0)
    recipe = build_recipe(settings, record, folder=tmp_path, log=tmp_path / "log", runs_dir=tmp_path)
    assert recipe.sandbox == SANDBOXES["docker"].configured(
        ContainerConfig(shm_size=64 << 20, runtime="runsc"), retains=False, allows_privileged=False
    )
    assert recipe.python is None, "an image brings its own"


@pytest.fixture
def below_python() -> Iterator[Path]:
    """A folder that every sandbox shows: that of this Python."""
    folder = Path(sys.prefix) / f"test-{uuid.uuid4().hex}"
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("the folder of this Python cannot be written")
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("sandbox", NAMES)
def test_all_data_and_all_runs_are_hidden_below_what_a_sandbox_shows(sandbox: str, below_python: Path) -> None:
    data, runs = below_python / "data", below_python / "runs"
    for competition_id in (WINE, DIABETES):
        prepare(Registry(data).get_competition(competition_id))
        (data / competition_id / "raw").mkdir(exist_ok=True)
        (data / competition_id / "raw" / "train.csv").write_text("id\n")
    for name in ("earlier", "other"):
        (runs / name).mkdir(parents=True)
        (runs / name / "run.json").write_text("{}")
    tried = [
        *(path for own in (WINE, DIABETES) for path in (data / own).rglob("*.csv") if "public" not in path.parts),
        data / DIABETES / "prepared" / "public" / "train.csv",
        runs / "earlier" / "run.json",
    ]
    assert len(tried) >= 6
    assert all(path.read_bytes() for path in tried), "unconfined they can be read"
    # What nobody hides is there: else nothing would be shown by the rest.
    (below_python / "shown").write_text("shown")
    attempts = "; ".join(f"cat {shlex.quote(str(path))} && echo READ {path}" for path in tried)
    command = f'cat {below_python}/shown; {SOLVE}; {attempts}; head -1 "$DATA_DIR/train.csv"'
    settings = RunSettings(
        agent="command", data_dir=data, sandbox=sandbox, limits=Limits(seconds=120), agent_options={"command": command}
    )
    group = create_group(runs, [WINE], [0], settings)
    assert run_group(group, workers=1)
    (record,) = group.run_records()
    log = (group.folder_of(group.record.plan[0]) / "agent.log").read_text()
    assert record.status == "success", (record.error, log)
    assert "shown" in log
    assert "READ" not in log, log
    assert "alcohol" in log, "its own public data is there"


def test_a_folder_that_holds_programs_is_hidden_but_for_these(
    prepared_practice: Callable[[str], LocalCompetition], tmp_path: Path
) -> None:
    """As with `--data-dir .` in a project that has its environment in `.venv`."""
    competition = prepared_practice(WINE)
    data = competition.data_dir
    (data / ".venv" / "bin").mkdir(parents=True, exist_ok=True)
    try:
        hidden = hidden_folders(competition, tmp_path, shown=[data / ".venv"])
    finally:
        shutil.rmtree(data / ".venv")
    assert data.resolve() not in hidden
    assert (data / WINE).resolve() in hidden
    assert not any((data / ".venv").resolve().is_relative_to(path) for path in hidden)
    assert tmp_path.resolve() in hidden
    assert hidden_folders(competition, tmp_path) == tuple(sorted([data.resolve(), tmp_path.resolve()]))


def test_data_behind_a_link_is_hidden_too(tmp_path: Path) -> None:
    real, data, runs = tmp_path / "real", tmp_path / "data", tmp_path / "runs"
    prepare(Registry(real).get_competition(WINE))
    data.mkdir()
    runs.mkdir()
    (data / WINE).symlink_to(real / WINE)
    hidden = hidden_folders(Registry(data).get_competition(WINE), runs)
    private = (real / WINE / "prepared" / "private").resolve()
    assert any(private.is_relative_to(path) for path in hidden)


def test_the_settings_are_kept_with_the_group(tmp_path: Path) -> None:
    settings = RunSettings(
        agent="a", data_dir=tmp_path, executor="local", services={"validation": {}, "echo": {"n": 1}}
    )
    assert RunSettings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings
    older = {name: value for name, value in settings.to_dict().items() if name not in ("executor", "services")}
    assert RunSettings.from_dict(older).executor == "local"
    assert list(RunSettings.from_dict(older).services) == ["validation"]
