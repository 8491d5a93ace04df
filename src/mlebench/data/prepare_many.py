"""Preparing many competitions: in several processes, each failure kept apart from the rest."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from mlebench.base import progress
from mlebench.base.capacity import available_cores, available_memory
from mlebench.base.logs import get_logger
from mlebench.base.processes import Died, run_tasks
from mlebench.base.wording import plain
from mlebench.competition.registry import Registry
from mlebench.data.kaggle import RulesNotAcceptedError
from mlebench.data.kept import other_data_kept
from mlebench.data.prepare import PrepareOptions, prepare, sweep_after_kill
from mlebench.data.prepare_events import Event, Notify, silent
from mlebench.errors import MlebenchError, os_sentence

# Each process holds at most one competition's tables; the largest need about this much.
GIGABYTES_PER_WORKER = 4


@dataclass(frozen=True)
class PrepareOutcome:
    """What became of one competition; `problem` is None if it is prepared, from what `data` says.

    `present` says that it was prepared already; `notes` are sentences about what to know besides.
    """

    competition_id: str
    problem: str | None = None
    rules_not_accepted: bool = False
    data: str | None = None
    present: bool = False
    notes: tuple[str, ...] = ()


def default_workers() -> int:
    """One process per core, but no more than memory allows."""
    cores, memory = available_cores(), available_memory()
    return cores if memory is None else max(1, min(cores, memory // (GIGABYTES_PER_WORKER << 30)))


def prepare_many(
    registry: Registry,
    ids: Sequence[str],
    options: PrepareOptions,
    *,
    workers: int | None = None,
    notify: Notify = silent,
) -> list[PrepareOutcome]:
    """Prepare competitions; the outcomes come in the order of the ids."""
    ids = list(dict.fromkeys(ids))
    workers = min(workers or default_workers(), len(ids))
    work = partial(_prepare_one, replace(registry), options)
    if workers <= 1:
        return [work(competition_id, notify) for competition_id in ids]
    # The largest first: a large one that begins last keeps one process busy when all others have nothing to do.
    largest_first = sorted(ids, key=lambda name: _archive_size(registry, name, options.mirror), reverse=True)
    outcomes: dict[str, PrepareOutcome] = {}
    unfinished = set(ids)
    try:
        with closing(run_tasks(work, largest_first, workers=workers, on_message=notify)) as results:
            for position, result in results:
                competition_id = largest_first[position]
                if isinstance(result, Died):
                    notify(Event(competition_id, "failed", message=result.sentence))
                    result = PrepareOutcome(competition_id, result.sentence)
                else:
                    unfinished.discard(competition_id)
                outcomes[competition_id] = result
    finally:  # also after Ctrl-C, when the processes have been killed in the middle of their work
        for competition_id in unfinished:
            sweep_after_kill(registry.get_competition(competition_id))
    return [outcomes[competition_id] for competition_id in ids]


def _archive_size(registry: Registry, competition_id: str, mirror: str | None) -> float:
    """How large the raw archive is, as far as that is known without asking anybody."""
    competition = registry.get_competition(competition_id)
    for archive in (competition.archive, Path(mirror or "", f"{competition_id}.zip")):
        if archive.is_file():
            return archive.stat().st_size
    return (competition.declaration.gigabytes or 0) * 1e9


def _prepare_one(registry: Registry, options: PrepareOptions, competition_id: str, notify: Notify) -> PrepareOutcome:
    last: list[Event] = []
    notes: list[str] = []

    def noting(event: Event) -> None:
        last[:] = [event]
        if event.stage == "note":
            notes.append(str(event.message))
        notify(event)

    try:
        with progress.task(competition_id):
            competition = registry.get_competition(competition_id)
            kept = None if options.force else other_data_kept(competition, options.mirror)
            if kept is None:
                record = prepare(competition, options, notify=noting)
                present = last[-1].stage == "present"
                return PrepareOutcome(competition_id, data=record.data, present=present, notes=tuple(notes))
            outcome = PrepareOutcome(competition_id, str(kept))
    except Exception as error:
        get_logger(__name__).debug("preparing %s raised", competition_id, exc_info=True)
        outcome = failure(competition_id, error)
    notify(Event(competition_id, "failed", message=outcome.problem))
    return outcome


def failure(competition_id: str, error: Exception) -> PrepareOutcome:
    """The outcome of a competition that ended in an error."""
    if isinstance(error, MlebenchError):
        return PrepareOutcome(competition_id, str(error), isinstance(error, RulesNotAcceptedError))
    if isinstance(error, OSError):
        return PrepareOutcome(competition_id, os_sentence(error))
    return PrepareOutcome(competition_id, f"Unexpected {type(error).__name__}: {plain(str(error), 500)}.")
