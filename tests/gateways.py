"""A gateway that is open for a test, and a plain client of it."""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from model_server import ModelServer

from mlebench.competition.local import LocalCompetition
from mlebench.services.gateway.options import GatewayOptions, ModelBudgets, Price, parse_models, parse_upstream
from mlebench.services.gateway.service import OpenGateway
from mlebench.services.interface import ServiceContext

TOKEN = "token-of-this-run-and-no-other"
KEY = "sk-planted-0123456789abcdef"
KEY_VARIABLE = "MLEBENCH_TEST_MODEL_KEY"
PRICES = {"scripted": Price(input=2.0, output=8.0, cached_input=0.5, cache_write=2.5)}

BODIES: dict[str, dict[str, Any]] = {
    "chat": {"messages": [{"role": "user", "content": "Hello, how are you?"}]},
    "responses": {"input": "Hello, how are you?"},
    "messages": {"messages": [{"role": "user", "content": "Hello, how are you?"}], "max_tokens": 100},
    "embeddings": {"input": ["one", "two"]},
    "count_tokens": {"messages": [{"role": "user", "content": "Hello, how are you?"}]},
}
PATHS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "messages": "/v1/messages",
    "embeddings": "/v1/embeddings",
    "count_tokens": "/v1/messages/count_tokens",
}


def options(server: ModelServer | str, *models: str, **changes: Any) -> GatewayOptions:
    """Options for one upstream."""
    url = server if isinstance(server, str) else server.url
    has_key = not isinstance(server, str) and server.key is not None
    upstream = parse_upstream(f"{url},key={KEY_VARIABLE if has_key else 'none'}", {})
    given: dict[str, Any] = {"upstreams": (upstream,), "models": parse_models(models), "patience": 5.0, **changes}
    return GatewayOptions(**given)


def budgets(**amounts: Any) -> ModelBudgets:
    """Budgets by name."""
    return ModelBudgets(**amounts)


@dataclass
class Opened:
    """An open gateway, and what it asked of the run."""

    gateway: OpenGateway
    port: int
    ended: list[tuple[str, str]] = field(default_factory=list)

    @property
    def usage(self) -> dict[str, Any]:
        """What run.json would have."""
        return dict(self.gateway.model_usage())


@contextmanager
def opened(chosen: GatewayOptions, folder: Path | None = None) -> Iterator[Opened]:
    """A gateway on a port of this machine."""
    ended: list[tuple[str, str]] = []
    context = ServiceContext(
        "run",
        cast(LocalCompetition, None),
        None,
        TOKEN,
        json.loads(json.dumps(chosen.to_dict())),
        folder=folder,
        end_run=lambda code, sentence: ended.append((code, sentence)),
    )
    gateway = OpenGateway(context)
    assert gateway.port is not None
    try:
        yield Opened(gateway, gateway.port, ended)
    finally:
        gateway.close()


@dataclass(frozen=True)
class Answer:
    """An answer of the gateway."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Its body."""
        return json.loads(self.body)

    @property
    def events(self) -> list[Any]:
        """The data of its events, the end mark of a chat left out."""
        lines = [line[6:] for line in self.body.decode().splitlines() if line.startswith("data: ")]
        return [json.loads(line) for line in lines if line != "[DONE]"]

    @property
    def text(self) -> str:
        """The sentence of an error."""
        return str(self.json["error"]["message"])


def ask(
    port: int,
    endpoint: str = "chat",
    *,
    model: str | None = "scripted",
    token: str | None = TOKEN,
    headers: Mapping[str, str] | None = None,
    raw: bytes | None = None,
    **values: Any,
) -> Answer:
    """Ask for an answer."""
    body = {**({"model": model} if model is not None else {}), **BODIES[endpoint], **values}
    name, prefix = ("x-api-key", "") if PATHS[endpoint].startswith("/v1/messages") else ("Authorization", "Bearer ")
    sent = {"Content-Type": "application/json", **({name: prefix + token} if token else {}), **(headers or {})}
    return request(port, "POST", PATHS[endpoint], json.dumps(body).encode() if raw is None else raw, sent)


def request(port: int, method: str, path: str, body: bytes | None = None, headers: Any = None) -> Answer:
    """Any request."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body=body, headers=headers or {})
        response = connection.getresponse()
        try:
            content = response.read()
        except http.client.IncompleteRead as error:
            content = error.partial
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, content)
    finally:
        connection.close()


def send(port: int, data: bytes, *, half_close: bool = False) -> bytes:
    """Everything that comes back for some bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(data)
        if half_close:
            connection.shutdown(socket.SHUT_WR)
        found = b""
        try:
            while piece := connection.recv(1 << 16):
                found += piece
        except ConnectionResetError:
            pass
        return found
