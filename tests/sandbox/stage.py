"""What an attempt finds on the host: answers, somebody's files, another run, servers, a process to attack."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import mlebench
from mlebench.files.hostile import discard

SECRET = "the-answer-is-42"


@dataclass
class Stage:
    """One scene; `received` is what servers of the host have heard."""

    folder: Path
    victim: subprocess.Popen[bytes]
    abstract: str
    tcp_port: int
    udp_port: int
    is_control: bool
    below_programs: Path  # a folder of data and runs within what every sandbox shows
    private_key: Path  # among the settings of the machine, for root alone
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    received: list[bytes] = field(default_factory=list)
    ended: float | None = None  # when all attempts were over: what they may still do is waited for once

    @property
    def home(self) -> Path:
        return self.folder / "runs" / "this" / "home"

    @property
    def data(self) -> Path:
        return self.folder / "data" / "public"

    @property
    def answers(self) -> Path:
        return self.folder / "data" / "private" / "test.csv"

    @property
    def log(self) -> Path:
        return self.folder / "runs" / "this" / "agent.log"

    @property
    def other_run(self) -> Path:
        return self.folder / "runs" / "other"

    @property
    def precious(self) -> Path:
        """A file of the user."""
        return self.folder / "user" / "precious.txt"

    @property
    def shown_within(self) -> Path:
        """What may be read of a folder that is hidden otherwise."""
        return self.below_programs / "data" / "this" / "public"

    @property
    def hidden(self) -> tuple[Path, ...]:
        """What must not be read; one of the folders does not exist."""
        data = self.folder / "data"
        return (data, data / "raw", *(self.below_programs / name for name in ("data", "data/this/raw", "runs")))

    @property
    def patience(self) -> float:
        """Seconds to wait for what an attempt does: a control succeeds, and never takes as long as this."""
        return 120.0 if self.is_control else 2.0

    @property
    def longer(self) -> float:
        """Seconds that an attempt goes on after it has exceeded a budget, which a sandbox notices meanwhile."""
        return 1.0 if self.is_control else 120.0

    def variables(self) -> Mapping[str, str]:
        """The variables that an attempt gets."""
        return {
            "ANSWERS": str(self.answers),
            "PRECIOUS": str(self.precious),
            "OTHER": str(self.other_run),
            "LOG": str(self.log),
            "VICTIM": str(self.victim.pid),
            "ABSTRACT": self.abstract,
            "TCP_PORT": str(self.tcp_port),
            "UDP_PORT": str(self.udp_port),
            "MARK": self.mark,
            "SECRET": SECRET,
            "PATIENCE": str(self.patience),
            "LONGER": str(self.longer),
            "OTHER_COMPETITION": str(self.below_programs / "data" / "other"),
            "OTHER_GROUP": str(self.below_programs / "runs" / "other"),
            "SHOWN_WITHIN": str(self.shown_within),
            "PRIVATE_KEY": str(self.private_key),
            "PACKAGE": str(Path(mlebench.__file__).parents[1]),
        }


_VICTIM = (
    "import os, sys, time; f = open(sys.argv[1]); os.chdir(sys.argv[2]); print('ready', flush=True); time.sleep(600)"
)


@contextlib.contextmanager
def set_stage(*, is_control: bool = False) -> Iterator[Stage]:
    """Build the scene below a short path, for the sake of Unix sockets, and take it down."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="stage-", ignore_cleanup_errors=True)))
        for name in ("runs/this/home/data", "runs/other", "data/public", "data/private", "user"):
            (folder / name).mkdir(parents=True)
        (folder / "data/public/train.csv").write_text("public")
        (folder / "data/private/test.csv").write_text(SECRET)
        (folder / "user/precious.txt").write_text(SECRET)
        (folder / "runs/other/notes.txt").write_text(SECRET)
        stack.callback(discard, folder / "runs/this/home")
        below = _below_programs(folder)
        if below != folder:
            stack.callback(shutil.rmtree, below, ignore_errors=True)
        key = _private_key(folder)
        stack.callback(key.unlink, missing_ok=True)
        victim = subprocess.Popen(
            [sys.executable, "-c", _VICTIM, str(folder / "data/private/test.csv"), str(folder / "data/private")],
            env={**os.environ, "TOKEN": SECRET},
            stdout=subprocess.PIPE,
        )
        stack.callback(_end, victim)
        assert victim.stdout is not None
        victim.stdout.readline()
        abstract = f"mlebench-{uuid.uuid4().hex}"
        tcp, udp = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", 0))
        ports = tcp.getsockname()[1], udp.getsockname()[1]
        stage = Stage(folder, victim, abstract, *ports, is_control, below, key)
        named, hidden = socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX)
        named.bind(str(folder / "runs/other/server.sock"))
        named.listen()
        if sys.platform.startswith("linux"):
            hidden.bind("\0" + abstract)
            hidden.listen()
        closed = threading.Event()
        tasks = [
            *(threading.Thread(target=_answer, args=(server, closed)) for server in (tcp, named, hidden)),
            threading.Thread(target=_hear, args=(udp, stage, closed)),
            threading.Thread(target=_visit, args=(stage, closed)),
        ]
        for server in (tcp, named, hidden, udp):
            server.settimeout(0.02)
            stack.callback(server.close)
        for task in tasks:
            task.start()
            stack.callback(task.join)
        stack.callback(closed.set)
        yield stage


def _below_programs(folder: Path) -> Path:
    """Data and runs where this Python is, as in an environment that somebody made in the folder of a project."""
    try:
        below = Path(tempfile.mkdtemp(prefix="mlebench-test-", dir=sys.prefix))
    except OSError:  # it is not ours
        below = folder
    for name in ("data/other/private", "data/this/public", "data/this/private", "runs/other/submission"):
        (below / name).mkdir(parents=True)
        (below / name / "file.csv").write_text(SECRET)
    return below


def _private_key(folder: Path) -> Path:
    """A key among certificates, as root has them; in the stage's own folder where the tests are not run by root."""
    parent = Path("/etc/ssl")
    is_possible = os.getuid() == 0 and parent.is_dir()
    key = (parent if is_possible else folder) / f"mlebench-test-{uuid.uuid4().hex}.key"
    key.touch(mode=0o600)
    key.write_text(SECRET)
    return key


def _answer(server: socket.socket, closed: threading.Event) -> None:
    while not closed.is_set():
        with contextlib.suppress(OSError):
            client, _ = server.accept()
            with client:
                client.sendall(SECRET.encode())


def _hear(server: socket.socket, stage: Stage, closed: threading.Event) -> None:
    while not closed.is_set():
        with contextlib.suppress(OSError):
            stage.received.append(server.recv(1000))


def _visit(stage: Stage, closed: threading.Event) -> None:
    """Connect to the port of the host that an attempt says it listens on."""
    while not closed.wait(0.05):
        with contextlib.suppress(OSError, ValueError, StopIteration):
            port_file = next(path for path in (stage.home / "port", *stage.home.glob("*/port")) if path.is_file())
            port = int(port_file.read_text())
            with socket.create_connection(("127.0.0.1", port), stage.patience) as visit:
                if visit.recv(100) == stage.mark.encode():  # and not somebody else who has the same port
                    stage.received.append(b"visited")
                    return


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
