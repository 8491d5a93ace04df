"""Preparing many competitions: in several processes, each failure kept apart from the rest."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import cast

from mlebench.data.events import Event, Report, silent
from mlebench.data.kaggle import RulesNotAcceptedError
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.errors import MlebenchError, os_sentence
from mlebench.registry import Registry

# Each process holds at most one competition's tables; the largest need about this much.
GIGABYTES_PER_WORKER = 4


@dataclass(frozen=True)
class Outcome:
    """What became of one competition; `problem` is None if it is prepared."""

    competition_id: str
    problem: str | None = None
    rules_not_accepted: bool = False


def default_workers() -> int:
    """One process per core, but no more than memory allows."""
    cores = os.cpu_count() or 1
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return cores
    return max(1, min(cores, int(memory / (GIGABYTES_PER_WORKER << 30))))


def prepare_many(
    registry: Registry,
    ids: Sequence[str],
    options: PrepareOptions,
    *,
    workers: int | None = None,
    report: Report = silent,
) -> list[Outcome]:
    """Prepare competitions; the outcomes come in the order of the ids."""
    ids = list(dict.fromkeys(ids))
    workers = min(workers or default_workers(), len(ids))
    places = (registry.data_dir, registry.competitions_dirs)
    if workers <= 1:
        outcomes = {each: _prepare_one(each, *places, options, report) for each in ids}
    else:
        # The largest first: a large one that begins last keeps one process busy when all others have nothing to do.
        largest_first = sorted(ids, key=lambda each: _archive_size(registry, each, options.mirror), reverse=True)
        outcomes = _in_processes(largest_first, places, options, workers, report)
    return [outcomes[each] for each in ids]


def _archive_size(registry: Registry, competition_id: str, mirror: str | None) -> float:
    """How large the raw archive is, as far as that is known without asking anybody."""
    competition = registry.get_competition(competition_id)
    for archive in (competition.archive, Path(mirror or "", f"{competition_id}.zip")):
        if archive.is_file():
            return archive.stat().st_size
    return (competition.declaration.gigabytes or 0) * 1e9


def _prepare_one(
    competition_id: str, data_dir: Path, dirs: tuple[Path, ...], options: PrepareOptions, report: Report
) -> Outcome:
    try:
        prepare(Registry(data_dir, dirs).get_competition(competition_id), options, report=report)
    except Exception as error:
        outcome = failure(competition_id, error)
        report(Event(competition_id, "failed", message=outcome.problem))
        return outcome
    return Outcome(competition_id)


def failure(competition_id: str, error: Exception) -> Outcome:
    """The outcome of a competition that ended in an error."""
    if isinstance(error, MlebenchError):
        return Outcome(competition_id, str(error), isinstance(error, RulesNotAcceptedError))
    if isinstance(error, OSError):
        return Outcome(competition_id, os_sentence(error))
    return Outcome(competition_id, f"Unexpected {type(error).__name__}: {error}.")


def _in_processes(
    ids: Sequence[str],
    places: tuple[Path, tuple[Path, ...]],
    options: PrepareOptions,
    workers: int,
    report: Report,
) -> dict[str, Outcome]:
    """Outcomes by id. A pipe to each process: one that is killed takes neither the others nor their events along."""
    waiting = deque(ids)
    idle: list[_Worker] = []
    busy: dict[Connection, _Worker] = {}
    outcomes: dict[str, Outcome] = {}
    try:
        while waiting or busy:
            while waiting and len(busy) < workers:
                worker = idle.pop() if idle else _start(places, options)
                worker.begin(waiting.popleft())
                busy[worker.pipe] = worker
            for pipe in wait(list(busy)):
                worker = busy[cast("Connection", pipe)]
                message = worker.hear()
                if isinstance(message, Event):
                    report(message)
                    continue
                outcomes[worker.competition_id] = message or _died(worker, report)
                del busy[worker.pipe]
                if message is not None:
                    idle.append(worker)
    finally:  # at the end they are idle; after Ctrl-C, what they were building is swept away next time
        for worker in (*idle, *busy.values()):
            worker.process.kill()
    return outcomes


@dataclass
class _Worker:
    """A process that prepares one competition after the other."""

    process: BaseProcess
    pipe: Connection
    competition_id: str = ""

    def begin(self, competition_id: str) -> None:
        """Prepare this competition."""
        self.competition_id = competition_id
        with suppress(OSError):  # a process that has died is noticed when nothing is heard of it
            self.pipe.send(competition_id)

    def hear(self) -> Event | Outcome | None:
        """The next message; None if the process has died."""
        try:
            message: Event | Outcome = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return message


def _start(places: tuple[Path, tuple[Path, ...]], options: PrepareOptions) -> _Worker:
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs, os.getpid(), places, options))
    with _no_interrupts():
        process.start()
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _no_interrupts() -> Iterator[None]:
    """A process that is started here never hears of Ctrl-C, and so says nothing about it: its parent ends it."""
    if threading.current_thread() is not threading.main_thread():  # where Python does not let us
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _died(worker: _Worker, report: Report) -> Outcome:
    worker.process.join()
    problem = f"Its process ended with code {worker.process.exitcode}, perhaps for want of memory; try fewer --workers."
    report(Event(worker.competition_id, "failed", message=problem))
    return Outcome(worker.competition_id, problem)


def _work(pipe: Connection, parent: int, places: tuple[Path, tuple[Path, ...]], options: PrepareOptions) -> None:
    """What a process does: prepare the competitions that the pipe names, and send events and outcomes back."""
    _end_with(parent)
    with suppress(EOFError, BrokenPipeError):  # until nobody listens any more
        while True:
            pipe.send(_prepare_one(pipe.recv(), *places, options, pipe.send))


def _end_with(parent: int) -> None:
    """This process ends when its parent does, even when that is killed; Linux only, elsewhere it finishes its task."""
    if sys.platform.startswith("linux"):
        import ctypes

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)
