"""The Docker engine, spoken to by its own command, and by its socket where an answer must come fast."""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import pwd
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mlebench.base.processes import run_apart
from mlebench.sandbox.cgroup import Group, Reading, group_of
from mlebench.sandbox.interface import SandboxError

_DEFAULT_SOCKET = "/var/run/docker.sock"
_LONGEST_LINE = 1 << 15  # of a file with variables
_UNUSED_USERS = range(60_706, 61_184)  # neither people nor services get these numbers by themselves
_READ_BY_DOCKER = ("DOCKER_", "LD_", "GO", "BUILD", "COMPOSE_", "XDG_")  # or by what loads it


def last_line(text: str) -> str:
    """The last line of what a command printed, where most of its commands say why they failed."""
    return text.rpartition("\n")[2]


def docker(
    *arguments: str,
    environment: Mapping[str, str] | None = None,
    seconds: float = 120,
    should_stop: Callable[[], bool] = lambda: False,
    complaint_in: Callable[[str], str] = last_line,
) -> str:
    """What a docker command prints; a SandboxError with its complaint, as `complaint_in` finds it, if it fails."""
    try:
        done = run_apart(
            ["docker", *arguments],
            should_stop=should_stop,
            seconds=seconds,
            environment={**os.environ, **(environment or {})},
        )
    except FileNotFoundError:
        raise SandboxError("The command docker is not installed.") from None
    except subprocess.TimeoutExpired:
        raise SandboxError(f"Docker did not answer within {seconds:.0f} seconds (docker {arguments[0]}).") from None
    if done.returncode != 0:
        complaint = complaint_in(done.stderr.strip() or done.stdout.strip())
        raise SandboxError(f"docker {arguments[0]} failed: {complaint.removeprefix('Error response from daemon: ')}")
    return done.stdout


def is_installed() -> bool:
    """Whether there is a docker command."""
    return shutil.which("docker") is not None


def has_image(name: str) -> bool:
    """Whether the engine has an image of this name."""
    try:
        docker("image", "inspect", "--format", "{{.Id}}", name)
    except SandboxError:
        return False
    return True


def image_digest(name: str) -> str | None:
    """What identifies the content of an image, for the record of a run."""
    with contextlib.suppress(SandboxError):
        return docker("image", "inspect", "--format", "{{.Id}}", name).strip()
    return None


def runtimes() -> list[str]:
    """The names of the runtimes that the engine can start containers with."""
    found = json.loads(docker("info", "--format", "{{json .Runtimes}}") or "null")
    return sorted(found) if isinstance(found, dict) else []


def grants_gpus() -> bool:
    """Whether the engine can give NVIDIA GPUs to a container, as far as can be known without trying."""
    with contextlib.suppress(SandboxError):
        # The engine looks for the hook when it starts; the toolkit's own runtime is registered beside it.
        return "nvidia" in runtimes() or shutil.which("nvidia-container-runtime-hook") is not None
    return False


def containers_with_label(label: str) -> list[str]:
    """The ids of all containers with a label, running or not."""
    return docker("ps", "--all", "--quiet", "--no-trunc", "--filter", f"label={label}").split()


class _Connection(http.client.HTTPConnection):
    """HTTP over the engine's Unix socket."""

    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=10)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def ask(path: str) -> Any:
    """The engine's answer to a GET, or None if it has none or is not at a Unix socket."""
    host = os.environ.get("DOCKER_HOST", f"unix://{_DEFAULT_SOCKET}")
    if not host.startswith("unix://"):
        return None
    connection = _Connection(host.removeprefix("unix://"))
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return json.loads(answer.read()) if answer.status == 200 else None
    except (OSError, ValueError, http.client.HTTPException):
        return None
    finally:
        connection.close()


class ContainerMeter:
    """What a container uses, as the kernel counts it; the last figures stay once it has ended.

    With control groups of version 2 they are read where the kernel keeps them: the engine does not know the peak there.
    Otherwise the engine is asked, which takes up to a second for each answer, so a thread asks and the last answer is
    given.
    """

    def __init__(self, container: str) -> None:
        self._container = container
        self.pid: int | None = None  # of its first process, while it runs
        self._last = Reading()
        self._asking: threading.Thread | None = None
        self._group: Group | None = None

    def __call__(self) -> Reading:
        """What is known now."""
        if self._asking is None:
            self._asking = threading.Thread(target=self._ask_until_it_ends, daemon=True, name="container meter")
            self._asking.start()
        state = self._state()
        self.pid = state.get("Pid") or None
        if state.get("OOMKilled"):
            self._last = replace(self._last, out_of_memory=True)
        return self._last

    def _state(self) -> dict[str, Any]:
        answer: dict[str, Any] = ask(f"/containers/{self._container}/json") or {}
        state: dict[str, Any] = answer.get("State", {})
        return state

    def _ask_until_it_ends(self) -> None:
        """Until the engine has no figures any more."""
        has_begun = False
        for attempt in itertools.count():
            if self._group is None and not has_begun and (pid := self._state().get("Pid")):
                self._group = group_of(pid)
            if self._group is not None:
                if not self._group.folder.exists():
                    return
                used = self._group.read()
                self._last = replace(used, out_of_memory=used.out_of_memory or self._last.out_of_memory)
                time.sleep(0.02)
                continue
            found = ask(f"/containers/{self._container}/stats?stream=false&one-shot=true") or {}
            memory = found.get("memory_stats", {})
            if "usage" in memory:
                has_begun = True
                details = memory.get("stats", {})
                files = details.get("total_inactive_file", details.get("inactive_file", 0))
                self._last = replace(
                    self._last,
                    cpu_seconds=found["cpu_stats"]["cpu_usage"]["total_usage"] / 1e9,
                    memory=max(0, memory["usage"] - files),
                    peak_memory=memory.get("max_usage"),
                    processes=found.get("pids_stats", {}).get("current"),
                )
            elif has_begun or attempt > 100:
                return
            time.sleep(0.05)


def groups_of(sequence: Sequence[str], option: str) -> list[str]:
    """The same option before each of some values."""
    return [part for value in sequence for part in (option, value)]


def variables(values: Mapping[str, str], file: Path) -> tuple[list[str], dict[str, str]]:
    """(options that set the variables of a container, what the command docker must have in its own environment for it).

    They go by a file, since other users can see a command line, and docker itself must not act on them (DOCKER_HOST,
    LD_PRELOAD). What has more than one line does not fit into such a file: it goes by the environment of docker, or,
    where docker could act on it or has a variable of that name, in sight.
    """
    lines = {name: value for name, value in values.items() if value.isprintable() and len(value) < _LONGEST_LINE}
    rest = {name: value for name, value in values.items() if name not in lines}
    shown = {name for name in rest if name in os.environ or name.startswith(_READ_BY_DOCKER)}
    file.write_text("".join(f"{name}={value}\n" for name, value in lines.items()), encoding="utf-8")
    named = [f"{name}={value}" if name in shown else name for name, value in rest.items()]
    return ["--env-file", str(file), *groups_of(named, "--env")], {name: rest[name] for name in rest.keys() - shown}


def unused_user() -> int:
    """The number of a user that this machine does not have, to whom the files of a run can belong while it lasts."""
    for number in _UNUSED_USERS:
        try:
            pwd.getpwuid(number)
        except KeyError:
            return number
    raise SandboxError(f"All users from {_UNUSED_USERS[0]} to {_UNUSED_USERS[-1]} exist on this machine.")


def make_owner(folder: Path, user: int) -> None:
    """Give a folder and all below it to a user, following no link; only root can."""
    os.chown(folder, user, user, follow_symlinks=False)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            with contextlib.suppress(FileNotFoundError):
                os.chown(Path(parent) / name, user, user, follow_symlinks=False)
