"""Which sandbox is taken, what is reported about the others, and how containers are configured."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from mlebench.sandbox import (
    SANDBOXES,
    Availability,
    BubblewrapSandbox,
    ContainerConfig,
    DockerSandbox,
    Job,
    Limits,
    Promise,
    SandboxError,
    choose_sandbox,
    engine,
    gpu,
    read_container_config,
)


def test_auto_takes_the_strongest_and_says_why_not_a_stronger_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (BubblewrapSandbox, DockerSandbox):
        monkeypatch.setattr(kind, "availability", lambda _: Availability(False, "it rains"))
    choice = choose_sandbox()
    assert choice.sandbox.name == "process"
    assert choice.why_not == ("bubblewrap does not work here: it rains.", "docker does not work here: it rains.")
    with pytest.raises(SandboxError, match="docker does not work here: it rains"):
        choose_sandbox("docker")
    monkeypatch.undo()
    strongest = next(sandbox for sandbox in SANDBOXES.values() if sandbox.availability().works)
    assert choose_sandbox().sandbox is strongest


def test_an_unknown_sandbox() -> None:
    with pytest.raises(SandboxError, match="Did you mean bubblewrap"):
        choose_sandbox("bublewrap")


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert BubblewrapSandbox().availability().install == "sudo apt-get install bubblewrap"
    assert DockerSandbox().availability().install == "sudo apt-get install docker.io"


def test_the_published_container_config(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"mem_limit": "80G", "shm_size": "4G", "nano_cpus": 4e9, "runtime": "runc", "gpus": -1}))
    assert read_container_config(path) == ContainerConfig(80 << 30, 4 << 30, 4_000_000_000, "runc", -1)
    path.write_text('{"mem_limit": null, "memory": 3}')
    with pytest.raises(SandboxError, match="unknown keys memory"):
        read_container_config(path)
    path.write_text("[]")
    with pytest.raises(SandboxError, match="is no object"):
        read_container_config(path)
    for text, words in (('{"nano_cpus": 1e400}', "must be a number"), ('{"nano_cpus": -5}', "must be at least 1")):
        path.write_text(text)
        with pytest.raises(SandboxError, match=words):
            read_container_config(path)


needs_docker = pytest.mark.skipif(not DockerSandbox().availability().works, reason=DockerSandbox().availability().why)
_SHOW = """
import os
def first(*paths):
    return next(open(p).read().split()[0] for p in paths if os.path.exists(p))
print(first('/sys/fs/cgroup/memory.max', '/sys/fs/cgroup/memory/memory.limit_in_bytes'))
print(os.statvfs('/dev/shm').f_blocks * os.statvfs('/dev/shm').f_frsize)
print(first('/sys/fs/cgroup/cpu.max', '/sys/fs/cgroup/cpu/cpu.cfs_quota_us'))
print(os.getuid() != 0)
"""


@needs_docker
def test_the_config_reaches_the_container(job: Job) -> None:
    from sandbox.running import run

    config = ContainerConfig(mem_limit=300 << 20, shm_size=32 << 20, nano_cpus=500_000_000, runtime="runc")
    run(DockerSandbox(config), replace(job, command=["python3", "-c", _SHOW]))
    assert job.log.read_text().split() == [str(300 << 20), str(32 << 20), "50000", "True"]


@needs_docker
def test_what_docker_lacks_is_said_before_anything_runs(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(SandboxError, match=r"Docker has no runtime sysbox-none\. It has .*runc"):
        DockerSandbox(ContainerConfig(runtime="sysbox-none")).require(job)
    DockerSandbox(ContainerConfig(runtime="runc")).require(job)
    monkeypatch.setattr(gpu, "_DEVICES", tmp_path)
    with pytest.raises(SandboxError, match="granted 1 GPU, but this machine has none"):
        DockerSandbox(ContainerConfig(gpus=1)).require(job)
    (tmp_path / "nvidia0").touch()
    (tmp_path / "nvidia1").touch()
    if not engine.grants_gpus():
        with pytest.raises(SandboxError, match="NVIDIA Container Toolkit is missing"):
            DockerSandbox(ContainerConfig(gpus=1)).require(job)
    assert ContainerConfig(gpus=-1).applied_to(Limits()).gpus == 2
    assert DockerSandbox()._limits(job, [0, 1])[-2:] == ["--gpus", '"device=0,1"']


@needs_docker
def test_a_privileged_container_must_be_accepted(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    from sandbox.running import run

    privileged = replace(job, privileged=True)
    with pytest.raises(SandboxError, match="--allow-privileged"):
        DockerSandbox().start(privileged)
    assert Promise.HOST_FILES_UNCHANGED not in DockerSandbox().promises(privileged)
    monkeypatch.setenv("I_ACCEPT_RUNNING_PRIVILEGED_CONTAINERS", "True")
    assert run(DockerSandbox(), privileged).exit_code == 0


@needs_docker
def test_a_retained_container_stays(job: Job) -> None:
    from mlebench.sandbox.engine import docker

    running = DockerSandbox(retains=True).start(job)
    assert running.wait(120) == 0
    running.close()
    container = running.identity["container"]
    assert docker("inspect", "--format", "{{.State.Status}}", container).strip() == "exited"
    assert DockerSandbox().end_orphan(running.identity)
    with pytest.raises(SandboxError):
        docker("inspect", container)


@needs_docker
def test_docker_limits_processors(job: Job) -> None:
    from sandbox.running import run

    code = """
import os, time
pids = [os.fork() for _ in range(1)]
end = time.monotonic() + 2
while time.monotonic() < end: pass
"""
    limits = Limits(cpus=0.5)
    ending = run(DockerSandbox(), replace(job, command=["python3", "-c", code], limits=limits))
    assert ending.usage.cpu_seconds is not None
    assert ending.usage.cpu_seconds < 1.6  # of about four seconds that two processes would use


def test_every_promise_is_explained() -> None:
    page = (Path(__file__).parents[2] / "docs" / "sandboxes.md").read_text(encoding="utf-8")
    assert [promise.name for promise in Promise if f"`{promise.name}`" not in page] == []
