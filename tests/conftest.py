"""What the tests share: prepared twins, made once per process."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Ran, run_command
from covered import BRIEF
from filelock import FileLock
from hypothesis import settings
from sampled import cases_left_out
from small import SMALL

from mlebench.competition.local import LocalCompetition
from mlebench.competition.registry import Registry
from mlebench.data.prepare import prepare
from mlebench.files.unpacking import unpack
from mlebench.twins import write_twin

# Few examples and no time limit per example: the suite stays quick, and a busy machine fails no test.
settings.register_profile("mlebench", max_examples=50, deadline=None)
settings.load_profile("mlebench")

# Groups that tests plan are those of this process and of the commands that it starts, and leave no trace elsewhere.
_STATE = tempfile.TemporaryDirectory(prefix="mlebench-state-")
os.environ["MLEBENCH_STATE_DIR"] = _STATE.name

# Where bytecode is forbidden, as images of containers like to, each of a thousand interpreters would compile all anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell that starts the tests in the background lets them ignore interrupts, and so would every command they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave_foreign_image_alone() -> None:
    """Let containers be tried only in an image that our Dockerfile made: what else has its name has other programs."""
    shown = ["docker", "image", "inspect", "--format", '{{index .Config.Labels "mlebench.image"}}', "mlebench-env"]
    try:
        found = subprocess.run(shown, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.SubprocessError):
        return
    if found.returncode == 0 and found.stdout.strip() != "environment":
        os.environ["MLEBENCH_IMAGE"] = "mlebench-env-of-our-dockerfile"  # there is none, which is why tests are skipped


_leave_foreign_image_alone()


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """`-n auto`: two workers per core, since many tests wait for processes, servers and time limits."""
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS") or 2 * (os.cpu_count() or 1))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what one interpreter has shown for all; begin with what one worker must run alone, which is long."""
    left_out = cases_left_out(config, items)
    if BRIEF:
        left_out += [item for item in items if item.get_closest_marker("once")]
    config.hook.pytest_deselected(items=left_out)
    others = {id(item) for item in left_out}
    items[:] = [item for item in items if id(item) not in others]
    items.sort(key=lambda item: item.get_closest_marker("xdist_group") is None)


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder for the whole session."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="session")
def prepared_twin(data_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], LocalCompetition]:
    """A function that prepares the seed-0 twin of a competition, keeps its raw data, and gives the competition.

    The first worker that asks for a twin prepares it; the others copy it, since preparing takes ten times as long.
    """
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    shared = tmp_path_factory.getbasetemp().parent / "twins" if is_worker else data_dir
    shared.mkdir(exist_ok=True)

    def get(competition_id: str) -> LocalCompetition:
        competition = Registry(data_dir).get_competition(competition_id)
        if not competition.prepared_dir.is_dir():
            original = Registry(shared).get_competition(competition_id)
            with FileLock(shared / f"{competition_id}.lock"):
                if not original.raw_dir.is_dir():
                    write_twin(original, original.home)
                    prepare(original)
                    unpack(original.archive, original.raw_dir)
            if shared != data_dir:
                shutil.copytree(original.home, competition.home, dirs_exist_ok=True)
        return competition

    return get


@pytest.fixture(scope="session")
def mirror(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A mirror: a folder with the synthetic archives of four small competitions."""
    folder = tmp_path_factory.mktemp("mirror")
    for each in SMALL:
        write_twin(Registry(folder).get_competition(each), folder)
    return folder


@pytest.fixture(scope="session")
def prepared_practice(data_dir: Path) -> Callable[[str], LocalCompetition]:
    """A function that prepares a practice competition, whose data is built in, and gives the competition."""

    def get(competition_id: str) -> LocalCompetition:
        competition = Registry(data_dir).get_competition(competition_id)
        prepare(competition)
        return competition

    return get


@pytest.fixture(scope="session")
def quickstart(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ran]:
    """`mlebench quickstart`, typed once: the folder it was typed in, and how it ended.

    What it leaves are also runs of the agent `baseline`. Tests that ask for it go to one worker, by an `xdist_group`.
    """
    folder = tmp_path_factory.mktemp("quickstart")
    return folder, run_command("quickstart", cwd=folder)
