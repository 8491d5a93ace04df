"""Sharing workers among parts of a group, or of an experiment, that a queue holds back one by one."""

from __future__ import annotations

from collections.abc import Sequence


def shares(workers: int, sizes: Sequence[int]) -> list[int]:
    """How many runs of each part may be under way at once: `workers` together, and at least one of each part."""
    total = sum(sizes)
    caps = [max(1, min(size, workers * size // total)) for size in sizes]
    for place in sorted(range(len(sizes)), key=lambda place: -sizes[place]):
        caps[place] += max(0, min(sizes[place] - caps[place], workers - sum(caps)))
    return caps
