"""Control groups: where this process may make one, the kernel counts and limits a run exactly.

Version 2 is used for everything: in the group of this process where that was delegated to it, else in a scope that
systemd makes for it on demand. Version 1 is used only to limit what nothing else does: as root the number of processes,
and memory that no process holds.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mlebench.sandbox.interface import Limits

_ROOT = Path("/sys/fs/cgroup")
_SYSTEMD = Path("/run/systemd/system")  # is there where systemd runs the machine
_NEEDED = {"memory", "pids", "cpu"}
_PERIOD = 100_000  # microseconds
_THROUGH_SYSTEMD = "cgroup v2 through systemd"


@dataclass(frozen=True)
class Reading:
    """What a group has used."""

    cpu_seconds: float | None = None
    memory: int | None = None  # without files that are merely kept in memory
    peak_memory: int | None = None  # files included
    processes: int | None = None
    out_of_memory: bool = False


@dataclass
class Group:
    """A control group made for one run."""

    folder: Path
    _last: Reading = Reading()

    def read(self) -> Reading:
        """What it has used; the last that was known once it is gone."""
        try:
            cpu = _pairs(self.folder / "cpu.stat")
            memory = int((self.folder / "memory.current").read_text())
            processes = int((self.folder / "pids.current").read_text())
            files = _pairs(self.folder / "memory.stat").get("inactive_file", 0)
            events = _pairs(self.folder / "memory.events")
        except OSError:
            return self._last
        peak = None
        with contextlib.suppress(OSError, ValueError):  # since Linux 5.19
            peak = int((self.folder / "memory.peak").read_text())
        used = max(0, memory - files)
        out_of_memory = events.get("oom_kill", 0) > 0
        self._last = Reading(cpu.get("usage_usec", 0) / 1e6, used, peak, processes, out_of_memory)
        return self._last

    def remove(self) -> None:
        """End what is in it and remove it."""
        with contextlib.suppress(OSError):
            (self.folder / "cgroup.kill").write_text("1")
        _remove(self.folder)


def _pairs(path: Path) -> dict[str, int]:
    return {name: int(value) for name, value in (line.split() for line in path.read_text().splitlines())}


@dataclass(frozen=True)
class Fence:
    """A control group of version 1 that limits the processes of one run, or their memory."""

    folder: Path
    controller: str

    def is_out_of_memory(self) -> bool:
        """Whether the kernel has ended a process since the memory limit was reached."""
        with contextlib.suppress(OSError, ValueError):
            return _pairs(self.folder / "memory.oom_control").get("oom_kill", 0) > 0
        return False

    def remove(self) -> None:
        """Remove it; what was in it has ended."""
        _remove(self.folder)


def _remove(folder: Path) -> None:
    """Remove a group, once the kernel has noticed that it is empty."""
    for _ in range(100):
        try:
            folder.rmdir()
        except FileNotFoundError:
            return
        except OSError:
            time.sleep(0.02)
        else:
            return


# By controller of version 1: the file that sets its limit.
_LIMITED_BY = {"pids": "pids.max", "memory": "memory.limit_in_bytes"}


@cache
def fences() -> Mapping[str, Path]:
    """By controller, the folders of version 1 in which groups that limit a run can be made."""
    found = {}
    for controller, file in _LIMITED_BY.items():
        for parent in (_own_folder_of(controller), _ROOT / controller):
            if parent is not None and controller not in found and _can_fence(parent, file):
                found[controller] = parent
    return found


def _own_folder_of(controller: str) -> Path | None:
    """The group of version 1 that this process is in: limits above it hold for a run, too."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if controller in controllers.split(","):
                return _ROOT / controller / path.lstrip("/")
    return None


def _can_fence(parent: Path, file: str) -> bool:
    probe = parent / f"mlebench-probe-{time.monotonic_ns()}"
    try:
        probe.mkdir()
        return (probe / file).exists()
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            probe.rmdir()


def make_fences(limits: Limits, name: str) -> list[Fence]:
    """Groups of version 1 for a number of processes and for memory, where they can be made and are needed."""
    values = {"pids": limits.processes, "memory": limits.memory_bytes}
    made = []
    for controller, parent in fences().items():
        if (value := values[controller]) is not None:
            folder = parent / f"mlebench-{name}"
            folder.mkdir()
            made.append(Fence(folder, controller))
            (folder / _LIMITED_BY[controller]).write_text(str(value))
            with contextlib.suppress(OSError):  # where swap is counted
                if controller == "memory":
                    (folder / "memory.memsw.limit_in_bytes").write_text(str(value))
    return made


def remove_abandoned(seconds: float = 30.0) -> None:
    """Remove groups of runs whose processes are gone; one that was made a moment ago may be about to get its own."""
    for parent in {*fences().values(), delegated()} - {None}:
        for folder in parent.glob("mlebench-*") if parent is not None else ():
            with contextlib.suppress(OSError):  # the kernel keeps a group that is in use
                if time.time() - folder.stat().st_mtime > seconds:
                    folder.rmdir()


def members(folder: Path) -> list[int]:
    """The processes in a group."""
    with contextlib.suppress(OSError, ValueError):
        return [int(line) for line in (folder / "cgroup.procs").read_text().split()]
    return []


def end_all(folder: Path) -> None:
    """Have the kernel end all processes in a group, and let none begin, as far as that can be done by a file."""
    for file, value in (("pids.max", "0"), ("cgroup.kill", "1")):
        with contextlib.suppress(OSError):
            if (folder / file).exists():
                (folder / file).write_text(value)


def delegated() -> Path | None:
    """A folder in which groups with the needed controllers can be made; None if there is none."""
    found = _delegation()
    return found and found[0]


def measured_by() -> str | None:
    """How a run is measured that gets a group of its own: `cgroup v2`, perhaps `through systemd`; None without one."""
    found = _delegation()
    return found and found[1]


@cache
def _delegation() -> tuple[Path, str] | None:
    with contextlib.suppress(OSError):
        if not (_ROOT / "cgroup.controllers").exists() or (here := _own_group()) is None:
            return None
        for folder in (here, here.parent):  # beside this process's group where it may have none below it
            if folder.is_relative_to(_ROOT) and _can_hold_groups(folder):
                # The scope of the process that started this one, where it has made one.
                is_scope = folder.name.startswith("mlebench-") and folder.suffix == ".scope"
                return folder, _THROUGH_SYSTEMD if is_scope else "cgroup v2"
        if (scope := _own_scope()) is not None and _can_hold_groups(scope):
            return scope, _THROUGH_SYSTEMD
    return None


def _own_group() -> Path | None:
    """The group of version 2 that this process is in."""
    return _folder_of("self")


def _folder_of(process: int | str) -> Path | None:
    lines = Path(f"/proc/{process}/cgroup").read_text().splitlines()
    own = next((line[3:] for line in lines if line.startswith("0::")), None)
    return None if own is None else _ROOT / own.lstrip("/")


def group_of(pid: int) -> Group | None:
    """The group of version 2 that a process was put into by somebody else; None where it cannot be read."""
    with contextlib.suppress(OSError):
        folder = _folder_of(pid)
        if folder is not None and (folder / "memory.current").exists():
            return Group(folder)
    return None


def _own_scope() -> Path | None:
    """Have systemd put this process into a scope that is delegated to it, and make room there for groups of runs."""
    name = f"mlebench-{os.getpid()}-{time.monotonic_ns()}.scope"
    command = scope_command(name, os.getpid(), os.getuid())
    if command is None:
        return None
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    deadline = time.monotonic() + 5
    while (scope := _own_group()) is None or scope.name != name:
        if time.monotonic() > deadline:
            return None
        time.sleep(0.02)
    # A group with processes can have no groups below it that are limited, so this process moves to one of its own.
    (scope / "orchestrator").mkdir()
    (scope / "orchestrator" / "cgroup.procs").write_text(str(os.getpid()))
    return scope


def scope_command(name: str, pid: int, user: int) -> list[str] | None:
    """What asks systemd for a scope with a process in it: root that of the machine, others their own; None without."""
    if shutil.which("busctl") is None or not _SYSTEMD.is_dir():
        return None
    bus = [] if user == 0 else ["--user"]
    if user != 0 and not (Path(os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{user}")) / "bus").exists():
        return None
    manager = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"]
    properties = ["2", "PIDs", "au", "1", str(pid), "Delegate", "b", "true"]
    call = ["call", *manager, "StartTransientUnit", "ssa(sv)a(sa(sv))", name, "fail", *properties, "0"]
    return ["busctl", *bus, "--timeout=10", *call]


def _can_hold_groups(folder: Path) -> bool:
    with contextlib.suppress(OSError):  # refused where the group has processes of its own, or is not ours
        (folder / "cgroup.subtree_control").write_text(" ".join(f"+{controller}" for controller in sorted(_NEEDED)))
    probe = folder / f"mlebench-probe-{time.monotonic_ns()}"
    try:
        probe.mkdir()
    except OSError:
        return False
    try:
        return set((probe / "cgroup.controllers").read_text().split()) >= _NEEDED
    except OSError:
        return False
    finally:
        with contextlib.suppress(OSError):
            probe.rmdir()


def make(limits: Limits, name: str) -> Group | None:
    """A group with these limits; None where none can be made."""
    parent = delegated()
    if parent is None:
        return None
    folder = parent / f"mlebench-{name}"
    folder.mkdir()
    group = Group(folder)
    values = {
        "memory.max": limits.memory_bytes,
        "memory.swap.max": 0 if limits.memory_bytes is not None else None,
        "pids.max": limits.processes,
        "cpu.max": f"{int(limits.cpus * _PERIOD)} {_PERIOD}" if limits.cpus is not None else None,
    }
    for file, value in values.items():
        with contextlib.suppress(FileNotFoundError):  # swap may not be counted
            if value is not None:
                (folder / file).write_text(str(value))
    return group
