"""Where a control group, version 2, can be made, the kernel measures and limits a run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sandbox.running import run
from waiting import wait_for

from mlebench.sandbox import Job, Limits, Promise, Sandbox, cgroup, supervise

pytestmark = pytest.mark.skipif(cgroup.delegated() is None, reason="no cgroup v2 is delegated to this process")


def test_use_is_measured_by_the_kernel(sandbox: Sandbox, job: Job) -> None:
    code = "block = bytearray(b'x') * (200 << 20); import time; time.sleep(0.5)"
    running = sandbox.start(replace(job, command=["python3", "-c", code]))
    try:
        usage = supervise(running, job.limits).usage
    finally:
        running.close()
    assert usage.measured_by in (cgroup.measured_by(), "docker")
    assert usage.peak_memory_bytes is not None
    assert 200 << 20 < usage.peak_memory_bytes < 240 << 20
    assert usage.cpu_seconds is not None
    parent = cgroup.delegated()
    assert parent is not None
    wait_for(lambda: not list(parent.glob(f"mlebench-{running.identity['mark']}*")))  # what was made is gone


def test_the_kernel_enforces_the_memory_limit(sandbox: Sandbox, job: Job) -> None:
    code = "block = bytearray(b'x') * (300 << 20)"
    ending = run(sandbox, replace(job, command=["python3", "-c", code], limits=Limits(memory_bytes=150 << 20)))
    assert ending.reason == "memory"
    assert ending.usage.out_of_memory
    assert ending.exit_code == 137


def test_files_in_memory_are_no_use_of_memory(sandbox: Sandbox, job: Job) -> None:
    code = """
for n in range(6):
    open('big', 'wb').write(bytes(50 << 20))
    len(open('big', 'rb').read(1 << 20))
"""
    ending = run(sandbox, replace(job, command=["python3", "-c", code], limits=Limits(memory_bytes=150 << 20)))
    assert ending.reason == "exit"
    assert ending.exit_code == 0


def test_the_kernel_limits_processors(sandbox: Sandbox, job: Job) -> None:
    code = "import time; end = time.monotonic() + 2\nwhile time.monotonic() < end: pass"
    job = replace(job, command=["python3", "-c", code], limits=Limits(cpus=0.5))
    assert Promise.CPUS_LIMITED in sandbox.promises(job)
    usage = run(sandbox, job).usage
    assert usage.cpu_seconds is not None
    assert usage.cpu_seconds < 1.5


def test_the_kernel_limits_processes(sandbox: Sandbox, job: Job) -> None:
    code = "import os, time\nfor _ in range(60):\n    if os.fork() == 0: time.sleep(5); os._exit(0)"
    ending = run(sandbox, replace(job, command=["python3", "-c", code], limits=Limits(processes=30)))
    assert ending.exit_code == 1
    assert "BlockingIOError" in job.log.read_text()
