"""The lists of failing agents, in the order in which they were written."""

from __future__ import annotations

from benchmarks.failures.agents import FIRST, FOURTH, SECOND, THIRD
from benchmarks.failures.more_agents import fifth, sixth

LISTS = {
    "first": FIRST,
    "second": SECOND,
    "third": THIRD,
    "fourth": FOURTH,
    "fifth": fifth.agents,
    "sixth": sixth.agents,
}
