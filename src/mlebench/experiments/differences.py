"""Paired differences between arms as a table: medals and percentiles with their intervals, and how sure one can be."""

from __future__ import annotations

from collections.abc import Sequence

from mlebench.analysis.compare import Comparison
from mlebench.analysis.statistics import Interval


def difference_rows(comparisons: Sequence[Comparison]) -> tuple[list[str], list[list[str | int | None]]]:
    """(column names, one row per pair of arms); differences are first minus second, p-values corrected by Holm."""
    header = ["arm", "against", "any medal", "percentile", "better in", "worse in", "p (Holm)"]
    rows: list[list[str | int | None]] = []
    for pair in comparisons:
        test = pair.sign_flip if pair.measure == "percentile" and pair.sign_flip is not None else pair.sign_test
        rows.append(
            [
                pair.first,
                pair.second,
                _difference(pair.medals),
                _difference(pair.percentile),
                len(pair.wins),
                len(pair.losses),
                f"{test.adjusted:.3g}",
            ]
        )
    return header, rows


def _difference(interval: Interval | None) -> str | None:
    if interval is None:
        return None
    has_bounds = interval.lower is not None and interval.upper is not None
    bounds = f"{interval.lower:+.2f} to {interval.upper:+.2f}" if has_bounds else "no interval"
    return f"{interval.difference:+.2f} ({bounds})"
