"""The count of one run: what its calls used, by model, and whether its budgets allow another.

Budgets hold with many calls at once. A call that could exceed one together with those under way waits until these have
ended; so a budget is exceeded by one call at most, the last that begins.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mlebench.services.gateway.options import ModelBudgets, Price
from mlebench.services.gateway.usage import CallUsage

_MILLION = 1_000_000
_MOST_MODELS = 100  # names that are listed apart; an agent decides on names where all models are allowed
_OTHERS = "others"
_UNKNOWN_OUTPUT = 8192  # tokens that an answer is expected to have, where neither request nor experience says so


class GaveUpError(Exception):
    """Nobody waits any longer for a call that waited for its turn."""


class BudgetSpentError(Exception):
    """The budget of the run is spent; which one, in a sentence."""

    def __init__(self, budget: str, sentence: str) -> None:
        super().__init__(sentence)
        self.budget, self.sentence = budget, sentence


@dataclass
class ModelCount:
    """What was used of one model. `usd` is None where something of it has no known price."""

    requests: int = 0
    failed: int = 0
    without_usage: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    usd: float | None = 0.0

    def to_dict(self) -> dict[str, Any]:
        """As run.json has it."""
        values = dict(vars(self))
        values["usd"] = None if self.usd is None else round(self.usd, 6)
        return values


@dataclass(frozen=True)
class Reservation:
    """What a call under way may use at most, as far as can be known."""

    model: str
    tokens: int
    usd: float


@dataclass
class Ledger:
    """Counts the calls of one run; safe for many threads."""

    budgets: ModelBudgets
    prices: Mapping[str, Price]
    models: dict[str, ModelCount] = field(default_factory=dict)
    refused: int = 0
    estimated_tokens: int = 0  # of answers that did not tell their usage; for the budget alone
    estimated_usd: float = 0.0

    def __post_init__(self) -> None:
        self._changed = threading.Condition()
        self._under_way: list[Reservation] = []
        self._largest_output = 0

    def reserve(
        self,
        model: str,
        request_bytes: int,
        largest_output: int | None,
        gives_up: Callable[[], bool] = lambda: False,
    ) -> Reservation:
        """Admit a call, at once or when those under way leave room; a BudgetSpentError if the budget is spent.

        While it waits, `gives_up` is asked whether anybody still wants it; a GaveUpError if not.
        """
        with self._changed:
            while True:
                self._require_budget()
                output = largest_output
                if output is None:
                    output = self._largest_output or _UNKNOWN_OUTPUT
                # No tokenizer makes more than one token of a byte, and few less than one of four.
                usage = CallUsage(input_tokens=request_bytes // 3, output_tokens=output)
                reservation = Reservation(model, usage.total, self._cost(model, usage) or 0.0)
                if not self._under_way or self._has_room(reservation):
                    self._under_way.append(reservation)
                    self._count(model).requests += 1
                    return reservation
                self._changed.wait(1.0)
                if gives_up():
                    raise GaveUpError

    def _require_budget(self) -> None:
        budgets = self.budgets
        if budgets.requests is not None and self.requests >= budgets.requests:
            raise BudgetSpentError(
                "requests", f"The run has made all {budgets.requests:,} calls of a model that it may."
            )
        if budgets.tokens is not None and self.tokens >= budgets.tokens:
            raise BudgetSpentError("tokens", f"The run has used all {budgets.tokens:,} tokens that it may.")
        if budgets.usd is not None and self._spent_usd() >= budgets.usd:
            raise BudgetSpentError("usd", f"The run has spent all {budgets.usd:g} US dollars that it may.")

    def _has_room(self, wanted: Reservation) -> bool:
        budgets = self.budgets
        all_of = [*self._under_way, wanted]
        if budgets.tokens is not None and self.tokens + sum(call.tokens for call in all_of) > budgets.tokens:
            return False
        return budgets.usd is None or self._spent_usd() + sum(call.usd for call in all_of) <= budgets.usd

    def settle(
        self,
        reservation: Reservation,
        usage: CallUsage | None,
        *,
        failed: bool,
        answer_bytes: int = 0,
        used: bool = True,
        is_complete: bool = True,
    ) -> float | None:
        """Note what a call has used; what it cost, None where that is unknown.

        `used` says that the provider worked on it, `is_complete` that its usage is that of the whole answer. What a
        call did not tell is estimated for the budget.
        """
        with self._changed:
            self._under_way.remove(reservation)
            count = self._count(reservation.model)
            count.failed += failed
            usd: float | None = 0.0
            if usage is not None:
                count.input_tokens += usage.input_tokens
                count.cached_input_tokens += usage.cached_input_tokens
                count.cache_write_tokens += usage.cache_write_tokens
                count.output_tokens += usage.output_tokens
                self._largest_output = max(self._largest_output, usage.output_tokens)
                usd = self._cost(reservation.model, usage)
            if used and (usage is None or not is_complete):
                count.without_usage += 1
                told = 0 if usage is None else usage.total
                guess = min(reservation.tokens, reservation.tokens // 2 + answer_bytes // 3)
                self.estimated_tokens += max(0, guess - told)
                self.estimated_usd += max(0.0, reservation.usd - (usd or 0.0))
                usd = None
            count.usd = None if usd is None or count.usd is None else count.usd + usd
            self._changed.notify_all()
            return usd

    def refuse(self) -> None:
        """Note a call that was refused."""
        with self._changed:
            self.refused += 1

    @property
    def requests(self) -> int:
        """All calls so far."""
        return sum(count.requests for count in self.models.values())

    @property
    def tokens(self) -> int:
        """All tokens so far, in and out, with an estimate of what was not told."""
        told = sum(count.input_tokens + count.output_tokens for count in self.models.values())
        return told + self.estimated_tokens

    def _spent_usd(self) -> float:
        """What is known to be spent; a budget in dollars needs the price of every model (see `preflight`)."""
        return self._known_usd + self.estimated_usd

    @property
    def _known_usd(self) -> float:
        total = 0.0
        for name, count in self.models.items():
            plain = CallUsage(
                count.input_tokens, count.cached_input_tokens, count.cache_write_tokens, count.output_tokens
            )
            total += self._cost(name, plain) or 0.0
        return total

    def _cost(self, model: str, usage: CallUsage) -> float | None:
        price = self.prices.get(model)
        return None if price is None else cost(usage, price)

    def _count(self, model: str) -> ModelCount:
        if model not in self.models and len(self.models) >= _MOST_MODELS:
            model = _OTHERS
        return self.models.setdefault(model, ModelCount())

    def to_dict(self) -> dict[str, Any]:
        """What run.json has as `model_usage`: sums, and the same by model."""
        with self._changed:
            by_model = {name: count.to_dict() for name, count in sorted(self.models.items())}
            refused = self.refused
        sums: dict[str, Any] = {
            name: sum(count[name] for count in by_model.values())
            for name in ("requests", "failed", "without_usage", "input_tokens", "cached_input_tokens")
        }
        sums |= {
            name: sum(count[name] for count in by_model.values()) for name in ("cache_write_tokens", "output_tokens")
        }
        costs = [count["usd"] for count in by_model.values()]
        usd = None if None in costs else round(sum(costs), 6)
        return {**sums, "refused": refused, "usd": usd, "by_model": by_model}


def cost(usage: CallUsage, price: Price) -> float:
    """US dollars for what was used."""
    plain = usage.input_tokens - usage.cached_input_tokens - usage.cache_write_tokens
    parts = (
        (plain, price.input),
        (usage.cached_input_tokens, price.cached_input),
        (usage.cache_write_tokens, price.cache_write),
        (usage.output_tokens, price.output),
    )
    return sum(tokens * dollars for tokens, dollars in parts) / _MILLION
