"""Preparing many competitions: in several processes, each failure kept apart from the rest."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from queue import Empty
from typing import Any

from mlebench.data.events import Event, Report, silent
from mlebench.data.kaggle import RulesNotAcceptedError
from mlebench.data.prepare import PrepareOptions, prepare
from mlebench.errors import MlebenchError
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
        outcomes = _in_processes(ids, places, options, workers, report)
    return [outcomes[each] for each in ids]


def _prepare_one(
    competition_id: str, data_dir: Path, dirs: tuple[Path, ...], options: PrepareOptions, report: Report
) -> Outcome:
    try:
        prepare(Registry(data_dir, dirs).get_competition(competition_id), options, report=report)
    except MlebenchError as error:
        outcome = Outcome(competition_id, str(error), isinstance(error, RulesNotAcceptedError))
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        outcome = Outcome(competition_id, f"{error.strerror or error}{where}.")
    else:
        return Outcome(competition_id)
    report(Event(competition_id, "failed", message=outcome.problem))
    return outcome


def _in_processes(
    ids: Sequence[str],
    places: tuple[Path, tuple[Path, ...]],
    options: PrepareOptions,
    workers: int,
    report: Report,
) -> dict[str, Outcome]:
    context = get_context("spawn")
    events: Any = context.Queue()
    outcomes: dict[str, Outcome] = {}
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(events, os.getpid()))
    try:
        futures: dict[Future[Outcome], str] = {
            pool.submit(_prepare_in_worker, each, *places, options): each for each in ids
        }
        pending = set(futures)
        while pending:
            finished, pending = wait(pending, timeout=0.1, return_when=FIRST_COMPLETED)
            _pass_on(events, report)
            for future in finished:
                outcomes[futures[future]] = _result(future, futures[future], report)
        _pass_on(events, report)
    except BaseException:  # Ctrl-C: the processes end too, and what they were building is swept away next time
        for process in list((pool._processes or {}).values()):
            process.kill()
        raise
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return outcomes


def _result(future: Future[Outcome], competition_id: str, report: Report) -> Outcome:
    try:
        return future.result()
    except Exception as error:  # the process died, for example for want of memory
        outcome = Outcome(competition_id, f"Its process ended unexpectedly ({error}); try fewer --workers.")
        report(Event(competition_id, "failed", message=outcome.problem))
        return outcome


def _pass_on(events: Any, report: Report) -> None:
    while True:
        try:
            report(events.get_nowait())
        except Empty:
            return


_events: Any = None


def _begin(events: Any, parent: int) -> None:
    global _events
    _events = events
    _end_with(parent)


def _end_with(parent: int) -> None:
    """This process ends when its parent does, even when that is killed; Linux only, elsewhere it finishes its task."""
    import ctypes
    import signal
    import sys

    if sys.platform.startswith("linux"):
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)


def _prepare_in_worker(competition_id: str, data_dir: Path, dirs: tuple[Path, ...], options: PrepareOptions) -> Outcome:
    return _prepare_one(competition_id, data_dir, dirs, options, _events.put)
