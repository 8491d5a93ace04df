"""Cores and memory: those of the process, and not of the machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mlebench.base import capacity
from mlebench.base.capacity import available_cores, available_memory


def test_only_cores_that_the_process_may_run_on_count() -> None:
    first = min(os.sched_getaffinity(0))
    program = (
        f"import os; os.sched_setaffinity(0, [{first}]); from mlebench.base.capacity import available_cores; "
        "from mlebench.base.processes import available_processes; print(available_cores(), available_processes())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "1"]


@pytest.fixture
def groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of the control groups, on a machine with eight cores."""
    monkeypatch.setattr(capacity, "_GROUPS", tmp_path / "groups")
    monkeypatch.setattr(capacity, "_OWN_GROUP", tmp_path / "own")
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(8)))
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="ascii")


def test_the_smallest_quota_of_the_groups_around_counts(groups: Path) -> None:
    write(groups / "own", "0::/job/step")
    write(groups / "groups" / "job" / "step" / "cpu.max", "max 100000")
    write(groups / "groups" / "job" / "cpu.max", "250000 100000")
    write(groups / "groups" / "job" / "memory.max", str(1 << 30))
    write(groups / "groups" / "memory.max", "max")
    assert available_cores() == 2
    assert available_memory() == 1 << 30


def test_groups_of_the_first_version(groups: Path) -> None:
    write(groups / "own", "4:cpu,cpuacct:/job\n3:memory:/job\n0::/")
    write(groups / "groups" / "cpu,cpuacct" / "job" / "cpu.cfs_quota_us", "50000")
    write(groups / "groups" / "cpu,cpuacct" / "job" / "cpu.cfs_period_us", "100000")
    write(groups / "groups" / "cpu,cpuacct" / "cpu.cfs_quota_us", "-1")
    write(groups / "groups" / "cpu,cpuacct" / "cpu.cfs_period_us", "100000")
    write(groups / "groups" / "memory" / "job" / "memory.limit_in_bytes", str(1 << 29))
    assert available_cores() == 1  # half a core is one
    assert available_memory() == 1 << 29


def test_no_groups_are_no_limit(groups: Path) -> None:
    assert available_cores() == 8
    write(groups / "own", "0::/nowhere")
    assert available_cores() == 8
    assert available_memory() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
