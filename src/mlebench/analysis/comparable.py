"""Whether the numbers of two agents were made under the same conditions, and if not, what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mlebench.base.amounts import format_bytes, format_seconds
from mlebench.results.groups import RunGroup
from mlebench.results.records import RunRecord
from mlebench.results.sources import Reports, disclosed_by


def _limits(record: RunRecord) -> str:
    seconds, memory = record.limits.get("seconds"), record.limits.get("memory_bytes")
    return f"{format_seconds(seconds, none='no time limit')}, {format_bytes(memory, none='no memory limit')}"


def _hardware(record: RunRecord) -> str:
    facts = record.hardware
    cpus = record.limits.get("cpus") or facts.get("cpus")
    gpus = (facts.get("gpus") or [])[: record.limits.get("gpus") or 0]
    memory = facts.get("memory_bytes")
    parts = [f"{cpus or '?'} CPUs", ", ".join(gpus) or "no GPU"]
    if memory:
        parts.append(format_bytes(memory))
    return ", ".join(parts)


# What must be the same for two numbers to be comparable, and how it is worded.
_CONDITIONS: dict[str, Callable[[RunRecord], str]] = {
    "limits": _limits,
    "hardware": _hardware,
    "variant of the instructions": lambda record: (
        record.variant + (", obfuscated" if record.obfuscated else "") + (", renamed" if record.renaming else "")
    ),
    "network": lambda record: record.network,
    "sandbox": lambda record: str(record.sandbox),
}


def conditions(source: Reports) -> dict[str, str]:
    """The conditions of an agent's runs, as far as they are recorded; where runs differ, all values."""
    found = {"edition": _listed(saved.report.edition for saved in source.reports)}
    found["data"] = _listed("twins" if report.is_twin else "real" for report in source.reports)
    seeds = {report.seed for report in source.reports}
    if None not in seeds:
        found["seeds"] = ", ".join(str(seed) for seed in sorted(seeds, key=lambda seed: seed or 0))
    records = [run.record for group in source.groups for run in group.runs if run.record.has_conditions]
    if records:
        for name, tell in _CONDITIONS.items():
            found[name] = _listed(tell(record) for record in records)
    return found


def differences_in_conditions(first: Reports, second: Reports) -> list[str]:
    """Why two agents are not comparable, one sentence each."""
    mine, theirs = conditions(first), conditions(second)
    warnings = [
        f"Not comparable in {name}: {first.name} has {value}, {second.name} has {theirs[name]}."
        for name, value in mine.items()
        if name in theirs and theirs[name] != value
    ]
    boards = _other_leaderboards(first, second)
    if boards:
        warnings.append(f"Not comparable in leaderboards: {', '.join(boards)} had other thresholds for medals.")
    unknown = [source.name for source in (first, second) if not any(_has_conditions(group) for group in source.groups)]
    if unknown:
        warnings.append(f"The conditions of {' and '.join(unknown)} are not recorded; they may differ.")
    warned = [source.name for source in (first, second) if _had_feedback(source)]
    return warnings + [f"{name} had feedback from the test set, so its numbers prove nothing." for name in warned]


def _other_leaderboards(first: Reports, second: Reports) -> list[str]:
    """The competitions that the two were graded in with different thresholds."""
    mine, theirs = (
        {saved.competition_id: saved.thresholds for saved in source.reports if None not in saved.thresholds}
        for source in (first, second)
    )
    return sorted(
        competition_id
        for competition_id in mine.keys() & theirs.keys()
        if mine[competition_id] != theirs[competition_id]
    )


def _has_conditions(group: RunGroup) -> bool:
    return any(run.record.has_conditions for run in group.runs)


def _had_feedback(source: Reports) -> bool:
    return any(disclosed_by(group).get("held_out_signal") is True for group in source.groups)


def _listed(values: Iterable[Any]) -> str:
    return " or ".join(sorted({str(value) for value in values}))
