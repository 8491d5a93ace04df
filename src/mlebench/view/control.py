"""Draining, stopping and resuming a group from the view, where that was allowed: as Ctrl-C does, and the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from mlebench.errors import MlebenchError
from mlebench.files.regular import is_regular
from mlebench.results.names import LOCK_FILE

Action: TypeAlias = Literal["drain", "stop", "resume"]
ACTIONS: tuple[Action, ...] = get_args(Action)
_LOCKS = Path("/proc/locks")


def control(folder: Path, action: Action) -> str:
    """Do what was asked for with the group in a folder; a sentence says what happens now."""
    runner = runner_of(folder)
    if action == "resume":
        if runner is not None:
            raise MlebenchError("This group is being run already.")
        return _resumed(folder)
    if runner is None:
        raise MlebenchError(
            "No process of yours on this machine runs this group.", hint="Stop it where it was started, with Ctrl-C."
        )
    os.kill(runner, signal.SIGINT if action == "drain" else signal.SIGTERM)
    if action == "drain":
        return "Draining: the runs under way may finish, and nothing new begins."
    return "Stopping: the runs under way are ended."


def runner_of(folder: Path) -> int | None:
    """The process of this user on this machine that holds a group, by the lock that it holds; None if there is none."""
    lock = folder / LOCK_FILE
    if not is_regular(lock):
        return None
    try:
        found = lock.stat()
        wanted = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
        lines = _LOCKS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        fields = line.split()
        if len(fields) > 5 and fields[1] == "FLOCK" and fields[3] == "WRITE" and fields[5] == wanted:
            process = int(fields[4])
            if process > 0 and _is_own_runner(process):
                return process
    return None


def _is_own_runner(process: int) -> bool:
    """Whether a process belongs to this user and is a Python program, as whoever runs a group is."""
    import psutil

    try:
        found = psutil.Process(process)
        return found.uids().real == os.getuid() and "python" in found.name().lower() + found.exe().lower()
    except (psutil.Error, OSError):
        return False


def _resumed(folder: Path) -> str:
    """Go on with a group in a process of its own, which goes on when the view is closed."""
    command = [sys.executable, "-m", "mlebench", "run", "--resume", str(folder)]
    with (folder / "resume.log").open("ab") as log:
        subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=folder.parent
        )
    return "Resuming: the runs that have not ended begin again; resume.log in the group's folder tells how it goes."
