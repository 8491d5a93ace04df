"""Whether the numbers of two agents were made under the same conditions, and if not, what differs."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
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


def _instructions(record: RunRecord) -> str:
    added = _shortened(record.inputs.get("instructions"))
    parts = [
        record.variant,
        "obfuscated" if record.obfuscated else "",
        "renamed" if record.renaming else "",
        f"with additions {added}" if added else "",
    ]
    return ", ".join(part for part in parts if part)


def _shortened(sha256: str | None) -> str:
    return (sha256 or "")[:12]


# What must be the same for two numbers to be comparable, and how it is worded.
_CONDITIONS: dict[str, Callable[[RunRecord], str]] = {
    "limits": _limits,
    "hardware": _hardware,
    "variant of the instructions": _instructions,
    "network": lambda record: record.network,
    "sandbox": lambda record: str(record.sandbox),
}


# Which condition an option of a run decides about.
CONDITIONS_OF_OPTIONS = {
    "time_limit": "limits",
    "memory_limit": "limits",
    "cpus": "hardware",
    "gpus": "hardware",
    "variant": "variant of the instructions",
    "obfuscate": "variant of the instructions",
    "rename": "variant of the instructions",
    "rename_seed": "variant of the instructions",
    "instructions": "variant of the instructions",
    "network": "network",
    "sandbox": "sandbox",
    "material": "reading material",
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
        found["reading material"] = _material(records)
    return found


def _material(records: Sequence[RunRecord]) -> str:
    """What names the reading material of runs, which may be another one for each competition."""
    given = {(record.competition_id, sha256) for record in records if (sha256 := record.inputs.get("material"))}
    hashes = sorted({sha256 for _, sha256 in given})
    if len(hashes) < 2:
        return _shortened(hashes[0]) if hashes else "none"
    return f"{len(hashes)} folders, {_shortened(hashlib.sha256(''.join(hashes).encode()).hexdigest())}"


def differences_in_conditions(first: Reports, second: Reports, meant: Collection[str] = ()) -> list[str]:
    """Why two agents are not comparable, one sentence each; conditions that are `meant` to differ are left out.

    Of two arms of one experiment, what it varies is said to be meant.
    """
    mine, theirs = conditions(first), conditions(second)
    experiment, varied = _common_experiment(first, second)
    warnings = []
    for name, value in mine.items():
        if name not in theirs or theirs[name] == value or name in meant:
            continue
        start = f"The experiment {experiment} varies" if name in varied else "Not comparable in"
        warnings.append(f"{start} {name}: {first.name} has {value}, {second.name} has {theirs[name]}.")
    boards = _other_leaderboards(first, second)
    if boards:
        warnings.append(f"Not comparable in leaderboards: {', '.join(boards)} had other thresholds for medals.")
    unknown = [source.name for source in (first, second) if not any(_has_conditions(group) for group in source.groups)]
    if unknown:
        warnings.append(f"The conditions of {' and '.join(unknown)} are not recorded; they may differ.")
    warned = [source.name for source in (first, second) if _had_feedback(source)]
    return warnings + [f"{name} had feedback from the test set, so its numbers prove nothing." for name in warned]


def _common_experiment(first: Reports, second: Reports) -> tuple[str, set[str]]:
    """(name, the conditions that it varies) of the experiment that both are arms of; ("", nothing) if there is none."""
    arms = [group.arm for source in (first, second) for group in source.groups]
    known = [arm for arm in arms if arm is not None]
    if not known or len(known) < len(arms) or len({arm.experiment_id for arm in known}) > 1:
        return "", set()
    return known[0].experiment, {
        CONDITIONS_OF_OPTIONS[name] for name in known[0].varied if name in CONDITIONS_OF_OPTIONS
    }


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
