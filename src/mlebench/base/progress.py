"""The progress of long work, reported to whoever shows it.

Work says which task and stage it is in and how far it has come, without being handed anything: a display listens for
the time of a block, and hears of all that happens within, also in the processes that `run_tasks` starts. Where nobody
listens, saying it costs next to nothing.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from threading import Event, Lock, Thread
from typing import IO, Any, BinaryIO, TypeAlias, TypeVar, cast

_T = TypeVar("_T")
_EVERY = 0.1  # seconds between two reports of the same stage


@dataclass(frozen=True)
class Step:
    """What a task is at: its stage, on what, and how much of it is done; a stage of None says that the task is over.

    A task is mostly a competition. Stages are words such as download, read, split, write, place and verify; `unit` is
    "bytes" or the plural of what is counted. `total` is None where it is not known.
    """

    task: str
    stage: str | None
    what: str = ""
    done: int = 0
    total: int | None = None
    unit: str = ""


Listen: TypeAlias = Callable[[Step], None]


class Stage:
    """A stage that is going on; threads may report to it at the same time."""

    def __init__(self, listen: Listen | None, step: Step) -> None:
        self._listen = listen
        self._step = step
        self._done = step.done
        self._lock = Lock()
        self._due = 0.0

    @property
    def is_heard(self) -> bool:
        """Whether anybody listens: what is counted for reports alone need not be counted if not."""
        return self._listen is not None

    def advance(self, count: int = 1) -> None:
        """So much more is done."""
        if self._listen is not None:
            with self._lock:
                self._done += count
                self._tell_when_due()

    def reach(self, done: int, total: int | None = None) -> None:
        """So much is done in all, of so much where that is known by now."""
        if self._listen is not None:
            with self._lock:
                self._done = done
                if total is not None and total != self._step.total:
                    self._step = replace(self._step, total=total)
                self._tell_when_due()

    def tell(self) -> None:
        """Report now, whenever the last report was."""
        if self._listen is not None:
            self._due = time.monotonic() + _EVERY
            self._listen(replace(self._step, done=self._done))

    def _tell_when_due(self) -> None:
        if time.monotonic() >= self._due:
            self.tell()


_UNHEARD = Stage(None, Step("", ""))


@dataclass(frozen=True)
class _Place:
    """Where in the work we are: who listens, in which task and stage."""

    listen: Listen
    task: str = ""
    stage: Stage | None = None


_place: ContextVar[_Place | None] = ContextVar("_place", default=None)


def listener() -> Listen | None:
    """Who hears of the progress of what is done here; None if nobody does."""
    place = _place.get()
    return place.listen if place is not None else None


@contextmanager
def listening(listen: Listen) -> Iterator[None]:
    """Within this block `listen` is called with all progress, from any thread of it."""
    token = _place.set(_Place(listen))
    try:
        yield
    finally:
        _place.reset(token)


@contextmanager
def task(name: str) -> Iterator[None]:
    """Within this block everything belongs to a task, mostly a competition; a task within a task is part of it."""
    place = _place.get()
    if place is None or place.task:
        yield
        return
    token = _place.set(replace(place, task=name))
    try:
        yield
    finally:
        _place.reset(token)
        place.listen(Step(name, None))


@contextmanager
def stage(name: str, what: str = "", *, total: int | None = None, unit: str = "") -> Iterator[Stage]:
    """Within this block the task is in a stage; afterwards it is in the one around it again."""
    place = _place.get()
    if place is None:
        yield _UNHEARD
        return
    opened = Stage(place.listen, Step(place.task, name, what, 0, total, unit))
    token = _place.set(replace(place, stage=opened))
    opened.tell()
    try:
        yield opened
    finally:
        _place.reset(token)
        if place.stage is not None:
            place.stage.tell()


def each(items: Sequence[_T], name: str, what: str = "", *, unit: str) -> Iterator[_T]:
    """The items one by one, each of which is progress of a stage when the next one is asked for."""
    current = passing(name, what, total=len(items), unit=unit)
    for item in items:
        yield item
        current.advance()


def passing(name: str, what: str = "", *, total: int | None = None, unit: str = "") -> Stage:
    """A stage that is reported only when it advances: for streams, which are read in between other work."""
    place = _place.get()
    return Stage(place.listen, Step(place.task, name, what, 0, total, unit)) if place is not None else _UNHEARD


def counted(stream: IO[bytes], stage: Stage, buffer: int = 1 << 20) -> BinaryIO:
    """The same stream, whose bytes count as progress of a stage when they are read."""
    return cast("BinaryIO", io.BufferedReader(_Counted(stream, stage), buffer) if stage.is_heard else stream)


class _Counted(io.RawIOBase):
    def __init__(self, stream: IO[bytes], stage: Stage) -> None:
        self._stream = stream
        self._stage = stage

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = cast("int", self._stream.readinto(buffer))  # type: ignore[attr-defined]
        self._stage.advance(count)
        return count

    def close(self) -> None:
        self._stream.close()
        super().close()


@contextmanager
def measured(stage: Stage, measure: Callable[[], int]) -> Iterator[None]:
    """Within this block what `measure()` returns now and then counts as done, for work that does not count itself."""
    if not stage.is_heard:
        yield
        return

    def follow(stop: Event) -> None:
        pause = 0.5
        while not stop.wait(pause):
            start = time.monotonic()
            stage.reach(measure())
            pause = max(0.5, 20 * (time.monotonic() - start))  # measuring takes a twentieth of the time at most

    with beside(follow):
        yield


@contextmanager
def beside(follow: Callable[[Event], None]) -> Iterator[None]:
    """Run `follow(stop)` in a thread of its own as long as this block lasts; `stop` is set at its end."""
    stop = Event()
    thread = Thread(target=follow, args=(stop,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
