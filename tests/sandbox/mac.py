"""Runs Python code on a machine that looks like a Mac, as far as the code can tell.

    python mac.py -m mlebench …        the command
    python mac.py [-I -S -B] SCRIPT    a script, with the options that `sys.executable` gets

What only Linux has is gone: attributes of modules, system calls, and everything below /proc and /sys. Libraries of
others work differently on a Mac, so they are imported before.
"""

from __future__ import annotations

import builtins
import ctypes
import io
import os
import resource
import runpy
import select
import signal
import sys
import sysconfig
import tempfile
import types
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

LINUX_ONLY: dict[types.ModuleType, str] = {
    os: "pidfd_open memfd_create sched_getaffinity sched_setaffinity O_PATH O_TMPFILE eventfd getrandom unshare setns "
    "posix_fadvise copy_file_range splice",
    resource: "prlimit RLIMIT_MSGQUEUE RLIMIT_NICE RLIMIT_RTPRIO RLIMIT_SIGPENDING",
    select: "epoll",
    signal: "pidfd_send_signal SIGPWR sigtimedwait sigwaitinfo",
}
_REAL_PYTHON = sys.executable


def _without_linux_folders(function: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(path: Any = ".", *arguments: Any, **options: Any) -> Any:
        caller = sys._getframe(1).f_globals.get("__name__", "")
        is_path = isinstance(path, str | os.PathLike)
        if is_path and str(path).startswith(("/proc", "/sys")) and not caller.startswith(psutil.__name__):
            raise FileNotFoundError(2, "No such file or directory", str(path))
        return function(path, *arguments, **options)

    return guarded


class _Library(ctypes.CDLL):
    def __getattr__(self, name: str) -> Any:
        if name in ("prctl", "syscall", "unshare", "capset"):
            raise AttributeError(name)
        return super().__getattr__(name)


def become_a_mac() -> None:
    """From now on this process is one."""
    assert urllib.request  # asks a Mac for its proxies
    sysconfig.get_config_vars()  # read from a file that is named after the system
    sys.platform = "darwin"
    for module, names in LINUX_ONLY.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    builtins.open = io.open = _without_linux_folders(open)
    for name in ("open", "listdir", "scandir", "stat"):
        setattr(os, name, _without_linux_folders(getattr(os, name)))
    ctypes.CDLL = _Library  # type: ignore[misc]


def main() -> None:
    """Run what the arguments name."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "python"
        python.write_text(f'#!/bin/sh\nexec "{_REAL_PYTHON}" "{Path(__file__).resolve()}" "$@"\n')
        python.chmod(0o755)
        sys.executable = str(python)
        become_a_mac()
        given = sys.argv[1:]
        while given[0] not in ("-m",) and given[0].startswith("-"):
            given.pop(0)
        if given[0] == "-m":
            sys.argv = given[1:]
            runpy.run_module(given[1], run_name="__main__", alter_sys=True)
        else:
            sys.path.pop(0)
            sys.argv = given
            runpy.run_path(given[0], run_name="__main__")


if __name__ == "__main__":
    main()
