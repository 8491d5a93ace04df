"""How AIDE calls models here: every one through the gateway, never without end, its tokens counted."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

import harness
from aide import backend, journal2report
from aide.backend import backend_anthropic, backend_openai

_FIRST_PAUSE, _LONGEST_PAUSE = 1.5, 60.0  # seconds, as AIDE has them
_PATIENCE = 900.0  # seconds of failing calls in a row, after which the search ends; the gateway tries again by itself
used = {"tokens": 0}


class NoAnswerError(Exception):
    """The model did not answer for long, or time is up."""


def provider_of(model: str) -> str:
    """Who is asked: the gateway has two protocols, and fixed addresses of Google or OpenRouter lead nowhere."""
    return "anthropic" if harness.uses_anthropic(model) else "openai"


def call_with_patience(create: Callable[..., Any], retried: Any, *arguments: Any, **options: Any) -> Any:
    """Call a model, again after failures that may pass; AIDE's own function never gives up."""
    began, pause = time.monotonic(), _FIRST_PAUSE
    while True:
        try:
            return create(*arguments, timeout=max(1.0, harness.time_left()), **options)
        except tuple(retried) as error:
            left = min(_PATIENCE - (time.monotonic() - began), harness.time_left())
            if left <= pause:
                raise NoAnswerError(f"The model does not answer: {error}") from error
            harness.note("error", f"A call of the model failed and is tried again: {error}")
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


def counting(query: Callable[..., Any]) -> Callable[..., Any]:
    """The query of a backend, which returns its tokens third and fourth."""

    def counted(*arguments: Any, **options: Any) -> Any:
        # The chat protocol has no `max_output_tokens`, to which AIDE renames it: its final report would fail.
        options.pop("max_tokens", None)
        answer = query(*arguments, **options)
        used["tokens"] += answer[2] + answer[3]
        return answer

    return counted


def tokens_since(before: int) -> int:
    """How many tokens were used since there were so many."""
    return used["tokens"] - before


def route_to_gateway() -> None:
    """Point all of AIDE's backends to the gateway."""
    address = os.environ.get("OPENAI_BASE_URL")
    if address:  # models named gpt-*, o?-* and codex-* are asked at this constant, whatever the variable says
        backend_openai.OPENAI_BASE_URL = address
    backend.determine_provider = provider_of
    for module in (backend_openai, backend_anthropic):
        module.backoff_create = call_with_patience
    backend.provider_to_query_func = {
        "openai": counting(backend_openai.query),
        "anthropic": counting(backend_anthropic.query),
    }
    journal2report.query = backend.query
