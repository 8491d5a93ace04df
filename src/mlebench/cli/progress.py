"""How commands show progress: live lines with a clock on a terminal, a few plain lines elsewhere.

`show_progress` is the one way to show it. Within its block whatever long work says about itself
(`mlebench.base.progress`) is shown: the competition, its stage, and counts or bytes. All of it goes to standard error;
on a terminal it is gone when the block ends, and the command says in a line or two what was done.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import click

from mlebench.base.amounts import format_bytes, format_clock
from mlebench.base.progress import Step, beside, listening
from mlebench.base.wording import counted, plain

if TYPE_CHECKING:
    from rich.table import Table

_FIRST_SIGN, _RAREST_SIGN = 30.0, 600.0  # seconds between two signs of life where there is no terminal
_REFRESH = 5  # times a second
_UNSEEN = 0.3  # seconds in which nothing is shown, for what is done at once
_WIDE, _NARROW = 100, 60  # columns of a terminal that has room for bars, or none for more than a share
_CLOCK = 8  # columns


class Display(Protocol):
    """What a command is given while its progress is shown."""

    def count(self, done: int, total: int) -> None:
        """So many of all are done."""

    def say(self, line: str, *, err: bool = True) -> None:
        """Print a line that stays."""


@contextmanager
def show_progress(
    what: str, noun: str = "competition", total: int | None = None, *, quiet: bool = False
) -> Iterator[Display]:
    """Show what goes on within this block, under a heading such as "Preparing".

    `total` says how many tasks there will be, and each that ends is counted; without it the block counts for itself,
    with `count`. `noun` is what is counted. With `quiet` nothing is shown, for output that a program reads.
    """
    work = _Work(what, noun, total)
    if quiet:
        yield _Plain(None)
    elif sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        with _live(work) as display, listening(work.hear):
            yield display
    else:
        with _signs_of_life(work), listening(work.hear):
            yield _Plain(work)


@dataclass(frozen=True)
class _Active:
    """What a task is at; since when the task and its stage go on, and how much the stage had done when it began."""

    step: Step
    began: float
    stage_began: float
    done_before: int

    @property
    def text(self) -> str:
        """The stage and what it works on."""
        return f"{self.step.stage} {plain(self.step.what, 60)}".rstrip()

    @property
    def share(self) -> float | None:
        """How much of the stage is done, from 0 to 1; None if that is not known."""
        return min(self.step.done / self.step.total, 1.0) if self.step.total else None

    def amount(self, *, short: bool = False) -> str:
        """How much is done, of how much; in a form that fits 20 columns if it is to be short."""
        done, total, unit = self.step.done, self.step.total, self.step.unit
        if not unit or (total is None and not done):
            return ""
        shown = format_bytes if unit == "bytes" else _in_numbers
        noun = "" if unit == "bytes" else f" {unit}"
        if total is None:
            return f"{shown(done)}{noun}"
        if short:
            return f"{self.share or 0:.0%} of {shown(total)}{noun}"
        return f"{shown(min(done, total))} of {shown(total)}{noun}"

    def speed(self, now: float) -> str:
        """Of a download: bytes a second, and the time that is left where the size is known."""
        seconds, received = now - self.stage_began, self.step.done - self.done_before
        if self.step.stage != "download" or seconds < 1 or received <= 0:
            return ""
        left = (self.step.total - self.step.done) * seconds / received if self.step.total else None
        return f"{format_bytes(received / seconds)}/s" + ("" if left is None else f", {format_clock(left)} left")


def _in_numbers(count: int) -> str:
    return f"{count / 1e6:.1f}M" if count >= 1e6 else f"{count:,}"


class _Work:
    """What is known of the work: the tasks under way and how many have ended. Threads tell it, a display reads it."""

    def __init__(self, what: str, noun: str, total: int | None) -> None:
        self.what, self.noun = what, noun
        self.done, self.total = 0, total
        self.began = time.monotonic()
        self._counts_tasks = total is not None
        self._active: dict[str, _Active] = {}
        self._lock = threading.Lock()

    def hear(self, step: Step) -> None:
        """Note a step of a task."""
        now = time.monotonic()
        with self._lock:
            before = self._active.get(step.task)
            if step.stage is None:
                self._active.pop(step.task, None)
                self.done += self._counts_tasks
            elif before is None:
                self._active[step.task] = _Active(step, now, now, step.done)
            elif (before.step.stage, before.step.what) == (step.stage, step.what):
                self._active[step.task] = _Active(step, before.began, before.stage_began, before.done_before)
            else:
                self._active[step.task] = _Active(step, before.began, now, step.done)

    def active(self) -> list[_Active]:
        """The tasks under way, in the order in which they began."""
        with self._lock:
            return list(self._active.values())

    def heading(self) -> str:
        """What is done, and how much of it."""
        if not self.total or (self.total == 1 and self._counts_tasks):
            return self.what
        return f"{self.what}: {self.done} of {counted(self.total, self.noun)}"


class _Plain:
    """Ten lines at most, however much there is to count; none without work to show."""

    def __init__(self, work: _Work | None) -> None:
        self._work = work
        self._printed = 0

    def count(self, done: int, total: int) -> None:
        tenth = 10 * done // max(total, 1)
        if self._work is not None:
            self._work.done, self._work.total = done, total
            if tenth > self._printed:
                self._printed = tenth
                click.echo(self._work.heading(), err=True)

    def say(self, line: str, *, err: bool = True) -> None:
        click.echo(line, err=err)


@contextmanager
def _signs_of_life(work: _Work) -> Iterator[None]:
    """Within this block a line says now and then what is going on, more and more rarely: a log never looks hung."""

    def follow(stop: threading.Event) -> None:
        pause = _FIRST_SIGN
        while not stop.wait(pause):
            click.echo(_sign(work), err=True)
            pause = min(1.5 * pause, _RAREST_SIGN)

    with beside(follow):
        yield


def _sign(work: _Work) -> str:
    now, active = time.monotonic(), work.active()
    line = f"{work.heading()}, {format_clock(now - work.began)} so far"
    if not active:
        return line
    name = plain(active[0].step.task, 100)
    parts = (f"{name} {active[0].text}".strip(), active[0].amount(), active[0].speed(now))
    more = f" (and {len(active) - 1} more)" if len(active) > 1 else ""
    return f"{line}: {', '.join(filter(None, parts))}{more}"


@contextmanager
def _live(work: _Work) -> Iterator[Display]:
    """Live lines on the terminal, which are gone when the block ends, however it does."""
    from rich.console import Console, Group
    from rich.live import Live

    console = Console(stderr=True)

    def lines() -> Group:
        now, active = time.monotonic(), work.active()
        shown = active[: max(1, console.height - 3)]
        parts: list[Any] = []
        if now - work.began < _UNSEEN:
            return Group()
        if work.total != 1 or not active:
            parts.append(_heading(work.heading(), now - work.began, console.encoding))
        if shown:
            parts.append(_table(shown, work.what, now, console.width, console.encoding))
        if len(shown) < len(active):
            parts.append(f"and {len(active) - len(shown)} more")
        return Group(*parts)

    live = Live(
        get_renderable=lines,
        console=console,
        refresh_per_second=_REFRESH,
        transient=True,
        redirect_stdout=False,  # which may lead elsewhere
    )
    try:
        with live:
            yield _Lines(work, live)
    finally:
        console.show_cursor(True)  # also after a second Ctrl-C


class _Lines:
    """Lines that stay are printed above the live ones."""

    def __init__(self, work: _Work, live: Any) -> None:
        self._work = work
        self._live = live

    def count(self, done: int, total: int) -> None:
        self._work.done, self._work.total = done, total

    def say(self, line: str, *, err: bool = True) -> None:
        if err or sys.stdout.isatty():  # the same terminal
            self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)
        else:
            click.echo(line)


def _heading(text: str, seconds: float, encoding: str) -> Table:
    table = _grid(encoding, 1)
    table.add_column(justify="right", width=_CLOCK, no_wrap=True)
    table.add_row(text, format_clock(seconds))
    return table


def _table(tasks: list[_Active], what: str, now: float, width: int, encoding: str) -> Table:
    """One line for each task: its name, its stage, how much of it is done, and how long the task takes already."""
    from rich.progress_bar import ProgressBar

    table = _grid(encoding, 11, 9)
    has_amounts = any(shown.amount() for shown in tasks)  # else their room is for the stages
    if has_amounts and width >= _WIDE:
        table.add_column(width=12)
    if has_amounts:
        table.add_column(width=27 if width >= _WIDE else 20 if width >= _NARROW else 8, no_wrap=True)
    table.add_column(justify="right", width=_CLOCK, no_wrap=True)
    for shown in tasks:
        cells: list[Any] = [plain(shown.step.task, 200) or what, f"{shown.text} {shown.speed(now)}".rstrip()]
        if has_amounts and width >= _WIDE:
            cells.append("" if shown.share is None else ProgressBar(1.0, shown.share))
        if has_amounts and width < _NARROW:
            cells.append(shown.amount() if shown.share is None else f"{shown.share:.0%}")
        elif has_amounts:
            cells.append(shown.amount(short=width < _WIDE))
        table.add_row(*cells, format_clock(now - shown.began))
    return table


def _grid(encoding: str, *ratios: int) -> Table:
    """A table as wide as the terminal, with flexible columns of text first; what does not fit is cut off."""
    from rich.table import Table

    table = Table.grid(expand=True, padding=(0, 1, 0, 0))
    for ratio in ratios:
        # Where the terminal cannot show an ellipsis there is none.
        table.add_column(ratio=ratio, no_wrap=True, overflow="ellipsis" if "utf" in encoding.lower() else "crop")
    return table
