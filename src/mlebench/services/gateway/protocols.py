"""The protocols that the gateway speaks: its endpoints, and how each protocol words an error."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Protocol(StrEnum):
    """A family of endpoints, with its own headers and its own form of errors."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


class Form(StrEnum):
    """What a request and its answer look like."""

    CHAT = "chat"
    RESPONSES = "responses"
    MESSAGES = "messages"
    EMBEDDINGS = "embeddings"
    COUNT_TOKENS = "count_tokens"


@dataclass(frozen=True)
class Endpoint:
    """One path that takes a body; `path` is the one below /v1."""

    form: Form
    path: str
    protocol: Protocol

    @property
    def is_streamable(self) -> bool:
        """Whether an answer may come as a stream of events."""
        return self.form in (Form.CHAT, Form.RESPONSES, Form.MESSAGES)

    @property
    def has_usage(self) -> bool:
        """Whether an answer says what it used; counting tokens is free."""
        return self.form is not Form.COUNT_TOKENS


_ENDPOINTS = (
    Endpoint(Form.CHAT, "/chat/completions", Protocol.OPENAI),
    Endpoint(Form.RESPONSES, "/responses", Protocol.OPENAI),
    Endpoint(Form.EMBEDDINGS, "/embeddings", Protocol.OPENAI),
    Endpoint(Form.MESSAGES, "/messages", Protocol.ANTHROPIC),
    Endpoint(Form.COUNT_TOKENS, "/messages/count_tokens", Protocol.ANTHROPIC),
)
ENDPOINTS = {f"/v1{endpoint.path}": endpoint for endpoint in _ENDPOINTS}
MODELS_PATH = "/v1/models"

# The names that Anthropic's protocol has for errors, by status.
_ANTHROPIC_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}
_OPENAI_ERRORS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


class RefusedError(Exception):
    """A request that the gateway refuses: the status, a code for programs, and a sentence for people."""

    def __init__(self, status: int, code: str, sentence: str, *, param: str | None = None) -> None:
        super().__init__(sentence)
        self.status, self.code, self.sentence, self.param = status, code, sentence, param


def error_body(protocol: Protocol, status: int, code: str, sentence: str, param: str | None = None) -> bytes:
    """An error in the words of a protocol."""
    value: dict[str, Any]
    if protocol is Protocol.ANTHROPIC:
        kind = _ANTHROPIC_ERRORS.get(status, "api_error" if status >= 500 else "invalid_request_error")
        value = {"type": "error", "error": {"type": kind, "message": sentence}}
    else:
        kind = _OPENAI_ERRORS.get(status, "server_error" if status >= 500 else "invalid_request_error")
        value = {"error": {"message": sentence, "type": kind, "param": param, "code": code}}
    return json.dumps(value).encode()


def error_event(endpoint: Endpoint, code: str, sentence: str) -> bytes:
    """An error within a stream that has begun, as an event of the protocol."""
    if endpoint.form is Form.MESSAGES:
        return b"event: error\ndata: " + error_body(Protocol.ANTHROPIC, 500, code, sentence) + b"\n\n"
    if endpoint.form is Form.RESPONSES:
        value = {"type": "error", "code": code, "message": sentence, "param": None}
        return b"event: error\ndata: " + json.dumps(value).encode() + b"\n\n"
    return b"data: " + error_body(Protocol.OPENAI, 500, code, sentence) + b"\n\n"


def models_body(protocol: Protocol, names: list[str]) -> dict[str, Any]:
    """The list of models in the words of a protocol."""
    if protocol is Protocol.ANTHROPIC:
        first, last = (names[0], names[-1]) if names else (None, None)
        return {
            "data": [model_body(protocol, name) for name in names],
            "has_more": False,
            "first_id": first,
            "last_id": last,
        }
    return {"object": "list", "data": [model_body(protocol, name) for name in names]}


def model_body(protocol: Protocol, name: str) -> dict[str, Any]:
    """One model in the words of a protocol."""
    if protocol is Protocol.ANTHROPIC:
        return {"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
    return {"id": name, "object": "model", "created": 0, "owned_by": "mlebench"}
