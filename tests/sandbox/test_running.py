"""A command in each sandbox: what it sees, how it ends, what is measured, and that nothing is left."""

from __future__ import annotations

import ast
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from sandbox.running import run
from waiting import wait_for

from mlebench.sandbox import SANDBOXES, Ending, Job, Limits, Promise, Sandbox, SandboxError, supervise, tree
from mlebench.sandbox.budget import Budget
from mlebench.sandbox.leftovers import MARK, end_processes
from mlebench.sandbox.tree import TreeMeter

RunPython = Callable[..., tuple[Ending, str]]


def processes_with(mark: str) -> list[int]:
    """The processes that carry the mark of a run."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


def kill_wardens(keeper: int, *, both: bool = True) -> None:
    """Kill the warden below a keeper and, unless it is to act, the keeper first."""
    warden = psutil.Process(keeper).children()[0]
    if both:
        psutil.Process(keeper).suspend()
        warden.suspend()  # else it would act on the end of its keeper
        psutil.Process(keeper).kill()
    warden.kill()


def is_alive(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def test_it_sees_its_data_and_keeps_its_home(sandbox: Sandbox, job: Job, run_python: RunPython) -> None:
    data, home = sandbox.data_inside(job), sandbox.home_inside(job)
    read = f"open({data!r} + '/train.csv').read()"
    code = f"import os, tempfile; tempfile.mkdtemp(); open('out', 'w').write({read} + os.getcwd())"
    ending, log = run_python(code)
    assert ending.exit_code == 0, log
    assert ending.reason == "exit"
    assert (job.home / "out").read_text() == "public" + home
    assert {path.name for path in job.home.iterdir()} == {"data", "out"}  # what was made for the run is gone


@pytest.mark.parametrize(
    ("code", "expected"), [("raise SystemExit(3)", 3), ("import os; os.kill(os.getpid(), 9)", 137)]
)
def test_exit_codes(run_python: RunPython, code: str, expected: int) -> None:
    assert run_python(code)[0].exit_code == expected


def test_a_command_that_is_not_there(sandbox: Sandbox, job: Job) -> None:
    try:
        ending = run(sandbox, replace(job, command=["no-such-program"]))
    except SandboxError as error:
        assert "no-such-program" in str(error)
    else:  # found out inside
        assert ending.exit_code in (1, 127)
        assert "no-such-program" in job.log.read_text()


def test_it_gets_its_variables_and_no_others(run_python: RunPython, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAGGLE_KEY", "a-secret-key")
    _, log = run_python("import os; print(dict(os.environ))", environment={"SEED": "7", "TEXT": "two\nlines"})
    assert "a-secret-key" not in log
    assert "'SEED': '7'" in log
    assert "'TEXT': 'two\\nlines'" in log


def test_secrets_are_masked_even_in_pieces(run_python: RunPython, job: Job) -> None:
    code = "import os, time; os.write(1, b'key hunt'); time.sleep(0.3); os.write(1, b'er22 and hunter2, hunt')"
    _, log = run_python(code, secrets=["hunter2"])
    assert log == "key ***2 and ***, hunt"
    assert job.log.stat().st_mode & 0o077 == 0


def test_output_of_any_kind_is_kept(run_python: RunPython, job: Job) -> None:
    run_python(
        "import os, time; os.write(1, bytes(range(256)) + b'x' * 3_000_000); time.sleep(0.5); os.write(2, b'end')"
    )
    assert job.log.read_bytes() == bytes(range(256)) + b"x" * 3_000_000 + b"end"


def test_too_much_output_ends_it_and_the_log_stays_small(run_python: RunPython, job: Job) -> None:
    code = "import sys\nwhile True: sys.stdout.write('x' * 1000000)"
    ending, _ = run_python(code, limits=Limits(output_bytes=3_000_000))
    assert ending.reason == "output"
    assert job.log.stat().st_size == 3_000_000


def test_the_time_limit_is_kept(run_python: RunPython) -> None:
    """How exactly, benchmarks/sandbox measures."""
    ending, _ = run_python("import time; time.sleep(600)", limits=Limits(seconds=1.5))
    assert ending.reason == "timeout"
    assert 1.5 <= ending.usage.seconds < 60


def test_there_is_time_to_save(sandbox: Sandbox, job: Job) -> None:
    """SIGTERM reaches the program that a shell waits for, and the shell goes on after it."""
    program = """
import signal, sys, time
def save(*_):
    time.sleep(0.3)
    open('saved', 'w').write('x')
    sys.exit(0)
signal.signal(signal.SIGTERM, save)
open('ready', 'w').write('x')
time.sleep(600)
"""
    (job.home / "program.py").write_text(program)
    command = ["bash", "-c", "python3 program.py; echo done > after"]
    running = sandbox.start(replace(job, command=command))
    try:
        wait_for((job.home / "ready").exists, job.log.read_text)
        running.stop(grace=60)
    finally:
        running.close()
    assert (job.home / "saved").exists()
    assert (job.home / "after").exists()


def test_a_stopped_command_need_not_wait_for_its_end(sandbox: Sandbox, job: Job) -> None:
    """It has stopped itself and the shell that waits for it: SIGTERM is heard all the same."""
    program = "import os, signal; open('ready', 'w').close(); os.kill(os.getppid(), 19); os.kill(os.getpid(), 19)"
    (job.home / "program.py").write_text(program)
    running = sandbox.start(replace(job, command=["bash", "-c", "python3 program.py; echo done > after"]))
    try:
        wait_for((job.home / "ready").exists, job.log.read_text)
        time.sleep(0.2)  # until it has stopped; one that has not hears SIGTERM anyway
        began = time.monotonic()
        running.stop(grace=300)
        assert time.monotonic() - began < 120
    finally:
        running.close()
    assert (job.home / "after").exists()


def test_it_can_be_cancelled(sandbox: Sandbox, job: Job) -> None:
    running = sandbox.start(replace(job, command=["sleep", "600"]))
    try:
        ending = supervise(running, job.limits, should_stop=lambda: True, grace=1)
    finally:
        running.close()
    assert ending.reason == "cancelled"
    assert ending.usage.seconds < 120


def test_closing_ends_it(sandbox: Sandbox, job: Job) -> None:
    running = sandbox.start(replace(job, command=["bash", "-c", "touch ready; sleep 600"]))
    wait_for((job.home / "ready").exists, job.log.read_text)
    mark = running.identity["mark"]
    running.close()
    assert running.poll() is not None
    assert not processes_with(mark)
    assert not sandbox.end_orphan(running.identity)


_ORCHESTRATOR = """
import json, sys, time
from pathlib import Path
from mlebench.sandbox import SANDBOXES, Job
folder = Path(sys.argv[2])
command = ["bash", "-c", "(setsid sleep 600 &) ; touch ready; sleep 600"]
running = SANDBOXES[sys.argv[1]].start(Job(command, folder / "home", folder / "data", folder / "agent.log"))
print(json.dumps(dict(running.identity)), flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("warden_dies_too", [False, True])
def test_nothing_survives_a_killed_orchestrator(sandbox: Sandbox, job: Job, warden_dies_too: bool) -> None:
    orchestrator = subprocess.Popen(
        [sys.executable, "-c", _ORCHESTRATOR, sandbox.name, str(job.home.parent)], stdout=subprocess.PIPE
    )
    assert orchestrator.stdout is not None
    identity = json.loads(orchestrator.stdout.readline())
    wait_for((job.home / "ready").exists, job.log.read_text)
    orchestrator.send_signal(signal.SIGSTOP)
    if warden_dies_too:
        kill_wardens(int(identity["pid"]))
    orchestrator.kill()
    orchestrator.wait()
    orchestrator.stdout.close()
    if not warden_dies_too:
        wait_for(lambda: not (job.home / "tmp").exists())
        wait_for(lambda: not list(Path("/sys/fs/cgroup").glob(f"*/mlebench-{identity['mark']}")))
    if warden_dies_too and sandbox.name != "bubblewrap":  # whose processes end with their parent
        assert sandbox.end_orphan(identity)
    wait_for(lambda: not processes_with(identity["mark"]), lambda: processes_with(identity["mark"]))
    wait_for(lambda: not is_alive(int(identity["pid"])))
    if "container" in identity:
        known = ["docker", "ps", "-aq", "--no-trunc"]
        wait_for(lambda: identity["container"] not in subprocess.check_output(known, text=True))
    assert not sandbox.end_orphan(identity)


def test_what_it_used_is_measured(run_python: RunPython) -> None:
    code = """
import os, time
block = bytearray(b'x') * (80 << 20)
ready, done = os.pipe(), os.pipe()
for _ in range(2):
    if os.fork() == 0:
        own = bytearray(b'y') * (60 << 20)
        os.write(ready[1], b'.')
        os.read(done[0], 1)
        os._exit(0)
end = time.process_time() + 0.5
while time.process_time() < end: pass
for _ in range(2): os.read(ready[0], 1)
time.sleep(2)  # all of it is there at the same time, for longer than it takes to measure twice
os.write(done[1], b'..')
for _ in range(2): os.wait()
"""
    ending, log = run_python(code)
    usage = ending.usage
    assert ending.exit_code == 0, log
    expected = 200 << 20
    assert usage.peak_memory_bytes is not None
    assert usage.cpu_seconds is not None
    assert expected < usage.peak_memory_bytes < 1.25 * expected  # the interpreters take some, too
    assert 0.4 < usage.cpu_seconds < 10
    assert usage.seconds > 2


def test_a_process_that_ends_while_its_tree_is_measured_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    child, other = (subprocess.Popen(["sleep", "60"]) for _ in range(2))
    meter = TreeMeter(os.getpid())
    measure = tree._without_doubles
    claimed = 1 << 40  # more than this machine has

    def measure_late(resident: dict[int, int], extra: int, budget: Budget) -> int:
        child.kill()
        child.wait()
        return measure({**resident, child.pid: claimed}, extra, budget)

    monkeypatch.setattr(tree, "_without_doubles", measure_late)
    meter.measure()
    other.kill()
    other.wait()
    assert child.poll() is not None
    assert 0 < meter.peak_memory < claimed


def test_a_clock_that_is_set_saves_no_process() -> None:
    """A process is known by its start, which depends on a clock; another one with the same number is not ended."""
    process = subprocess.Popen(["sleep", "600"])
    try:
        started = psutil.Process(process.pid).create_time()
        assert not end_processes({process.pid: started - 3600})
        assert process.poll() is None
        assert end_processes({process.pid: started + 1})
        assert process.wait(60) == -signal.SIGKILL
    finally:
        process.kill()
        process.wait()


def test_servers_are_reached_at_localhost(sandbox: Sandbox, job: Job) -> None:
    import socketserver

    class Echo(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(self.rfile.readline() * 20_000)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.sock"
        server: socketserver.BaseServer
        servers: dict[int, Path | None]
        if sandbox.has_own_network(job):
            server, servers = socketserver.ThreadingUnixStreamServer(str(path), Echo), {5000: path}
        else:
            tcp = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Echo)
            server, servers = tcp, {tcp.server_address[1]: None}
        with server:
            threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
            code = f"""
import socket
for n in range(3):
    with socket.create_connection(('127.0.0.1', {next(iter(servers))}), 60) as s:
        s.sendall(b'hello\\n')
        s.shutdown(socket.SHUT_WR)
        print(len(b''.join(iter(lambda: s.recv(65536), b''))))
"""
            ending = run(sandbox, replace(job, command=["python3", "-c", code], servers=servers))
            server.shutdown()
    assert job.log.read_text().split() == ["120000"] * 3, job.log.read_text()
    assert ending.exit_code == 0


HOSTILE = ("argparse.py", "json.py", "ctypes.py", "resource.py", "landlock.py", "sitecustomize.py", "usercustomize.py")


def test_nothing_of_the_agents_folder_runs_before_it_is_confined(sandbox: Sandbox, job: Job, tmp_path: Path) -> None:
    """Modules that an earlier run left in its folder are not those that confine the next one."""
    outside = tmp_path / "escaped"
    for name in HOSTILE:
        (job.home / name).write_text(f"open({str(outside)!r}, 'w').write('x')")
    control = subprocess.run([sys.executable, "-c", "import argparse"], cwd=job.home, check=False)
    assert control.returncode == 0
    assert outside.exists()
    outside.unlink()
    environment = {"PYTHONPATH": sandbox.home_inside(job), "PYTHONSTARTUP": "argparse.py"}
    run(sandbox, replace(job, command=["python3", "-c", "import argparse"], environment=environment))
    assert not outside.exists()


def test_no_variable_of_an_agent_is_heeded_before_it_is_confined(sandbox: Sandbox, job: Job, tmp_path: Path) -> None:
    """What loads a program writes a file if a variable says so; another variable leads docker to another engine."""
    (tmp_path / "outside").mkdir()
    hostile = {"LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(tmp_path / "outside" / "escaped")}
    if not sys.platform.startswith("linux"):
        pytest.skip("another system has other variables")
    subprocess.run(["/bin/true"], env=hostile, check=True)
    assert list((tmp_path / "outside").iterdir()), "the control"
    for path in (tmp_path / "outside").iterdir():
        path.unlink()
    environment = {**hostile, "DOCKER_HOST": "unix:///nowhere"}
    show = ["python3", "-c", "import os; print(os.environ['LD_DEBUG'], os.environ['DOCKER_HOST'])"]
    ending = run(sandbox, replace(job, command=show, environment=environment))
    assert ending.exit_code == 0
    assert "libs unix:///nowhere" in job.log.read_text()
    assert not list((tmp_path / "outside").iterdir())


def test_values_of_variables_arrive_as_they_are_and_are_in_no_command_line(
    sandbox: Sandbox, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "ours")
    values = {
        "KEY": "s3cret-of-the-agent",
        "LINES": "one\ntwo\r\n",
        "BLANKS": "  a = #b 'c' \"d\" ",
        "EMPTY": "",
        "É": "é",
    }
    code = f"import os, time; print({{name: os.environ[name] for name in {list(values)}}}, flush=True); time.sleep(60)"
    running = sandbox.start(replace(job, command=["python3", "-c", code], environment=values))
    try:
        wait_for(lambda: "}" in (job.log.read_text() if job.log.exists() else ""))
        assert ast.literal_eval(job.log.read_text()) == values
        shown = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
        assert not [line for line in shown if any("s3cret-of-the-agent" in part for part in line)]
    finally:
        running.close()


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of system calls are those of x86_64")
def test_keys_of_the_user_stay_with_the_user(run_python: RunPython) -> None:
    """The kernel keeps keys for a session, which all that is started in it inherits."""
    add_key, keyctl, join_new, search, of_the_session = 248, 250, 1, 10, -3
    libc = ctypes.CDLL(None)
    call = f"syscall({keyctl}, {search}, {of_the_session}, b'user', b'mine', 0)"
    search_code = f"import ctypes; print(ctypes.CDLL(None).{call} > 0)"
    libc.syscall(keyctl, join_new, None)
    if libc.syscall(add_key, b"user", b"mine", b"secret", 6, of_the_session) < 0:
        pytest.skip("this kernel keeps no keys")
    control = subprocess.run([sys.executable, "-c", search_code], capture_output=True, text=True, check=True)
    assert control.stdout == "True\n"
    _, log = run_python(search_code)
    assert log == "False\n"


def test_one_runs_mess_is_no_other_runs_failure(sandbox: Sandbox, job: Job) -> None:
    """A folder that nobody may enter, a name that is taken, a link in the place of the scratch folder."""
    mess = "import os; os.mkdir('dark'); open('dark/x', 'w').close(); os.chmod('dark', 0); os.chmod('.', 0)"
    for _ in range(2):
        run(sandbox, replace(job, command=["python3", "-c", mess]))
        job.home.chmod(0o700)
        (job.home / "dark").chmod(0o700)
        (job.home / "dark" / "x").unlink(missing_ok=True)
        (job.home / "dark").rmdir()


def test_a_link_that_an_earlier_run_left_leads_nowhere(sandbox: Sandbox, job: Job, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir(mode=0o777)
    (job.home / "tmp").symlink_to(outside)
    code = "import os; open(os.environ['TMPDIR'] + '/x', 'w').write('x')"
    ending = run(sandbox, replace(job, command=["python3", "-c", code]))
    assert ending.exit_code == 0, job.log.read_text()
    assert not list(outside.iterdir())


def test_a_fork_bomb_does_not_go_off(sandbox: Sandbox, job: Job) -> None:
    """Unconfined it takes the machine: it has no control, and ends by itself after two seconds.

    Those that may not fork wait a little, or they would leave no time to count them.
    """
    code = """
import os, time
end = time.time() + 2
while time.time() < end:
    try: os.fork()
    except OSError: time.sleep(0.05)
"""
    job = replace(job, command=["python3", "-c", code], limits=Limits(processes=100))
    if Promise.PROCESSES_LIMITED not in sandbox.promises(job):
        pytest.skip("not promised")
    seen: list[int] = []
    running = sandbox.start(job)
    try:
        ending = supervise(running, job.limits, grace=1, on_sample=lambda usage: seen.append(usage.processes or 0))
    finally:
        running.close()
    assert max(seen) <= 102  # with the processes of the sandbox itself
    assert ending.usage.seconds < 120


_SHOW_VERSION = {
    "bash": "--version",
    "java": "-version",
    "julia": "--version",
    "node": "--version",
    "perl": "-v",
    "R": "--version",
}


@pytest.mark.parametrize("program", [name for name in _SHOW_VERSION if shutil.which(name)])
def test_programs_of_the_machine_find_their_settings(sandbox: Sandbox, job: Job, program: str) -> None:
    if sandbox.name == "docker":
        pytest.skip("a container has programs of its own")
    ending = run(sandbox, replace(job, command=[program, _SHOW_VERSION[program]]))
    assert ending.exit_code == 0, job.log.read_text()


@pytest.mark.skipif(os.getuid() != 0, reason="only root has agents run as somebody else")
def test_data_that_only_root_can_read_is_refused_in_a_container(job: Job) -> None:
    docker = SANDBOXES["docker"]
    if not docker.availability().works:
        pytest.skip(docker.availability().why)
    (job.data / "train.csv").write_text("id")
    (job.data / "train.csv").chmod(0o600)
    with pytest.raises(SandboxError, match=r"others may not read .*train\.csv\. Run: chmod -R a\+rX "):
        docker.start(job)
