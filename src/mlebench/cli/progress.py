"""The display of a preparation: one live line on a terminal, plain lines elsewhere, JSON events for machines."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from mlebench.data.events import Event, Notify

_ENDED = ("done", "present", "failed")


@contextmanager
def prepare_display(count: int, *, as_json: bool) -> Iterator[Notify]:
    """A display for the events of preparing `count` competitions."""
    if as_json:
        yield lambda event: click.echo(json.dumps(event.to_dict()))
    elif sys.stderr.isatty():
        from tqdm import tqdm

        with tqdm(total=count, unit="competition", leave=False, dynamic_ncols=True) as bar:
            yield _Live(bar).notify
    else:
        yield _plain


def _plain(event: Event) -> None:
    """One line when a competition is ready; failures come in the summary at the end."""
    words = {"done": "prepared from", "present": "was prepared already, from"}
    if event.stage in words:
        click.echo(f"{event.competition_id} {words[event.stage]} {event.message}", err=True)


class _Live:
    """Bytes and files of all competitions that are being worked on, in one line."""

    def __init__(self, bar: Any) -> None:
        self._bar = bar
        self._downloads: dict[str, tuple[int, int | None]] = {}
        self._files: dict[str, int] = {}

    def notify(self, event: Event) -> None:
        if event.stage == "download":
            self._downloads[event.competition_id] = (event.done, event.total)
        else:
            self._downloads.pop(event.competition_id, None)
        if event.stage in ("prepare", "done"):
            self._files[event.competition_id] = event.done
        if event.stage in _ENDED:
            self._bar.update(1)
        self._bar.set_postfix_str(self._line())

    def _line(self) -> str:
        parts = [f"{sum(self._files.values()):,} files"]
        if self._downloads:
            done = sum(each for each, _ in self._downloads.values())
            total = sum(total or each for each, total in self._downloads.values())
            parts.append(f"{done / 1e9:.2f} of {total / 1e9:.2f} GB of {', '.join(self._downloads)}")
        return ", ".join(parts)
