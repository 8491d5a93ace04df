"""What runs cost: hours, memory, tokens and money, as they were counted and as agents report them."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import mean

from mlebench.results.model_usage import ModelUsage, counted_usage, summed_usage
from mlebench.results.result_line import result_of_run
from mlebench.results.sources import Reports


@dataclass(frozen=True)
class Cost:
    """Sums over runs; tokens and money only of the runs that report them, None where none does.

    `counted` is what the gateway counted for the `runs_counted` runs that called models through it.
    """

    runs: int
    hours: float
    hours_per_run: float
    peak_memory_mb: float | None
    runs_with_usage: int
    input_tokens: int | None
    output_tokens: int | None
    usd: float | None
    runs_counted: int = 0
    counted: ModelUsage | None = None


def cost_of(source: Reports) -> Cost | None:
    """What the runs of a source cost; None for reports without run groups."""
    runs = source.runs
    seconds = [float(run.record.usage["seconds"]) for run in runs if run.record.usage.get("seconds") is not None]
    if not seconds:
        return None
    peaks = [run.record.usage.get("peak_memory_bytes") for run in runs]
    known_peaks = [peak for peak in peaks if peak]
    results = [result_of_run(run.folder) for run in runs]
    usages = [run.result.usage for run in results if run.result is not None and run.result.usage is not None]
    counted = [usage for run in runs if (usage := counted_usage(run.record)) is not None]
    return Cost(
        runs=len(runs),
        hours=sum(seconds) / 3600,
        hours_per_run=mean(seconds) / 3600,
        peak_memory_mb=max(known_peaks) / (1 << 20) if known_peaks else None,
        runs_with_usage=len(usages),
        input_tokens=sum(usage.input_tokens for usage in usages) if usages else None,
        output_tokens=sum(usage.output_tokens for usage in usages) if usages else None,
        usd=sum(usage.usd for usage in usages) if usages else None,
        runs_counted=len(counted),
        counted=summed_usage(counted),
    )
