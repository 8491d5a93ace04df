"""One budget for everything that is done with the code of a run before a sandbox holds it.

That code may come from anybody: one file of a few kilobytes can unpack to terabytes, and a hundred thousand files to a
hundred thousand times that. Whatever reads it takes from the same budget.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field


class OverBudgetError(Exception):
    """A budget is used up; the message says which, as a phrase."""


@dataclass
class CodeBudget:
    """What is left for the code of one run: seconds, bytes to read, bytes to unpack, files and members of archives."""

    seconds: float = 300.0
    bytes: int = 32 << 30  # twice what is collected of a run: to copy it and to search it
    unpacked: int = 1 << 30
    members: int = 200_000
    _start: float = field(default_factory=time.monotonic)

    def take(self, size: int = 0, *, unpacked: int = 0, members: int = 0) -> None:
        """Take an amount of it; an OverBudgetError where that is more than is left."""
        self.bytes -= size
        self.unpacked -= unpacked
        self.members -= members
        if size and self.bytes < 0:
            raise OverBudgetError("it has too many bytes")
        if unpacked and self.unpacked < 0:
            raise OverBudgetError("it unpacks to too many bytes")
        if members and self.members < 0:
            raise OverBudgetError("it has too many files")
        if time.monotonic() - self._start > self.seconds:
            raise OverBudgetError("it takes too long")
