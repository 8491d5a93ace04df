"""Find and end the processes that a command, or the warden of a killed orchestrator, left."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping

import psutil

MARK = "MLEBENCH_SANDBOX_MARK"  # a variable that every process of a run has, unless it takes the trouble to lose it
SEARCH_SECONDS = 60.0  # in which everything that a killed warden has left is found and ended
_CLOCK_SHIFT = 2.0  # seconds: start times are derived from the machine's clock, which may be set meanwhile


def end_orphan(identity: Mapping[str, str]) -> bool:
    """End what the warden of a killed orchestrator left, and that warden; whether there was something."""
    found = False
    with contextlib.suppress(psutil.Error, KeyError, ValueError):
        warden = psutil.Process(int(identity["pid"]))
        if abs(warden.create_time() - float(identity["started"])) < _CLOCK_SHIFT and _is_alive(warden):
            found = True
            warden.terminate()  # it ends what it has started
            deadline = time.monotonic() + 30
            while _is_alive(warden) and time.monotonic() < deadline:
                time.sleep(0.02)
    mark = identity.get("mark")
    return bool(mark and end_marked(mark)) or found


def end_marked(mark: str) -> bool:
    """End every process that carries the mark of a run, until none is found; whether there was one."""
    found = False
    deadline = time.monotonic() + SEARCH_SECONDS
    while time.monotonic() < deadline and end_processes(marked(mark)):
        found = True
    return found


def marked(mark: str) -> dict[int, float | None]:
    """The processes, with their start times, that carry the mark of a run in their environment."""
    found: dict[int, float | None] = {}
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.environ().get(MARK) == mark:
                found[process.pid] = process.create_time()
    return found


def end_processes(processes: Mapping[int, float | None]) -> bool:
    """End these processes, known by id and start time, with all below them; whether one of them was there."""
    alive: dict[int, psutil.Process] = {}
    for pid, started in processes.items():
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            is_known = started is None or abs(process.create_time() - started) < _CLOCK_SHIFT
            if is_known and pid not in alive and _is_alive(process):
                process.suspend()  # nothing of it forks while it is being ended
                alive |= {child.pid: child for child in process.children(recursive=True)}
                alive[pid] = process
    for process in alive.values():
        with contextlib.suppress(psutil.Error):
            process.kill()
    deadline = time.monotonic() + 10
    while any(map(_is_alive, alive.values())) and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(alive)


def _is_alive(process: psutil.Process) -> bool:
    """Whether a process runs; one that has ended and waits for its parent to notice does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False
