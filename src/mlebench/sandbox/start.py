"""Start a command under a warden, and watch it from outside."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Literal

import psutil

from mlebench.errors import MlebenchError
from mlebench.files.hostile import discard
from mlebench.sandbox import cgroup, gpu
from mlebench.sandbox.disk import DiskMeter
from mlebench.sandbox.interface import Attempt, Job, SandboxError, Usage
from mlebench.sandbox.kernel_limits import processors, resource_limits
from mlebench.sandbox.leftovers import MARK, SEARCH_SECONDS, end_processes, marked
from mlebench.sandbox.supervise import GRACE
from mlebench.sandbox.tree import TreeMeter

_WARDEN = Path(__file__).with_name("warden.py")
_START_SECONDS = 60.0


@dataclass
class CommandSetup:
    """What a sandbox prepares for the warden, beyond the job, before the command is started.

    `landlock` are the arguments of `landlock.restrict`, or None; `call_filter` says which system calls the warden
    decides on (see `seccomp.confined_rules`): none, "others" or, with those of the network, "network".
    `sandbox_processes` is the number of processes between the warden and the command that belong to the sandbox.
    `arguments` are for the sandbox to read from a descriptor (`confine.ARGUMENTS`), since other users can see a command
    line. `shared_memory` is the sandbox's own folder for shared memory, if any. With `watches_packets` the warden puts
    the command into a network of its own and sees what is sent there. `reading` measures a command that runs in a
    container, and `measured_by` says how; `container_process` is the id of the container's first process, once that is
    known; `stop_command` asks the command to end there, `kill_command` ends it, and `orphan_command` does so when the
    orchestrator is gone. `cleanups` are called when the run is closed, the last one first; `folders` are removed even
    when the orchestrator is gone.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path
    arguments: Sequence[str] = ()
    landlock: Mapping[str, Any] | None = None
    call_filter: Literal["", "others", "network"] = ""
    sandbox_processes: int = 0
    drops_capabilities: bool = False
    shared_memory: str | None = None
    gpus: Sequence[int] = ()
    attempts: Callable[[], Sequence[Attempt]] = tuple
    attempts_seen_by: str = "nothing"
    watches_packets: bool = False
    reading: Callable[[], cgroup.Reading] | None = None
    measured_by: str = "cgroup v2"
    container_process: Callable[[], int | None] = lambda: None
    stop_command: Sequence[str] = ()
    kill_command: Sequence[str] = ()
    orphan_command: Sequence[str] = ()
    identity: Mapping[str, str] = field(default_factory=dict)
    folders: list[Path] = field(default_factory=list)
    cleanups: list[Callable[[], object]] = field(default_factory=list)


def start_command(job: Job, setup: CommandSetup, sandbox: str) -> WardenRunning:
    """Start the command of a job; whatever was made for it is removed if it cannot be started."""
    try:
        return WardenRunning(job, setup, sandbox)
    except BaseException:
        close_all(setup.cleanups)
        raise


def claim_gpus(count: int, setup: CommandSetup) -> None:
    """GPUs for a command, which no other run has until this one is closed."""
    if count:
        setup.gpus = gpu.claim(count)
        setup.cleanups.append(partial(gpu.release, setup.gpus))


def scratch_folder(home: Path, setup: CommandSetup) -> Path:
    """A folder for temporary files below the home of a run, removed with it; whatever an earlier run left is not it."""
    folder = home / "tmp"
    if folder.is_symlink() or not folder.is_dir():  # a link would lead us wherever an agent wanted
        folder.unlink(missing_ok=True)
        folder.mkdir()
        _remove_at_the_end(folder, setup)
    return folder


def own_folder(setup: CommandSetup) -> Path:
    """A folder for what a sandbox makes for one command, removed with it."""
    folder = Path(tempfile.mkdtemp(prefix="mlebench-"))
    _remove_at_the_end(folder, setup)
    return folder


def _remove_at_the_end(folder: Path, setup: CommandSetup) -> None:
    setup.folders.append(folder)
    setup.cleanups.append(partial(discard, folder))


def close_all(cleanups: list[Callable[[], object]]) -> None:
    """Call all of them, the last one first; one that fails does not keep the others from being called."""
    while cleanups:
        with contextlib.suppress(OSError, MlebenchError):
            cleanups.pop()()


def _started(pid: int) -> float:
    """When a process began, in seconds since 1970; 0 for one that is over already."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return 0.0


class WardenRunning:
    """A command that runs under a warden."""

    def __init__(self, job: Job, setup: CommandSetup, sandbox: str) -> None:
        self._job, self._setup = job, setup
        self._mark = uuid.uuid4().hex
        self._group = cgroup.make(job.limits, self._mark) if setup.reading is None else None
        if self._group is not None:
            setup.cleanups.append(self._group.remove)
            setup.reading, setup.measured_by = self._group.read, cgroup.measured_by() or setup.measured_by
        fences = cgroup.make_fences(job.limits, self._mark) if setup.reading is None else []
        setup.cleanups += [fence.remove for fence in fences]
        self._memory_fence = next((fence for fence in fences if fence.controller == "memory"), None)
        self._groups = [group.folder for group in (self._group, *fences) if group is not None]
        self._peak = 0
        self._reports: dict[str, Any] = {}
        self._unread = b""
        self._seen: list[Attempt] = []  # what was sent and not by the proxy
        self._began = time.monotonic()
        self._ended: float | None = None
        self._is_finished = False
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-B", str(_WARDEN)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd="/",
            env={"LC_ALL": "C.UTF-8"},
            start_new_session=True,
        )
        self._send(json.dumps(self._specification()) + "\n")
        self._await_start()
        self._warden = int(self._reports["warden"])
        self._warden_started = _started(self._warden)
        self._tree = TreeMeter(self._warden, setup.shared_memory, setup.container_process)
        self._disk = DiskMeter(job.home)
        self._gpu = gpu.GpuMeter(setup.gpus) if setup.gpus else None
        self.identity: Mapping[str, str] = {
            "sandbox": sandbox,
            "pid": str(self._process.pid),
            "started": str(_started(self._process.pid)),
            "mark": self._mark,
            **setup.identity,
        }

    def _specification(self) -> Mapping[str, Any]:
        job, setup = self._job, self._setup
        return {
            "command": list(setup.command),
            "arguments": list(setup.arguments),
            "environment": {**setup.environment, MARK: self._mark},
            "folder": str(setup.folder),
            "log": str(job.log),
            "output_bytes": job.limits.output_bytes,
            "secrets": list(job.secrets),
            "landlock": setup.landlock,
            "call_filter": setup.call_filter,
            "seconds": job.limits.seconds,
            "grace": GRACE,
            "sandbox_processes": setup.sandbox_processes,
            "watches_packets": setup.watches_packets,
            "drops_capabilities": setup.drops_capabilities,
            "cgroups": list(map(str, self._groups)),
            "folders": list(map(str, setup.folders)),
            "stop_command": list(setup.stop_command),
            "kill_command": list(setup.kill_command),
            "orphan_command": list(setup.orphan_command),
            "limits": {} if setup.measured_by == "docker" else resource_limits(job.limits),
            "cpus": [] if setup.measured_by == "docker" else processors(job.limits.cpus),
            "priority": os.getpriority(os.PRIO_PROCESS, 0),
        }

    def _send(self, text: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(text.encode())
            self._process.stdin.flush()

    def _await_start(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while "started" not in self._reports:
            self._listen(max(0.0, deadline - time.monotonic()))
            if "started" in self._reports:  # and perhaps over already, with its warden
                return
            problem = self._reports.get("error")
            if problem is None and (self._process.poll() is not None or time.monotonic() > deadline):
                self._listen(0.0)  # what it reported between our last read and its end
                if "started" in self._reports:
                    return
                self._process.kill()
                assert self._process.stderr is not None
                last_line = self._process.stderr.read().decode(errors="replace").strip().rpartition("\n")[2]
                problem = last_line or f"its warden ended with code {self._process.wait()}"
            if problem is not None:
                self._finish()
                raise SandboxError(f"The command {self._job.command[0]} could not be started: {problem}.")

    def _listen(self, patience: float) -> None:
        """Take note of what the warden has reported."""
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        ready = select.poll()  # which knows no largest descriptor, as select does
        ready.register(descriptor, select.POLLIN)
        if ready.poll(max(0.0, patience) * 1000):
            data = os.read(descriptor, 1 << 16)
            if not data:
                self._process.wait()
            self._note(data)

    def _note(self, data: bytes) -> None:
        *lines, self._unread = (self._unread + data).split(b"\n")
        for line in lines:
            report = json.loads(line)
            if "attempt" in report:
                seconds, host, port = report["attempt"]
                when = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
                self._seen.append(Attempt(when, host, port, allowed=False))
            else:
                self._reports.update(report)

    def poll(self) -> int | None:
        """The exit code, or None while it runs."""
        if not self._is_finished:
            if self._process.returncode is None:
                self._listen(0.0)
            if "exit" not in self._reports and self._process.poll() is None:
                return None
            self._finish()
        code = self._reports.get("exit")
        return code if isinstance(code, int) else 137  # the command, or the warden itself, was killed

    def wait(self, seconds: float) -> int | None:
        """Wait for the end, at most this many seconds; the exit code, or None."""
        deadline = time.monotonic() + seconds
        while (code := self.poll()) is None and (left := deadline - time.monotonic()) > 0:
            if self._process.returncode is None:
                self._listen(left)
        return code

    def _finish(self) -> None:
        """The warden has ended or is about to; its last reports are read, and nothing of the run is left."""
        assert self._process.stdout is not None
        self._process.wait()
        while data := self._process.stdout.read():
            self._note(data)
        self._ended = self._ended or time.monotonic()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._is_finished = True
        if "exit" not in self._reports and hasattr(self, "_tree"):
            self._end_what_is_left()

    def _end_what_is_left(self) -> None:
        """The warden was killed, and perhaps its keeper: end the processes of the run until none is found."""
        if self._setup.kill_command:
            with contextlib.suppress(OSError, subprocess.SubprocessError):
                subprocess.run(self._setup.kill_command, capture_output=True, timeout=60, check=False)
        deadline = time.monotonic() + SEARCH_SECONDS
        while time.monotonic() < deadline:
            for group in self._groups:
                cgroup.end_all(group)
            found = {**marked(self._mark), **self._tree.seen}
            for group in self._groups:
                found.update(dict.fromkeys(cgroup.members(group), None))
            if not end_processes(found):
                return

    def usage(self) -> Usage:
        """What it has used so far."""
        self._tree.measure()
        if self._gpu is not None:
            self._gpu.measure(self._tree.seen)
        seconds = (self._ended or time.monotonic()) - self._began
        log = self._job.log.stat().st_size if self._job.log.exists() else 0
        measured = {
            "disk_bytes": self._disk.measure(fresh=self._ended is not None) + self._tree.held.disk,
            "output_bytes": max(log, self._reports.get("output_bytes", 0)),
            "gpu_memory_bytes": self._gpu.peak_memory if self._gpu is not None else None,
            "gpu_seconds": self._gpu.seconds if self._gpu is not None else None,
            "out_of_time": bool(self._reports.get("out_of_time")),
        }
        tree = self._tree
        unfinished = ("disk",) if self._disk.unfinished or tree.held.unfinished else ()
        if self._setup.reading is None:
            return Usage(
                seconds=seconds,
                cpu_seconds=self._reports.get("cpu_seconds", tree.cpu_seconds),
                memory_bytes=tree.memory,
                peak_memory_bytes=tree.peak_memory,
                processes=tree.processes,
                out_of_memory=self._memory_fence is not None and self._memory_fence.is_out_of_memory(),
                unfinished=(*unfinished, "memory") if tree.unfinished else unfinished,
                **measured,
            )
        reading = self._setup.reading()
        own = tree.peak_memory if self._group is not None else 0
        self._peak = max(self._peak, reading.memory or 0, own)
        if reading.peak_memory is not None:  # what was seen cannot be more than there was at one time
            self._peak = min(self._peak, reading.peak_memory)
        return Usage(
            seconds=seconds,
            cpu_seconds=reading.cpu_seconds,
            memory_bytes=reading.memory,
            peak_memory_bytes=self._peak or None,
            processes=reading.processes,
            out_of_memory=reading.out_of_memory,
            unfinished=unfinished,
            measured_by=self._setup.measured_by,
            **measured,
        )

    def stop(self, grace: float) -> None:
        """End the whole tree: SIGTERM, then SIGKILL after `grace` seconds; returns when nothing is left."""
        if self.poll() is not None:
            return
        self._send(f"stop {grace}\n")
        if self.wait(grace + 30.0) is None:
            self._process.kill()
            end_processes({self._warden: self._warden_started})
            self._process.wait()
            self.poll()

    def attempts(self) -> Sequence[Attempt]:
        """What it tried to reach, in order, as far as that was seen."""
        return sorted([*self._setup.attempts(), *self._seen], key=lambda attempt: attempt.time)

    @property
    def attempts_seen_by(self) -> str:
        """By which means attempts are seen."""
        return self._setup.attempts_seen_by + (" and packets" if self._setup.watches_packets else "")

    def close(self) -> None:
        """End what still runs and remove what was made for it."""
        self.stop(0.0)
        close_all(self._setup.cleanups)
