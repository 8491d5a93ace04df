"""Copies of the submission at intervals, for the score over time."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from mlebench.errors import os_sentence
from mlebench.results.names import SNAPSHOTS_FOLDER, SUBMISSION_FILE
from mlebench.runs.collect import collect
from mlebench.sandbox import Usage


class Snapshots:
    """Takes the snapshots of one run; one that cannot be taken costs the run nothing.

    `on_snapshot` is given the seconds and the path within the run's folder of each, `on_problem` a sentence.
    """

    def __init__(
        self,
        folder: Path,
        home: Path,
        every: float | None,
        *,
        on_snapshot: Callable[[float, str], None] = lambda *_: None,
        on_problem: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._folder, self._home, self._every = folder / SNAPSHOTS_FOLDER, home, every
        self._on_snapshot, self._on_problem = on_snapshot, on_problem
        self._next = every or 0.0

    def take(self, usage: Usage) -> None:
        """Copy what there is if it is time to."""
        if self._every is None or usage.seconds < self._next:
            return
        self._next += self._every
        name = f"{int(usage.seconds):06d}s"
        try:
            if self._copied(name):
                self._on_snapshot(usage.seconds, f"{SNAPSHOTS_FOLDER}/{name}/{SUBMISSION_FILE}")
        except OSError as error:
            self._on_problem(f"no snapshot after {usage.seconds:.0f} s: {os_sentence(error)}")

    def _copied(self, name: str) -> bool:
        self._folder.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".", dir=self._folder) as scratch:
            found = collect(self._home, Path(scratch), submission_only=True).submission
            if found is None:
                return False
            (self._folder / name).mkdir(exist_ok=True)
            found.replace(self._folder / name / found.name)
            return True
