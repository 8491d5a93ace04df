"""Commands without the start of an interpreter: a process that has imported everything forks one child per command.

Most of what a quick command costs is starting Python and importing what it needs, and the tests run thousands of
commands. A forked child has its own arguments, environment, folder and streams, and ends as a new process would. What
only a new process can show (an import that is missing, what modules read while they are imported) is seen where
commands are started as users start them: where `MLEBENCH_TESTS` is set, as for the further interpreters in CI, and
wherever a test starts `python -m mlebench` itself.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import multiprocessing
import os
import pkgutil
import runpy
import selectors
import shlex
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NoReturn

from command_client import ask

_AT_START = dict(os.environ)
# What begins the names of variables that are read as an interpreter starts or modules are imported.
_READ_EARLY = ("PYTHON", "LC_", "LANG", "LD_", "MLEBENCH_IMAGE")
# What functions import when they are called, and what of it takes as long as all the rest.
_IMPORTED_LATE = (
    "filelock", "pyarrow.compute", "pyarrow.parquet", "rich.live", "rich.table", "scipy.spatial", "scipy.stats",
    "sklearn.datasets", "sklearn.feature_extraction.text", "sklearn.model_selection", "yaml",
)  # fmt: skip
_NEW_PROCESSES = not sys.platform.startswith("linux") or "MLEBENCH_TESTS" in os.environ


def run_mlebench(
    arguments: Sequence[str], cwd: Path, environment: Mapping[str, str], timeout: float = 300
) -> subprocess.CompletedProcess[str]:
    """Run `mlebench` with these arguments and this environment, in a fork where that makes no difference to it."""
    if not _can_fork(environment):
        command = [sys.executable, "-m", "mlebench", *arguments]
        return subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment, cwd=cwd,
            check=False, timeout=timeout,
        )  # fmt: skip
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err, Path(os.devnull).open() as empty:
        streams = [empty.fileno(), out.fileno(), err.fileno()]
        code = ask(_address(), arguments, str(cwd), environment, streams)
        for written in (out, err):
            written.seek(0)
        return subprocess.CompletedProcess([*arguments], code, out.read(), err.read())


def shell_command() -> str:
    """What stands for `mlebench` in a shell that has the environment of the tests."""
    if not _can_fork(os.environ):
        return shlex.join([sys.executable, "-m", "mlebench"])
    client = Path(__file__).with_name("command_client.py")
    return shlex.join([sys.executable, "-I", "-S", str(client), _address()])


def _can_fork(environment: Mapping[str, str]) -> bool:
    changed = {name for name in {*environment, *_AT_START} if environment.get(name) != _AT_START.get(name)}
    return not (_NEW_PROCESSES or any(name.startswith(_READ_EARLY) for name in changed))


@cache
def _address() -> str:
    """Where the server of this process listens; it ends with this process, whose end closes its standard input."""
    folder = tempfile.mkdtemp(prefix="mlebench-commands-")
    address = str(Path(folder, "socket"))
    server = subprocess.Popen(
        [sys.executable, __file__, address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=_AT_START
    )
    atexit.register(server.communicate)
    assert server.stdout is not None
    assert server.stdout.readline(), "The server of commands did not start."
    return address


def _serve(address: str) -> None:
    import mlebench
    from mlebench.base import processes

    for found in pkgutil.walk_packages(mlebench.__path__, "mlebench."):
        # What agents run in a sandbox is no part of a command; a command loads the competitions that it needs.
        if not found.name.startswith(("mlebench.agents.", "mlebench.competitions.")) and "__main__" not in found.name:
            importlib.import_module(found.name)
    for name in _IMPORTED_LATE:
        importlib.import_module(name)
    # Commands fork, too: each process among which one spreads its work would import pandas and all else once more.
    vars(processes)["get_context"] = lambda _: multiprocessing.get_context("fork")
    gc.collect()
    gc.freeze()  # or the collector of every child would touch all of it, and so copy it
    awake, woken = socket.socketpair()
    for end in (awake, woken):
        end.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(woken.fileno())
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(address)
    listening.listen(64)
    print("listening", flush=True)
    children: dict[int, socket.socket] = {}
    with selectors.DefaultSelector() as selector:
        for source in (listening, awake, sys.stdin):
            selector.register(source, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if sys.stdin in ready:  # its other end is closed: the tests are over
                Path(address).unlink()
                Path(address).parent.rmdir()
                return
            if awake in ready:
                awake.recv(4096)
                _answer_for_ended(children)
            if listening in ready:
                connection, _ = listening.accept()
                child = os.fork()
                if child == 0:
                    _become_command(connection)
                children[child] = connection


def _answer_for_ended(children: dict[int, socket.socket]) -> None:
    for child in list(children):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            with children.pop(child) as connection, suppress(OSError):  # perhaps nobody waits for it any more
                connection.sendall(struct.pack("!i", os.waitstatus_to_exitcode(status)))


def _become_command(connection: socket.socket) -> NoReturn:
    """Take over what a new process would have been given, and run the command to its end."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, _, _ = socket.recv_fds(connection, 4, 3)
    with connection, connection.makefile("rb") as reader:
        asked = json.loads(reader.read(struct.unpack("!I", size)[0]))
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(3, max(streams) + 16)
    os.umask(asked["umask"])
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["environment"])
    time.tzset()
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    sys.argv = ["mlebench", *asked["arguments"]]
    sys.path[0] = asked["cwd"]
    code = 0
    try:
        runpy.run_module("mlebench", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # as the interpreter does for what nobody caught
        sys.excepthook(*sys.exc_info())
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for text in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            text.flush()
    os._exit(code)


if __name__ == "__main__":
    _serve(sys.argv[1])
