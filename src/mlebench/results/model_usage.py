"""What a run used of models, as the gateway counted it; beside that an agent may report numbers of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mlebench.base.wording import counted
from mlebench.results.records import RunRecord


@dataclass(frozen=True)
class ModelUsage:
    """Counted calls and tokens; `usd` is None where a price is not known."""

    requests: int
    input_tokens: int
    output_tokens: int
    usd: float | None

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.input_tokens + self.output_tokens

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return asdict(self)

    @property
    def in_words(self) -> str:
        """For a line of a table, such as `12 calls, 34,567 tokens, $0.12`."""
        cost = "" if self.usd is None else f", ${self.usd:.2f}"
        return f"{counted(self.requests, 'call')}, {counted(self.tokens, 'token')}{cost}"


def counted_usage(record: RunRecord) -> ModelUsage | None:
    """What was counted for a run; None where its agent had no gateway."""
    return usage_from(record.model_usage)


def usage_from(found: Mapping[str, Any]) -> ModelUsage | None:
    """What was counted, from the values of a record or an event; None where nothing was."""
    if not found:
        return None
    requests, input_tokens, output_tokens = (
        int(found.get(name) or 0) for name in ("requests", "input_tokens", "output_tokens")
    )
    usd = found.get("usd")
    return ModelUsage(requests, input_tokens, output_tokens, None if usd is None else float(usd))


def summed_usage(usages: Iterable[ModelUsage]) -> ModelUsage | None:
    """The sum over runs; None of none. A sum with something unknown in it is unknown."""
    listed = list(usages)
    if not listed:
        return None
    costs = [usage.usd for usage in listed]
    return ModelUsage(
        requests=sum(usage.requests for usage in listed),
        input_tokens=sum(usage.input_tokens for usage in listed),
        output_tokens=sum(usage.output_tokens for usage in listed),
        usd=None if None in costs else sum(cost or 0.0 for cost in costs),
    )
