"""Work in other processes: what becomes of one task, or of the process it runs in, costs no other task anything."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar, cast

from mlebench.base.capacity import available_cores
from mlebench.base.progress import Step, listener, listening

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")
Send: TypeAlias = Callable[[Any], None]
_LOOK_EVERY = 0.2  # seconds between two looks whether a program should be stopped
_processes_of_this_one = 0  # how many this process may use; 0 stands for one per core


@dataclass(frozen=True)
class Died:
    """A task whose process ended before the task did."""

    exit_code: int | None

    @property
    def sentence(self) -> str:
        """What happened, for the person who asked for the work."""
        if self.exit_code is not None and self.exit_code < 0:
            name = signal.Signals(-self.exit_code).name
            return f"Its process was ended by {name}, as happens when memory runs out; try fewer --workers."
        return f"Its process ended with code {self.exit_code}."


@dataclass(frozen=True)
class _Done(Generic[_Result]):
    result: _Result


def available_processes() -> int:
    """How many processes this one may keep busy, itself included: its share of the cores."""
    return _processes_of_this_one or available_cores()


def keep_to(processes: int) -> None:
    """This process keeps at most this number of processes busy, itself included."""
    global _processes_of_this_one
    _processes_of_this_one = processes


def run_tasks(
    function: Callable[[_Task, Send], _Result],
    tasks: Sequence[_Task],
    *,
    workers: int,
    on_message: Send | None = None,
) -> Generator[tuple[int, _Result | Died], None, None]:
    """Call `function(task, send)` for each task in `workers` processes; (position of the task, result) as they finish.

    The function must be importable in a new process, tasks and results must be picklable. What it sends goes to
    `on_message`. Tasks begin in the order given. A pipe leads to each process: one that is killed takes neither the
    others nor their messages along, and its task ends as `Died`. Processes end with this one, even when it is killed.
    Whoever listens to progress here hears of theirs too.
    """
    listen = listener()
    waiting = deque(range(len(tasks)))
    idle: list[_Worker] = []
    busy: dict[Connection, _Worker] = {}
    workers = max(1, min(workers, len(tasks)))
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                worker = (
                    idle.pop()
                    if idle
                    else _start(function, max(1, available_processes() // workers), listen is not None)
                )
                position = waiting.popleft()
                worker.begin(position, tasks[position])
                busy[worker.pipe] = worker
            for pipe in wait(list(busy)):
                worker = busy[cast("Connection", pipe)]
                message = worker.hear()
                if isinstance(message, _Done | Died):
                    del busy[worker.pipe]
                    if isinstance(message, _Done):
                        idle.append(worker)
                        yield worker.position, message.result
                    else:
                        if listen is not None:
                            for task in worker.tasks:
                                listen(Step(task, None))
                        yield worker.position, message
                elif isinstance(message, Step):
                    if listen is not None:
                        worker.note(message)
                        listen(message)
                elif on_message is not None:
                    on_message(message)
    finally:  # at the end they are idle; after Ctrl-C they are of no use any more
        for worker in (*idle, *busy.values()):
            worker.process.kill()


@dataclass
class _Worker:
    """A process that does one task after the other."""

    process: BaseProcess
    pipe: Connection
    position: int = -1
    tasks: set[str] = field(default_factory=set)  # of its progress, that are not over

    def note(self, step: Step) -> None:
        if step.stage is None:
            self.tasks.discard(step.task)
        else:
            self.tasks.add(step.task)

    def begin(self, position: int, task: Any) -> None:
        self.position = position
        with suppress(OSError):  # a process that has died is noticed when nothing is heard of it
            self.pipe.send(task)

    def hear(self) -> Any:
        """The next message; Died if there will be none."""
        try:
            return self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            return Died(self.process.exitcode)


def _start(function: Callable[..., Any], share: int, is_heard: bool) -> _Worker:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    # A daemon, so that Python does not wait for it at its own end when an interrupt kept us from ending it.
    process = context.Process(target=_work, args=(theirs, os.getpid(), share, is_heard, function), daemon=True)
    with _no_interrupts():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """A process that is started here never hears of Ctrl-C, and so says nothing about it: its parent ends it.

    The parent hears of one that comes meanwhile when the block ends; none is lost.
    """
    if threading.current_thread() is not threading.main_thread():  # where Python does not let us
        yield
        return
    if not hasattr(signal, "pthread_sigmask"):
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
        return
    noted: list[int] = []
    resource_tracker.ensure_running()  # a helper of Python's own, which changes the mask when it starts
    before = signal.signal(signal.SIGINT, lambda number, _: noted.append(number))  # where another thread gets it
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # which the new process inherits
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        if noted and callable(before):
            before(signal.SIGINT, None)


def _work(pipe: Connection, parent: int, share: int, is_heard: bool, function: Callable[[Any, Send], Any]) -> None:
    """What a process does: the tasks that the pipe brings, until nobody listens any more."""
    keep_to(share)
    end_with(parent)
    lock = threading.Lock()

    def send(message: Any) -> None:
        with lock:  # threads report progress at any time
            pipe.send(message)

    with suppress(EOFError, BrokenPipeError), listening(send) if is_heard else nullcontext():
        while True:
            send(_Done(function(pipe.recv(), send)))


def end_with(parent: int) -> None:
    """This process ends when its parent does, even when that is killed; Linux only, elsewhere it finishes its task."""
    if sys.platform.startswith("linux"):
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)


class StoppedError(Exception):
    """A program was ended before it had finished, as was asked for."""


def run_apart(
    command: Sequence[str],
    *,
    should_stop: Callable[[], bool] = lambda: False,
    seconds: float | None = None,
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, and say what it printed; Ctrl-C at the terminal does not reach it.

    It is ended with all that it started when `should_stop` says so (StoppedError), when it takes longer than `seconds`
    (subprocess.TimeoutExpired), and when this thread is interrupted.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            while True:
                try:
                    printed, complaints = process.communicate(timeout=_LOOK_EVERY)
                except subprocess.TimeoutExpired:
                    if should_stop():
                        raise StoppedError from None
                    if deadline is not None and time.monotonic() > deadline:
                        raise
                else:
                    return subprocess.CompletedProcess(command, process.returncode, printed, complaints)
        except BaseException:
            with suppress(ProcessLookupError):  # of a program that has ended, others may go on
                os.killpg(process.pid, signal.SIGKILL)
            raise
