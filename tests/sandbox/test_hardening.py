"""What agents have tried against the machinery itself: its measuring, its warden, its forwarder, its files."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import psutil
import pytest
from sandbox.running import run
from sandbox.test_running import RunPython, kill_wardens, processes_with
from waiting import PATIENCE, wait_for

from mlebench.files.hostile import discard
from mlebench.sandbox import Attempt, Job, Limits, ProcessSandbox, Promise, Running, Sandbox, Usage, supervise
from mlebench.sandbox.budget import Budget, OverBudgetError
from mlebench.sandbox.disk import DiskMeter, size_on_disk
from mlebench.sandbox.supervise import exceeded
from mlebench.sandbox.tree import HeldFiles

linux_only = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="this is about Linux")


class HardToMeasure:
    """A command that is under way, and whose use takes until `answer` to measure."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self.answer = threading.Event()

    @property
    def identity(self) -> Mapping[str, str]:
        return self._running.identity

    @property
    def attempts_seen_by(self) -> str:
        return self._running.attempts_seen_by

    def poll(self) -> int | None:
        return self._running.poll()

    def wait(self, seconds: float) -> int | None:
        return self._running.wait(seconds)

    def usage(self) -> Usage:
        self.answer.wait(PATIENCE)
        return self._running.usage()

    def stop(self, grace: float) -> None:
        self._running.stop(grace)
        self.answer.set()

    def attempts(self) -> Sequence[Attempt]:
        return self._running.attempts()

    def close(self) -> None:
        self._running.close()


@pytest.mark.parametrize("reason", ["timeout", "cancelled"])
def test_neither_time_nor_interrupts_wait_for_measuring(sandbox: Sandbox, job: Job, reason: str) -> None:
    running = HardToMeasure(sandbox.start(replace(job, command=["sleep", "600"])))
    limits = Limits(seconds=1.0 if reason == "timeout" else 600.0)
    try:
        ending = supervise(running, limits, should_stop=lambda: reason == "cancelled", grace=1)
    finally:
        running.close()
    assert ending.reason == reason
    assert ending.usage.seconds < PATIENCE / 2


def test_the_time_limit_needs_no_orchestrator(sandbox: Sandbox, job: Job) -> None:
    """It may be busy, or stopped: the warden knows the limit, too."""
    running = sandbox.start(replace(job, command=["sleep", "600"], limits=Limits(seconds=0.5)))
    try:
        assert running.wait(PATIENCE) is not None
        usage = running.usage()
    finally:
        running.close()
    assert usage.out_of_time
    assert exceeded(usage, job.limits, ended=True) == "timeout"


def test_what_cannot_be_measured_counts_as_too_much() -> None:
    for budget in ("memory", "disk"):
        usage = Usage(1.0, memory_bytes=1, disk_bytes=1, unfinished=(budget,))
        assert exceeded(usage, Limits(memory_bytes=100, disk_bytes=100)) == budget
        assert exceeded(usage, Limits(memory_bytes=None, disk_bytes=None)) is None


def test_a_look_at_a_folder_ends(tmp_path: Path) -> None:
    """By the number of entries, by time, and by depth; what was seen by then is known."""
    for number in range(50):
        (tmp_path / str(number)).write_bytes(bytes(4096))
    seen: list[int] = []
    assert size_on_disk(tmp_path, Budget(60), seen.append) >= 50 * 4096
    for budget in (Budget(60, entries=20), Budget(-1)):
        with pytest.raises(OverBudgetError):
            size_on_disk(tmp_path, budget, seen.append)


@linux_only
def test_nested_folders_are_measured_in_linear_time() -> None:
    """They took a third of a millisecond each, since every path began far above; here they are in memory."""
    home = Path(tempfile.mkdtemp(dir="/dev/shm"))
    try:
        subprocess.run([sys.executable, "-c", _NEST, str(home), "15000"], check=True)
        began = time.process_time()
        assert size_on_disk(home, Budget(PATIENCE)) >= 15_000 * 512
        assert time.process_time() - began < 3
        meter = DiskMeter(home)
        meter.measure(fresh=True)
        assert not meter.unfinished
    finally:
        discard(home)


_NEST = """
import os, sys
os.chdir(sys.argv[1])
for _ in range(int(sys.argv[2])):
    os.mkdir('x')
    os.chdir('x')
"""


def test_a_folder_that_is_moved_ahead_of_whoever_measures_counts_once(tmp_path: Path) -> None:
    """It is moved into a folder that waits to be measured, each time after it was measured."""
    names = [f"{number:02d}" for number in range(40)]
    for name in names:
        (tmp_path / "home" / name).mkdir(parents=True)
    (tmp_path / "home" / "big").mkdir()
    for number in range(100):
        (tmp_path / "home" / "big" / str(number)).write_bytes(bytes(4096))
    moves = 0

    def move(_: int) -> None:
        nonlocal moves
        moves += 1
        big = next((tmp_path / "home").glob("**/big"))
        big.rename(tmp_path / "home" / names[moves % len(names)] / "big")

    size = size_on_disk(tmp_path / "home", Budget(60), move)
    assert moves <= len(names) + 2
    assert size < 2 * 100 * (4096 + 512) + 50 * (4096 + 512)


@linux_only
def test_a_look_at_open_files_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlebench.sandbox.tree._MOST_DESCRIPTORS", 2)
    held = HeldFiles()
    held.measure(lambda: [os.getpid()])
    assert held.unfinished


# A tree of processes without the variables of the run, in sessions of their own, that ignore what can be ignored.
_STUBBORN = """
import os, signal, sys, time
for n in range(50):
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            code = "import signal, time; signal.signal(15, signal.SIG_IGN); print('.', flush=True); time.sleep(600)"
            os.execve(sys.executable, [sys.executable, '-S', '-E', '-c', code], {})
        os._exit(0)
time.sleep(600)
"""


@linux_only
@pytest.mark.parametrize("both", [False, True], ids=["the warden", "the warden and its keeper"])
def test_nothing_survives_a_killed_warden(sandbox: Sandbox, job: Job, both: bool) -> None:
    if Promise.NOTHING_SURVIVES not in sandbox.promises(job):
        pytest.skip("not promised")
    running = sandbox.start(replace(job, command=["python3", "-c", _STUBBORN]))
    try:
        wait_for(lambda: job.log.exists() and job.log.read_text().count(".") == 50, job.log.read_text)
        running.usage()
        keeper = int(running.identity["pid"])
        below = [child.pid for child in psutil.Process(keeper).children(recursive=True)]
        kill_wardens(keeper, both=both)
        code = running.wait(PATIENCE)
    finally:
        running.close()
    assert code == 137
    wait_for(lambda: not [pid for pid in below if _is_alive(pid)])
    assert not processes_with(running.identity["mark"])
    if "container" in running.identity:
        known = subprocess.check_output(["docker", "ps", "-aq", "--no-trunc"], text=True)
        assert running.identity["container"] not in known


def _is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def test_a_killed_keeper_ends_its_run(job: Job) -> None:
    """The warden hears of it, and says how the command has ended."""
    running = ProcessSandbox().start(replace(job, command=["sleep", "600"]))
    try:
        psutil.Process(int(running.identity["pid"])).kill()
        assert running.wait(PATIENCE) is not None
    finally:
        running.close()
    assert not processes_with(running.identity["mark"])


@linux_only
def test_a_command_does_with_its_own_processes_what_it_likes(run_python: RunPython) -> None:
    """Priorities, processors and limits of its own processes and threads, and sockets between them."""
    code = """
import multiprocessing, os, resource, socket, subprocess, sys, threading
from multiprocessing.connection import Client, Listener
child = subprocess.Popen([sys.executable, '-c', 'input()'], stdin=subprocess.PIPE)
everywhere = os.sched_getaffinity(0)
for pid in (0, os.getpid(), child.pid, threading.get_native_id()):
    os.sched_setaffinity(pid, {min(everywhere)})
    os.sched_setaffinity(pid, everywhere)
    os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))
    os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid) + 1)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (200, 200))
thread = threading.Thread(target=lambda: os.sched_setaffinity(threading.get_native_id(), everywhere))
thread.start(); thread.join()
child.communicate(b'\\n')
with Listener('s', 'AF_UNIX') as listener, Client('s', 'AF_UNIX') as client, listener.accept() as served:
    client.send('hello')
    assert served.recv() == 'hello'
one, other = socket.socketpair()
print('done', multiprocessing.Pool(2).map(abs, [-1, -2]))
"""
    ending, log = run_python(code)
    assert "done [1, 2]" in log, log
    assert ending.exit_code == 0


@linux_only
def test_priorities_of_all_processes_of_a_user_stay(job: Job) -> None:
    """Which has no control: unconfined it would change those of everybody who works here."""
    sandbox = ProcessSandbox()
    if Promise.NO_PRIORITIES not in sandbox.promises(job):
        pytest.skip("not promised")
    code = """
import ctypes, os
for call in (lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19), lambda: os.setpriority(os.PRIO_USER, 0, 19)):
    try: call()
    except PermissionError: print('refused')
"""
    run(sandbox, replace(job, command=["python3", "-c", code]))
    assert job.log.read_text().split() == ["refused"] * 2


@contextlib.contextmanager
def another_machine() -> Iterator[tuple[str, int]]:
    """A network namespace with a server, on the other end of a cable; its address and port."""
    if os.getuid() != 0 or not all(map(shutil.which, ("ip", "nsenter", "unshare"))):
        pytest.skip("only root can make another machine, with ip, nsenter and unshare")
    holder = subprocess.Popen(["unshare", "--net", sys.executable, "-c", "print('x', flush=True); input()"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)  # fmt: skip
    assert holder.stdout is not None
    holder.stdout.readline()
    name, inside = f"mle{holder.pid % 100000}", ["nsenter", "--net", "--target", str(holder.pid)]
    address = f"198.18.{holder.pid % 250}."
    serve = "import socket; s = socket.create_server(('0.0.0.0', 0)); print(s.getsockname()[1], flush=True)\n"
    serve += "while True: s.accept()[0].sendall(b'reached')"
    server = None
    try:
        made = subprocess.run(["ip", "link", "add", name, "type", "veth", "peer", "name", "there", "netns",
                               str(holder.pid)], capture_output=True, check=False)  # fmt: skip
        if made.returncode != 0:
            pytest.skip(f"no cable can be made here: {made.stderr.decode().strip()}")
        for command in (
            ["ip", "addr", "add", address + "1/30", "dev", name],
            ["ip", "link", "set", name, "up"],
            [*inside, "ip", "addr", "add", address + "2/30", "dev", "there"],
            [*inside, "ip", "link", "set", "there", "up"],
        ):
            subprocess.run(command, check=True)
        server = subprocess.Popen([*inside, sys.executable, "-c", serve], stdout=subprocess.PIPE)
        assert server.stdout is not None
        yield address + "2", int(server.stdout.readline())
    finally:
        for process in (server, holder):
            if process is not None:
                process.kill()
                process.communicate()


def test_a_granted_port_does_not_lead_to_other_machines(job: Job) -> None:
    """Landlock knows ports only: the port of a server of the run was open towards every address."""
    sandbox = ProcessSandbox()
    if Promise.NO_TCP not in sandbox.promises(job):
        pytest.skip("not promised")
    with another_machine() as (address, port), socket.create_server(("127.0.0.1", port)) as own:
        code = f"import socket; print(socket.create_connection(({address!r}, {port}), 3).recv(100))"
        control = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert "reached" in control.stdout
        run(sandbox, replace(job, command=["python3", "-c", code], servers={port: None}))
        assert "reached" not in job.log.read_text()
        threading.Thread(target=lambda: own.accept()[0].sendall(b"own"), daemon=True).start()
        code = f"import socket; print(socket.create_connection(('127.0.0.1', {port}), 30).recv(100))"
        run(sandbox, replace(job, command=["python3", "-c", code], servers={port: None}))
        assert "own" in job.log.read_text()


_MANY = """
import socket
connections = [socket.create_connection(('127.0.0.1', 5000), 120) for _ in range(700)]
for n, connection in enumerate(connections):
    connection.sendall(b'%d\\n' % n)
for n, connection in enumerate(connections):
    assert connection.recv(100) == b'%d\\n' % n, n
for connection in connections: connection.close()
for n in range(20):
    with socket.create_connection(('127.0.0.1', 5000), 120) as s:
        s.sendall(b'x' * 100_000 + b'\\n')
        received = b''
        while not received.endswith(b'\\n'): received += s.recv(1 << 16)
        assert len(received) == 100_001
print('served')
"""


def test_any_number_of_connections_is_carried(sandbox: Sandbox, job: Job) -> None:
    """More than `select` can watch, and more than the server takes at a time, which takes its time."""
    if not sandbox.has_own_network(job):
        pytest.skip("it shares the network of the host")
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as server:
        path = Path(folder) / "s"
        server.bind(str(path))
        server.listen(32)
        path.chmod(0o666)
        threading.Thread(target=_echo, args=(server,), daemon=True).start()
        ending = run(sandbox, replace(job, command=["python3", "-c", _MANY], servers={5000: path}))
        server.shutdown(socket.SHUT_RDWR)
    assert ending.exit_code == 0, job.log.read_text()
    assert job.log.read_text() == "served\n"


def _echo(server: socket.socket) -> None:
    """Send back what comes, in one thread."""
    import selectors

    with selectors.DefaultSelector() as selector:
        selector.register(server, selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                assert isinstance(key.fileobj, socket.socket)
                try:
                    if key.fileobj is server:
                        selector.register(server.accept()[0], selectors.EVENT_READ)
                    elif data := key.fileobj.recv(1 << 16):
                        key.fileobj.sendall(data)
                    else:
                        selector.unregister(key.fileobj)
                        key.fileobj.close()
                except OSError:
                    return


@pytest.mark.skipif(os.getuid() != 0, reason="only root has agents run as somebody else")
def test_in_a_container_of_root_a_home_belongs_to_no_user_of_the_host(sandbox: Sandbox, job: Job) -> None:
    if sandbox.name != "docker":
        pytest.skip("this is about containers")
    code = "import getpass, os, pwd; print(pwd.getpwuid(os.getuid()).pw_name); open('made', 'w'); input()"
    running = sandbox.start(replace(job, command=["python3", "-c", code + "; import time; time.sleep(600)"]))
    try:
        wait_for((job.home / "made").exists, job.log.read_text)
        for path in (job.home, job.home / "made"):
            with pytest.raises(KeyError):
                pwd.getpwuid(path.stat().st_uid)
    finally:
        running.close()
    assert "agent" in job.log.read_text().splitlines()  # before or behind what the other output says


def test_what_is_hidden_need_not_exist(sandbox: Sandbox, job: Job) -> None:
    """Below what is shown, too, where nothing can be put in its place."""
    hidden = [job.data.parent / "raw", Path(sys.prefix) / "no-such-data", Path("/usr/no-such-data/raw")]
    ending = run(sandbox, replace(job, command=["python3", "-c", "print('fine')"], hidden=hidden))
    assert (ending.exit_code, job.log.read_text()) == (0, "fine\n")


class SlowToMeasure:
    """A command that runs until it is stopped, and takes a second to be measured."""

    identity: ClassVar[dict[str, str]] = {}
    attempts_seen_by = "nothing"

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._code: int | None = None
        self.seconds = 0.0

    def poll(self) -> int | None:
        return self._code

    def wait(self, seconds: float) -> int | None:
        time.sleep(seconds)
        return self._code

    def usage(self) -> Usage:
        time.sleep(1.0)
        return Usage(time.monotonic() - self._began)

    def stop(self, grace: float) -> None:
        self.seconds, self._code = time.monotonic() - self._began, 143

    def attempts(self) -> list[Attempt]:
        return []

    def close(self) -> None:
        pass


def test_slow_measuring_takes_no_time_from_a_command() -> None:
    running = SlowToMeasure()
    assert supervise(running, Limits(seconds=2.5)).reason == "timeout"
    assert running.seconds >= 2.5
