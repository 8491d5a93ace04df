"""The warden of one run: a small process between the orchestrator and the command it runs.

    python -I -S warden.py < specification

It starts the command, confined as the specification says, writes what it prints to the log, and ends with it: when the
command ends, when its time is over, when it is asked to stop, or when the orchestrator is gone for any reason, it ends
every process that the command started. It inherits those whose parents have died, so none gets away. Above it stays a
keeper: should the warden itself be killed, the keeper inherits all of them and ends them. Both are this program, run by
its path, which loads the modules beside it by theirs. They need only the standard library; nothing that an agent can
write is on their path.

Standard input brings one line of JSON (see `start.py`), then lines `stop SECONDS`; its end means that the orchestrator
is gone. Standard output carries one JSON object per line: what was started, that the output is full, how it ended.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import TYPE_CHECKING, Any

_LINUX = sys.platform.startswith("linux")
_SET_CHILD_SUBREAPER, _SET_PARENT_DEATH_SIGNAL = 36, 1  # prctl
_SHELLS = {"bash", "sh", "dash", "zsh", "ksh"}
_CHUNK = 1 << 16
_LATE = 1.0  # seconds after the time limit in which the orchestrator, which knows why, may end a run itself
_loaded: dict[str, Any] = {}


def _beside(name: str) -> Any:
    """A module beside this one, by its path: the package is not on the path of this process."""
    from importlib.util import module_from_spec, spec_from_file_location

    if name in _loaded:
        return _loaded[name]
    found = spec_from_file_location(name, os.path.dirname(os.path.abspath(__file__)) + f"/{name}.py")  # noqa: PTH100, PTH120
    if found is None or found.loader is None:
        raise ImportError(f"{name}.py is missing")
    module = _loaded[name] = module_from_spec(found)
    found.loader.exec_module(module)
    return module


if TYPE_CHECKING:
    from mlebench.sandbox.confine import become_command
    from mlebench.sandbox.descendants import descendants, end_descendants, signal_all, write_file
    from mlebench.sandbox.output_log import Log
    from mlebench.sandbox.packets import PacketWatcher
else:
    become_command = _beside("confine").become_command
    _descendants = _beside("descendants")
    descendants, end_descendants = _descendants.descendants, _descendants.end_descendants
    signal_all, write_file = _descendants.signal_all, _descendants.write_file
    Log = _beside("output_log").Log


class Warden:
    """One command under way."""

    def __init__(self, specification: dict[str, Any], heard: bytes) -> None:
        self.specification = specification
        self.log = Log(specification["log"], specification["output_bytes"], specification["secrets"])
        self.code: int | None = None
        self.deadline: float | None = None  # when the time to end by itself is over
        self.second_call: float | None = None  # when all are asked again, now including a waiting shell
        seconds = specification["seconds"]
        self.time_limit = None if seconds is None else time.monotonic() + seconds + _LATE
        self.is_alone = False  # the orchestrator is gone
        self.pending = heard
        self.wakeup, writer = os.pipe()
        os.set_blocking(writer, False)
        os.set_blocking(self.wakeup, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._end_now)
        if _LINUX:
            ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.output, child_output = os.pipe()
        self.packets: PacketWatcher | None = None
        self.decisions: Any = None
        given, taken = socket.socketpair()
        self.child = self._fork(child_output, given)
        os.close(child_output)
        os.set_blocking(self.output, False)
        given.close()
        if specification["watches_packets"]:
            self.packets = _beside("packets").PacketWatcher(_descriptor_from(taken), report)
        if specification["call_filter"]:
            self.decisions = _beside("calls").Decisions(_descriptor_from(taken), _beside("seccomp").NUMBERS)
        taken.close()

    def _fork(self, output: int, warden: socket.socket) -> int:
        """Start the command; this process ends with a message if it cannot be started."""
        problem_reader, problem_writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                become_command(self.specification, output, warden, _beside)
            except BaseException as error:
                os.write(problem_writer, str(error).encode())
            os._exit(126)
        os.close(problem_writer)
        with os.fdopen(problem_reader, "rb") as pipe:
            sentence = pipe.read().decode(errors="replace")
        if sentence:
            report(error=sentence)
            os._exit(1)
        report(started=child, warden=os.getpid())
        return child

    def _end_now(self, *_: object) -> None:
        self.deadline = 0.0

    def watch(self) -> None:
        """Until nothing of the command is left."""
        poll = select.poll()
        for descriptor in (0, self.output, self.wakeup):
            poll.register(descriptor, select.POLLIN)
        if self.packets is not None:
            poll.register(self.packets.descriptor, select.POLLIN)
        if self.decisions is not None:
            poll.register(self.decisions.descriptor, select.POLLIN)
        while not self._is_over():
            for descriptor, event in poll.poll(self._patience()):
                if descriptor == self.wakeup:
                    _read(self.wakeup)
                elif descriptor == self.output:
                    if not self._pump():
                        poll.unregister(self.output)
                elif self.packets is not None and descriptor == self.packets.descriptor:
                    if not self.packets.report_attempts():
                        poll.unregister(descriptor)
                elif self.decisions is not None and descriptor == self.decisions.descriptor:
                    if not event & select.POLLIN or not self.decisions.answer_question():
                        poll.unregister(descriptor)  # nobody is left who could ask
                elif not self._hear():
                    poll.unregister(0)
                    self.is_alone = True
                    self._end_now()
            self._reap()
        self._end_all()
        if self.packets is not None:
            self.packets.report_attempts()
        if self.is_alone:
            self._clean_up()
        while self._pump():
            if not select.select([self.output], [], [], 0)[0]:
                break
        self.log.close()
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        report(exit=self.code, cpu_seconds=used.ru_utime + used.ru_stime, output_bytes=self.log.size)

    def _is_over(self) -> bool:
        now = time.monotonic()
        if self.deadline is None and self.code is None and self.time_limit is not None and now >= self.time_limit:
            report(out_of_time=True)
            self._stop(self.specification["grace"])
        if self.deadline is None:
            return self.code is not None
        if self.second_call is not None and now >= self.second_call:
            self.second_call = None
            self._ask_to_end(self._command_processes())
        return now >= self.deadline or not descendants()

    def _patience(self) -> float | None:
        """Milliseconds until something must be looked at again."""
        if self.deadline is not None:
            return 50.0
        return None if self.time_limit is None else max(0.0, self.time_limit - time.monotonic()) * 1000 + 1

    def _pump(self) -> bool:
        """Move output to the log; False when there will be no more."""
        data = _read(self.output)
        if data:
            was_full = self.log.is_full
            self.log.write(data)
            if self.log.is_full and not was_full:
                report(output_bytes=self.log.size)
        return data != b""

    def _hear(self) -> bool:
        """Do what the orchestrator says; False when it is gone."""
        data = _read(0)
        if data == b"":
            return False
        *lines, self.pending = (self.pending + (data or b"")).split(b"\n")
        for line in lines:
            self._stop(float(line.split()[1]))
        return True

    def _stop(self, grace: float) -> None:
        """Ask everything to end. A shell that waits for its children is asked last: it may have something to save."""
        now = time.monotonic()
        self.deadline = now + grace if self.deadline is None else min(self.deadline, now + grace)
        asked = self._command_processes()
        self.second_call = now + grace / 2
        waits = len(asked) > 1 and _name(asked[0]) in _SHELLS
        self._ask_to_end(asked[1:] if waits else asked)
        if waits and not self.specification["stop_command"]:
            signal_all(asked[:1], signal.SIGCONT)

    def _ask_to_end(self, processes: list[int]) -> None:
        command = self.specification["stop_command"]
        if command:
            _run(command)
            return
        signal_all(processes, signal.SIGTERM)
        signal_all(processes, signal.SIGCONT)  # one that was stopped would not hear it

    def _command_processes(self) -> list[int]:
        """The command and what it started, without the processes of the sandbox itself; the command comes first."""
        levels = self.specification["sandbox_processes"]
        return [pid for pid, depth in descendants().items() if depth > levels]

    def _reap(self) -> bool:
        """Take note of what has ended; whether there are children that have not."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return False
            if pid == 0:
                return True
            if pid == self.child:
                code = os.waitstatus_to_exitcode(status)
                self.code = code if code >= 0 else 128 - code

    def _clean_up(self) -> None:
        """What the orchestrator would have removed."""
        import shutil

        for folder in self.specification["folders"]:
            try:
                shutil.rmtree(folder, ignore_errors=True)
            except RecursionError:  # nested on purpose: it goes when the run is made again
                continue
        for group in self.specification["cgroups"] * 50:  # the kernel takes a moment to notice that one is empty
            try:
                os.rmdir(group)  # noqa: PTH106
            except FileNotFoundError:
                continue
            except OSError:
                time.sleep(0.02)

    def _end_all(self) -> None:
        """End what is left: first stop all of it, so that nothing forks while it is being ended."""
        if self.code is None and self.specification["kill_command"]:
            _run(self.specification["kill_command"])
        if self.is_alone and self.specification["orphan_command"]:
            _run(self.specification["orphan_command"])
        end_descendants(self.specification["cgroups"], self._reap)


def report(**message: Any) -> None:
    """Report to the orchestrator; if it is gone, the end of standard input shows it."""
    try:
        os.write(1, json.dumps(message).encode() + b"\n")
    except OSError:
        return


def _read(descriptor: int) -> bytes | None:
    """What there is to read; empty at the end, None if there is nothing now."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None


def _run(command: list[str]) -> None:
    import subprocess

    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
    except (OSError, subprocess.SubprocessError):
        return


def _name(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/comm") as file:  # noqa: PTH123
            return file.read().strip()
    except OSError:
        return ""


def _descriptor_from(given: socket.socket) -> int:
    """A descriptor that the process which becomes the command has sent."""
    _, descriptors, _, _ = socket.recv_fds(given, 1, 1)
    return int(descriptors[0])


def _prefer_this_process() -> None:
    """Stay able to act when the command takes all processors or all memory; only root may."""
    try:
        os.setpriority(os.PRIO_PROCESS, 0, -10)
    except OSError:
        return
    write_file("/proc/self/oom_score_adj", "-500")


def read_specification() -> tuple[dict[str, Any], bytes]:
    """The first line of standard input, and what was read beyond it."""
    data = b""
    while b"\n" not in data:
        chunk = os.read(0, _CHUNK)
        if not chunk:
            sys.exit(1)
        data += chunk
    line, _, rest = data.partition(b"\n")
    return json.loads(line), rest


def keep(specification: dict[str, Any]) -> None:
    """Go on as the warden, a child of this process, which stays above it as its keeper and does not return.

    The keeper ends after the warden. Whatever the warden has left, since something has killed it, the keeper inherits
    and ends; should the keeper be killed, the warden gets a signal and ends all, too.
    """
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _prefer_this_process()
    asking = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
    signal.pthread_sigmask(signal.SIG_BLOCK, asking)  # until there is somebody to handle them
    keeper = os.getpid()
    warden = os.fork()
    if warden == 0:
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGTERM), 0, 0, 0)
        if os.getppid() != keeper:
            os._exit(1)
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 2):  # standard output stays open: its end says that nothing is left
        os.dup2(nothing, descriptor)
    for number in asking:
        signal.signal(number, lambda number, _: signal_all([warden], number))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, asking)
    _, status = os.waitpid(warden, 0)
    if os.WIFSIGNALED(status) and specification["kill_command"]:
        _run(specification["kill_command"])
    if os.WIFSIGNALED(status) or _reap_all():
        end_descendants(specification["cgroups"], _reap_all)
    os._exit(0)


def _reap_all() -> bool:
    """Take note of all that have ended; whether there are children that have not."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return True
        except ChildProcessError:
            return False


def main() -> None:
    """Run the command that standard input specifies."""
    specification, heard = read_specification()
    if _LINUX:
        keep(specification)
    warden = Warden(specification, heard)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
    warden.watch()


if __name__ == "__main__":
    main()
