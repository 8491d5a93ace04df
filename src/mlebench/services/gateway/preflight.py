"""What is asked before any run begins: that every key is set, every endpoint answers, and every model is there."""

from __future__ import annotations

import json
from dataclasses import replace
from difflib import get_close_matches
from typing import Any
from urllib.parse import quote

from mlebench.services.gateway.options import GatewayError, GatewayOptions, Model
from mlebench.services.gateway.protocols import Protocol
from mlebench.services.gateway.upstream import UnreachableError, UpstreamClient

_SECONDS = 15.0
_LARGEST_LIST = 8 << 20
_MOST_MODELS = 10_000


def check_keys(options: GatewayOptions) -> list[str | None]:
    """The keys of all upstreams, from the environment; an error names the variable that is not set."""
    return [upstream.key() for upstream in options.upstreams]


def check_endpoints(options: GatewayOptions) -> GatewayOptions:
    """Ask every upstream for its models; the same options, with the upstream of each model.

    One sentence says what is wrong: a key that is not set or refused, an address that does not answer, a model that is
    nowhere. An endpoint that has no list of models is believed.
    """
    keys = check_keys(options)
    clients = [UpstreamClient(upstream, key) for upstream, key in zip(options.upstreams, keys, strict=True)]
    try:
        lists = [_list_of(client) for client in clients]
        models = tuple(_with_upstream(model, clients, lists) for model in options.models)
    finally:
        for client in clients:
            client.close()
    return replace(options, models=models)


def _list_of(client: UpstreamClient) -> list[str] | None:
    protocol = Protocol(client.upstream.protocols[0])
    try:
        return listed_models(client, protocol)
    except UnreachableError as error:
        raise GatewayError(
            f"The model endpoint {client.upstream.url} does not answer: {error}.",
            hint="Check the address and whether this machine may reach it.",
        ) from error


def listed_models(client: UpstreamClient, protocol: Protocol) -> list[str] | None:
    """The names of an upstream's models; None where it does not list them. An UnreachableError if it is down."""
    status, value = _get(client, protocol, "/models" + ("?limit=1000" if protocol is Protocol.ANTHROPIC else ""))
    if status >= 500:
        raise UnreachableError(f"status {status}")
    data = value.get("data") if isinstance(value, dict) else None
    if status != 200 or not isinstance(data, list):
        return None
    names = [model.get("id") for model in data[:_MOST_MODELS] if isinstance(model, dict)]
    return [name for name in names if isinstance(name, str)]


def _with_upstream(model: Model, clients: list[UpstreamClient], lists: list[list[str] | None]) -> Model:
    """The model with the first upstream that has it, or that might."""
    for number, names in enumerate(lists):
        if names is not None and model.name in names:
            return replace(model, upstream=number)
    for number, (client, names) in enumerate(zip(clients, lists, strict=True)):
        if names is None:
            return replace(model, upstream=number)
        path = f"/models/{quote(model.name, safe='')}"  # a list may leave out other names of a model
        try:
            status, value = _get(client, Protocol(client.upstream.protocols[0]), path)
        except UnreachableError:
            continue
        if status == 200 and isinstance(value, dict) and value.get("id"):
            return replace(model, upstream=number)
    known = [name for names in lists for name in names or ()]
    near = get_close_matches(model.name, known, n=1)
    listed = f"It has {', '.join(known[:10])}{' …' if len(known) > 10 else ''}." if known else None
    places = " and ".join(client.upstream.url for client in clients)
    raise GatewayError(
        f"The model endpoint {places} has no model {model.name}.", hint=f"Did you mean {near[0]}?" if near else listed
    )


def _get(client: UpstreamClient, protocol: Protocol, path: str) -> tuple[int, Any]:
    """(status, parsed body) of a small page; the body is None where it is no JSON."""
    headers = {"anthropic-version": "2023-06-01"} if protocol is Protocol.ANTHROPIC else {}
    answer = client.ask("GET", path, protocol, headers=headers, timeout=_SECONDS)
    body = b""
    try:
        while (piece := answer.read()) and len(body) <= _LARGEST_LIST:
            body += piece
    finally:
        answer.close()
    upstream = client.upstream
    if answer.status in (401, 403):
        key = f"the key in {upstream.key_variable}" if upstream.key_variable else "calls without a key"
        raise GatewayError(
            f"The model endpoint {upstream.url} refuses {key} (status {answer.status}).",
            hint="Name the variable that has its key: --model-endpoint URL,key=VARIABLE",
        )
    try:
        return answer.status, json.loads(body)
    except (ValueError, RecursionError):
        return answer.status, None
