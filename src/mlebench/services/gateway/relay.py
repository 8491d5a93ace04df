"""Relaying one call: ask the upstream until it answers, pass its answer on as it comes, and read off what it used."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from mlebench.services.gateway.events import EventCutter, EventTooLongError, data_of
from mlebench.services.gateway.protocols import Endpoint, Form, error_body, error_event
from mlebench.services.gateway.server import Reply
from mlebench.services.gateway.upstream import Answer, Health, UnreachableError, UpstreamClient, is_busy, pause_before
from mlebench.services.gateway.usage import CallUsage, EdgeUsage, StreamUsage, usage_of_answer

_LARGEST_ERROR = 1 << 18
_LARGEST_ANSWER = 64 << 20  # of an answer that is read as a whole
_PASSED_HEADERS = ("request-id", "x-request-id", "retry-after")
_LOOK_EVERY = 0.25  # seconds between two looks whether a client that waits is still there


class Fault(Enum):
    """What is wrong with an upstream, and no doing of the agent."""

    KEY = "it refuses the key"
    FORBIDDEN = "it refuses the call"
    QUOTA = "its account is exhausted"
    DOWN = "it does not answer, or with errors alone"


@dataclass(frozen=True)
class Call:
    """A call that was checked: what is sent to the upstream. `model` is the upstream's name of it."""

    endpoint: Endpoint
    model: str
    body: bytes
    headers: Mapping[str, str]
    is_stream: bool
    hides_usage: bool
    number: int
    left_out: tuple[str, ...] = ()  # fields of the request that were not passed on


@dataclass
class Outcome:
    """How a call went. `was_begun` says that the upstream worked on it, so that it may have cost something."""

    status: int = 502
    upstream_status: int | None = None
    usage: CallUsage | None = None
    usage_is_complete: bool = False
    was_begun: bool = False
    received: int = 0
    retries: int = 0
    latency: float | None = None  # seconds until the first byte of the answer's body
    seconds: float = 0.0
    error: str | None = None
    fault: Fault | None = None
    on_response: Callable[[str], None] = lambda _: None
    response_id: str | None = None

    def note_response(self, identity: str | None) -> None:
        """Note the id of an answer, which the agent may refer to as soon as it has it."""
        if identity is not None and identity != self.response_id:
            self.response_id = identity
            self.on_response(identity)

    @property
    def succeeded(self) -> bool:
        """Whether the agent was given a whole answer."""
        return self.status < 400 and self.error is None

    def to_dict(self) -> dict[str, Any]:
        """What the line of a call says."""
        usage = self.usage
        return {
            "input_tokens": usage and usage.input_tokens,
            "cached_input_tokens": usage and usage.cached_input_tokens,
            "cache_write_tokens": usage and usage.cache_write_tokens,
            "output_tokens": usage and usage.output_tokens,
            "usage": None
            if not self.was_begun
            else "complete"
            if self.usage_is_complete
            else "partial"
            if usage
            else "none",
            "latency": None if self.latency is None else round(self.latency, 4),
            "seconds": round(self.seconds, 4),
            "retries": self.retries or None,
            "answer_bytes": self.received or None,
            "error": self.error,
        }


@dataclass(frozen=True)
class Exchange:
    """A call under way: what is asked, of whom, for whom, and how it goes.

    `closing` is set when the run ends, and nobody waits any longer. `record` is given the body of the answer.
    """

    call: Call
    client: UpstreamClient
    health: Health
    reply: Reply
    outcome: Outcome
    closing: threading.Event
    record: Callable[[bytes], None] = lambda _: None
    began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.began


def relay(exchange: Exchange) -> None:
    """Ask, and pass the answer on; how it went is noted in the outcome."""
    try:
        answer = _asked(exchange)
        if answer is None:
            return
        try:
            _pass_on(exchange, answer)
        finally:
            answer.close()
    finally:
        exchange.outcome.seconds = exchange.seconds


def _asked(exchange: Exchange) -> Answer | None:
    """The answer of the upstream, which is asked again while it is busy; None where the agent was told an error."""
    call, health, outcome = exchange.call, exchange.health, exchange.outcome
    while True:
        headers: dict[str, str] = {}
        wait, status, body = 0.0, 502, b""
        try:
            answer = exchange.client.ask(
                "POST", call.endpoint.path, call.endpoint.protocol, body=call.body, headers=call.headers
            )
        except UnreachableError as error:
            outcome.error, outcome.upstream_status = str(error), None
            wait = pause_before(outcome.retries)
        else:
            outcome.upstream_status = answer.status
            if 200 <= answer.status < 300:
                outcome.error = None
                return answer
            status, body, headers = _error(exchange.client, answer)
            outcome.error = f"status {answer.status}"
            if (fault := _fault(answer.status, body)) is not None or not is_busy(answer.status):
                health.note(works=fault is None)
                outcome.fault = fault
                _tell_error(exchange, status, body, headers)
                return None
            wait = pause_before(outcome.retries, answer.header("retry-after"), answer.header("retry-after-ms"))
        health.note(works=False)
        left = health.patience - exchange.seconds
        if left <= 0 or health.is_dead or not _waited(min(wait, left), exchange):
            outcome.fault = Fault.DOWN
            _tell_error(exchange, status, body, headers)
            return None
        outcome.retries += 1


def _waited(seconds: float, exchange: Exchange) -> bool:
    """Wait; whether anybody still waits for the answer."""
    end = time.monotonic() + seconds
    while True:
        pause = min(_LOOK_EVERY, max(0.0, end - time.monotonic()))
        if exchange.closing.wait(pause) or exchange.reply.is_gone():
            return False
        if time.monotonic() >= end:
            return True


def _error(client: UpstreamClient, answer: Answer) -> tuple[int, bytes, dict[str, str]]:
    """The status, the body without the key, and the headers of an answer that is an error."""
    body = b""
    try:
        while len(body) < _LARGEST_ERROR and (piece := answer.read()):
            body += piece
    except UnreachableError:
        body = b""
    finally:
        answer.close()
    return answer.status, client.masked(body[:_LARGEST_ERROR]), _passed(answer)


def _passed(answer: Answer) -> dict[str, str]:
    found = {name: answer.header(name) for name in _PASSED_HEADERS}
    return {name: value for name, value in found.items() if value and value.isascii() and value.isprintable()}


def _fault(status: int, body: bytes) -> Fault | None:
    """What is wrong with the upstream's account or key, if that is what an error means."""
    if status in (401, 402):
        return Fault.KEY if status == 401 else Fault.QUOTA
    if status == 403:
        return Fault.FORBIDDEN
    if status == 429:
        try:
            error = json.loads(body).get("error")
            codes = (error.get("code"), error.get("type"))
        except (ValueError, AttributeError, RecursionError):
            return None
        return Fault.QUOTA if "insufficient_quota" in codes else None
    return None


def _tell_error(exchange: Exchange, status: int, body: bytes, headers: Mapping[str, str]) -> None:
    """Tell the agent about an error: its own mistakes as the upstream words them, everything else in our words."""
    outcome = exchange.outcome
    is_account = outcome.fault in (Fault.KEY, Fault.QUOTA)
    if outcome.upstream_status is None or 300 <= status < 400 or is_account or not body:
        reason = "it redirects, which is not followed" if 300 <= status < 400 else outcome.error or "no answer"
        status = status if status >= 400 and not is_account else 502
        body = _unavailable(exchange.call, status, reason)
    outcome.status = status
    exchange.reply.whole(status, body, headers)


def _unavailable(call: Call, status: int, reason: str) -> bytes:
    sentence = f"The model endpoint cannot be used now: {reason}."
    return error_body(call.endpoint.protocol, status, "model_endpoint", sentence)


def _pass_on(exchange: Exchange, answer: Answer) -> None:
    """Pass on an answer in the way of its kind, and note whether it came to its end."""
    outcome = exchange.outcome
    outcome.was_begun, outcome.status = True, answer.status
    kind = answer.header("content-type").partition(";")[0].strip().lower()
    if answer.header("content-encoding").strip().lower() not in ("", "identity"):
        _tell_unusable(exchange, "its answer is compressed, which was not asked for")
    elif kind == "text/event-stream":
        _pass_stream(exchange, answer)
    elif exchange.call.endpoint.form is Form.EMBEDDINGS:
        _pass_vectors(exchange, answer)
    else:
        _pass_whole(exchange, answer)
    # An upstream that breaks off every answer is as useless to the agent as one that gives none.
    exchange.health.note(works=outcome.error is None)
    outcome.fault = None if outcome.error is None else Fault.DOWN


def _tell_unusable(exchange: Exchange, reason: str) -> None:
    exchange.outcome.error, exchange.outcome.status = reason, 502
    exchange.reply.whole(502, _unavailable(exchange.call, 502, reason))


def _pass_whole(exchange: Exchange, answer: Answer) -> None:
    outcome, endpoint = exchange.outcome, exchange.call.endpoint
    pieces: list[bytes] = []
    try:
        while piece := _piece(exchange, answer):
            pieces.append(piece)
            if outcome.received > _LARGEST_ANSWER:
                raise UnreachableError("its answer is too large")
    except UnreachableError as error:
        _tell_unusable(exchange, str(error))
        return
    body = exchange.client.masked(b"".join(pieces))
    exchange.record(body)
    outcome.usage = usage_of_answer(endpoint.form, body) if endpoint.has_usage else None
    outcome.usage_is_complete = outcome.usage is not None
    if endpoint.form is Form.RESPONSES:
        outcome.note_response(_identity(body))
    exchange.reply.whole(answer.status, body, _passed(answer))


def _pass_vectors(exchange: Exchange, answer: Answer) -> None:
    """Vectors are large: they are passed on as they come."""
    usage, reply, outcome = EdgeUsage(), exchange.reply, exchange.outcome
    reply.begin(answer.status, {"Content-Type": "application/json", **_passed(answer)})
    try:
        while piece := _piece(exchange, answer):
            usage.feed(piece)
            exchange.record(piece)
            reply.write(piece)
        reply.end()
    except UnreachableError as error:
        outcome.error = str(error)
    outcome.usage = usage.usage(Form.EMBEDDINGS)
    outcome.usage_is_complete = outcome.usage is not None


def _pass_stream(exchange: Exchange, answer: Answer) -> None:
    """Pass on events as they come; also when the client has left, for the usage is told at the end."""
    endpoint, reply, outcome = exchange.call.endpoint, exchange.reply, exchange.outcome
    usage, cutter = StreamUsage(endpoint.form), EventCutter()
    headers = {"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-cache", **_passed(answer)}
    reply.begin(answer.status, headers)
    try:
        while piece := _piece(exchange, answer):
            for event in cutter.feed(piece):
                _pass_event(exchange, event, usage)
        if rest := cutter.rest():
            _pass_event(exchange, rest, usage)
        if not usage.has_ended and endpoint.form is not Form.CHAT:
            raise UnreachableError("the stream ended early")
        reply.end()
    except (UnreachableError, EventTooLongError) as error:
        outcome.error = str(error) or "an event without an end"
        reply.write(error_event(endpoint, "model_endpoint", f"The model endpoint cut the answer: {outcome.error}."))
    outcome.usage, outcome.usage_is_complete = usage.usage(), usage.is_complete


def _pass_event(exchange: Exchange, event: bytes, usage: StreamUsage) -> None:
    value = usage.note(data) if (data := data_of(event)) else None
    exchange.outcome.note_response(usage.response_id)
    is_usage_alone = isinstance(value, dict) and value.get("choices") == [] and isinstance(value.get("usage"), dict)
    event = exchange.client.masked(event)
    exchange.record(event)
    if not (exchange.call.hides_usage and is_usage_alone):
        exchange.reply.write(event)


def _piece(exchange: Exchange, answer: Answer) -> bytes:
    piece = answer.read()
    if exchange.outcome.latency is None:
        exchange.outcome.latency = exchange.seconds
    exchange.outcome.received += len(piece)
    return piece


def _identity(body: bytes) -> str | None:
    try:
        found = json.loads(body).get("id")
    except (ValueError, AttributeError, RecursionError):
        return None
    return found if isinstance(found, str) else None
