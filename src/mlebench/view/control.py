"""Draining, stopping and resuming a group from the view, where that was allowed: as Ctrl-C does, and the command."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import Literal, TypeAlias

from mlebench.base.wording import plain
from mlebench.errors import MlebenchError
from mlebench.files.regular import is_regular
from mlebench.results.names import LOCK_FILE
from mlebench.view.reading import read_piece

Action: TypeAlias = Literal["drain", "stop", "resume"]
ACTIONS: dict[Action, str] = {
    "drain": "drain: let what runs finish, begin nothing new",
    "stop": "stop: end the runs under way",
    "resume": "resume: go on with the runs that have not ended",
}
RESUME_LOG = "resume.log"
_LOCKS = Path("/proc/locks")
_REFUSAL_SECONDS = 4.0  # within which a command says what it refuses


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
    # A group may come from anywhere: a link in the place of the log is not followed.
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(folder / RESUME_LOG, flags, 0o644)
    except OSError as error:
        raise MlebenchError(f"{RESUME_LOG} in the group's folder cannot be written: {error.strerror}.") from error
    with os.fdopen(descriptor, "ab") as log:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise MlebenchError(f"{RESUME_LOG} in the group's folder is not a file.")
        began = log.tell()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, cwd=folder.parent
        )
    try:
        code = process.wait(_REFUSAL_SECONDS)
    except subprocess.TimeoutExpired:
        threading.Thread(target=process.wait, daemon=True).start()  # nothing is left of it when it has ended
        return (
            f"Resuming: the runs that have not ended begin again; {RESUME_LOG} in the group's folder tells how it goes."
        )
    words = read_piece(folder, (RESUME_LOG,), began).text.strip()
    if code:
        raise MlebenchError(f"The group was not resumed: {plain(words, 600) or f'exit code {code}'}")
    return (
        f"The group was resumed, and has ended: {plain(words.splitlines()[-1] if words else 'nothing was left', 300)}"
    )
