"""What a call used, read from the answer of each protocol, streamed or not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mlebench.services.gateway.protocols import Form

_MOST_TOKENS = 10**12  # of one call; more is nonsense
_EDGE = 1 << 16  # bytes at the begin and the end of a large answer in which its usage is looked for
_USAGE = re.compile(rb'"usage"\s*:\s*(\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})')


@dataclass(frozen=True)
class CallUsage:
    """What one call used.

    `input_tokens` are all that went in. Of these `cached_input_tokens` were read from a cache of the provider, and
    `cache_write_tokens` were written to one; both have prices of their own.
    """

    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0

    @property
    def total(self) -> int:
        """All tokens."""
        return self.input_tokens + self.output_tokens


def parse_usage(form: Form, usage: Any) -> CallUsage | None:
    """The usage that an answer tells; None where it has no such form."""
    if not isinstance(usage, Mapping):
        return None
    if form is Form.MESSAGES:
        plain, output = _count(usage, "input_tokens"), _count(usage, "output_tokens")
        cached, written = _count(usage, "cache_read_input_tokens"), _count(usage, "cache_creation_input_tokens")
        if plain is None or output is None:
            return None
        # Anthropic counts what was read from or written to a cache apart.
        cached, written = cached or 0, written or 0
        return CallUsage(plain + cached + written, cached, written, output)
    if form is Form.RESPONSES:
        return _openai_usage(usage, "input_tokens", "input_tokens_details", "output_tokens")
    if form is Form.EMBEDDINGS and "completion_tokens" not in usage:
        usage = {**usage, "completion_tokens": 0}
    return _openai_usage(usage, "prompt_tokens", "prompt_tokens_details", "completion_tokens")


def _openai_usage(usage: Mapping[str, Any], input_name: str, details_name: str, output_name: str) -> CallUsage | None:
    total, output = _count(usage, input_name), _count(usage, output_name)
    if total is None or output is None:
        return None
    details = usage.get(details_name)
    cached = _count(details, "cached_tokens") if isinstance(details, Mapping) else None
    return CallUsage(total, min(cached or 0, total), 0, output)


def _count(values: Mapping[str, Any], name: str) -> int | None:
    value = values.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST_TOKENS:
        return None
    return value


def usage_of_answer(form: Form, body: bytes) -> CallUsage | None:
    """The usage in an answer that is one JSON object."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return parse_usage(form, value.get("usage")) if isinstance(value, dict) else None


class EdgeUsage:
    """Finds the usage of a large answer (vectors) in its first and last bytes, without holding the rest."""

    def __init__(self) -> None:
        self._head, self._tail = b"", b""

    def feed(self, piece: bytes) -> None:
        """Take the next piece of the answer."""
        room = _EDGE - len(self._head)
        self._head += piece[:room]
        self._tail = (self._tail + piece[room:])[-_EDGE:]

    def usage(self, form: Form) -> CallUsage | None:
        """What was found."""
        for found in reversed(_USAGE.findall(self._head + self._tail)):
            try:
                value = json.loads(found)
            except (ValueError, RecursionError):
                continue
            if (usage := parse_usage(form, value)) is not None:
                return usage
        return None


class StreamUsage:
    """Follows the events of a stream: what it used, and whether it came to its end."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._told: dict[str, Any] = {}
        self.has_ended = False
        self.response_id: str | None = None

    def note(self, data: bytes) -> Any:
        """Take the data of one event; the parsed value, None where it is no JSON."""
        if data.strip() == b"[DONE]":
            self.has_ended = True
            return None
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return None
        if isinstance(value, dict):
            self._note_value(value)
        return value

    def _note_value(self, value: Mapping[str, Any]) -> None:
        kind = value.get("type")
        if self._form is Form.MESSAGES:
            message = value.get("message") if kind == "message_start" else value
            if kind in ("message_start", "message_delta") and isinstance(message, Mapping):
                self._merge(message.get("usage"))
            self.has_ended = self.has_ended or kind == "message_stop"
        elif self._form is Form.RESPONSES:
            response = value.get("response")
            if isinstance(response, Mapping):
                identity = response.get("id")
                self.response_id = identity if isinstance(identity, str) else self.response_id
                if kind in ("response.completed", "response.incomplete", "response.failed"):
                    self._merge(response.get("usage"))
                    self.has_ended = True
        else:
            self._merge(value.get("usage"))

    def _merge(self, usage: Any) -> None:
        """Counts are cumulative: what an event tells takes the place of what an earlier one told."""
        if isinstance(usage, Mapping):
            self._told |= {name: value for name, value in usage.items() if value is not None}

    def usage(self) -> CallUsage | None:
        """What was told so far."""
        return parse_usage(self._form, self._told)

    @property
    def is_complete(self) -> bool:
        """Whether the usage is that of the whole answer; a chat tells it once, at the end."""
        return self.usage() is not None and (self.has_ended or self._form is Form.CHAT)
