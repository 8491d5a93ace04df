"""Run a command as a separate process that can read the system, its data and its own folder, and nothing else."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlebench.sandbox import landlock

_SYSTEM = (
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/bin",
    "/sbin",
    "/etc",
    "/opt",
    "/proc",
    "/sys",
    "/run",
    "/nix",
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/shm", "/dev/tty")
# What a program may know about the machine; in particular no keys and tokens of the user.
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "VIRTUAL_ENV")


@dataclass(frozen=True)
class Outcome:
    """How a command ended."""

    exit_code: int | None
    seconds: float
    timed_out: bool
    isolation: str

    @property
    def problem(self) -> str | None:
        """One phrase that says what went wrong, if anything did."""
        if self.timed_out:
            return f"stopped after {self.seconds:.0f} seconds"
        return None if self.exit_code == 0 else f"ended with exit code {self.exit_code}"


def isolation(hidden: Path) -> str:
    """How far a confined process is kept away from a folder on this machine: a phrase for reports."""
    if landlock.version() == 0:
        return "ran as an ordinary process: this system has no Landlock to keep files from it"
    if any(hidden.resolve().is_relative_to(path.resolve()) for path in _program_folders()):
        return "ran as an ordinary process: the data lies among the programs it must read"
    return "was confined by Landlock: it could read its data and the system, but no other file"


def _program_folders() -> list[Path]:
    """Where programs and libraries lie, those of this Python and of its packages included."""
    package = Path(__file__).resolve().parents[2]  # the folder that this package is imported from
    python = [
        sys.prefix,
        sys.base_prefix,
        *(sysconfig.get_path(key) for key in ("purelib", "platlib", "stdlib")),
    ]
    folders = [Path(each) for each in (*_SYSTEM, *python)]
    return [*dict.fromkeys(folders), package]


def run_confined(
    command: Sequence[str],
    *,
    folder: Path,
    data: Path,
    hidden: Path,
    log: Path,
    environment: Mapping[str, str],
    time_limit: float,
) -> Outcome:
    """Run a command that reads `data`, writes below `folder` and cannot see `hidden`; its output goes to `log`."""
    how = isolation(hidden)
    scratch = folder / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    variables = {
        **kept,
        "HOME": str(folder),
        "TMPDIR": str(scratch),
        "PYTHONDONTWRITEBYTECODE": "1",
        **environment,
    }
    if how.startswith("was confined"):
        read = [*_program_folders(), data.resolve()]
        write = [folder.resolve(), *map(Path, _DEVICES)]
        options = [*(f"--read={path}" for path in read), *(f"--write={path}" for path in write)]
        command = [sys.executable, "-m", "mlebench.sandbox.confine", *options, "--", *command]
    start = time.monotonic()
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            code: int | None = process.wait(timeout=time_limit)
            timed_out = False
        except subprocess.TimeoutExpired:
            code, timed_out = None, True
        finally:
            _end(process)
    return Outcome(code, time.monotonic() - start, timed_out, how)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the command and everything it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
