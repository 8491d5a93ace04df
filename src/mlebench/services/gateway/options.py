"""What the gateway of a run group is told: upstreams, models, prices, budgets. It is written down, and has no key."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from mlebench.errors import MlebenchError
from mlebench.services.gateway.protocols import Protocol

DEFAULT_URLS = {Protocol.OPENAI: "https://api.openai.com/v1", Protocol.ANTHROPIC: "https://api.anthropic.com"}
URL_VARIABLES = {Protocol.OPENAI: "OPENAI_BASE_URL", Protocol.ANTHROPIC: "ANTHROPIC_BASE_URL"}
KEY_VARIABLES = {Protocol.OPENAI: "OPENAI_API_KEY", Protocol.ANTHROPIC: "ANTHROPIC_API_KEY"}
ANYTHING = "*"  # the alias of a model that is meant by whatever an agent asks for
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


class GatewayError(MlebenchError):
    """The model gateway cannot be used as asked."""


@dataclass(frozen=True)
class Upstream:
    """A provider, or a server of one's own: its address up to and without /v1, and the variable that has the key.

    `protocols` are those that it is asked in. Without `key_variable` it is asked without a key.
    """

    url: str
    protocols: tuple[str, ...]
    key_variable: str | None = None

    @property
    def host(self) -> str:
        """The name of the machine."""
        return urlsplit(self.url).hostname or ""

    @property
    def is_local(self) -> bool:
        """Whether its address is that of the machine which asks it, whichever that is."""
        return urlsplit(self.url).hostname in _LOCAL_HOSTS

    def key(self, environment: Mapping[str, str] = os.environ) -> str | None:
        """The key, from the environment of this process; an error if it is not set."""
        if self.key_variable is None:
            return None
        key = environment.get(self.key_variable, "").strip()
        if not key:
            raise GatewayError(
                f"The model endpoint {self.url} needs a key, and {self.key_variable} is not set.",
                hint=f"Run: export {self.key_variable}=…",
            )
        if not key.isascii() or not key.isprintable():
            raise GatewayError(
                f"The value of {self.key_variable} is not a key: it has characters that no header may have."
            )
        return key


@dataclass(frozen=True)
class Model:
    """A model that agents may ask for as `asked`; the upstream (by its number) calls it `name`."""

    asked: str
    name: str
    upstream: int | None = None


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    input: float
    output: float
    cached_input: float
    cache_write: float


@dataclass(frozen=True)
class ModelBudgets:
    """What the calls of one run may use together; None stands for no limit."""

    tokens: int | None = None
    usd: float | None = None
    requests: int | None = None


@dataclass(frozen=True)
class GatewayOptions:
    """Everything that decides what the gateway does. Without `models` every model of the upstreams is allowed.

    `patience` is how many seconds an upstream that fails is asked again before its answer, or its silence, counts.
    """

    upstreams: tuple[Upstream, ...]
    models: tuple[Model, ...] = ()
    budgets: ModelBudgets = field(default_factory=ModelBudgets)
    prices: Mapping[str, Price] = field(default_factory=dict)
    prices_date: str | None = None
    provider_tools: bool = False
    record_prompts: bool = False
    patience: float = 300.0

    def to_dict(self) -> dict[str, Any]:
        """The options as plain values, as JSON has them."""
        found: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return found

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> GatewayOptions:
        """The inverse of `to_dict`; a record may come from anywhere."""
        if not values.get("upstreams"):
            raise GatewayError("The model gateway has no endpoint.", hint="Name one with --model-endpoint URL.")
        try:
            upstreams = tuple(
                parse_url(upstream["url"], tuple(map(str, upstream["protocols"])), upstream.get("key_variable"))
                for upstream in values["upstreams"]
            )
            budgets = ModelBudgets(**values.get("budgets", {}))
            options = cls(
                upstreams=upstreams,
                models=tuple(Model(**model) for model in values.get("models", ())),
                budgets=budgets,
                prices={str(name): Price(**price) for name, price in values.get("prices", {}).items()},
                prices_date=values.get("prices_date"),
                provider_tools=values.get("provider_tools") is True,
                record_prompts=values.get("record_prompts") is True,
                patience=float(values.get("patience", 300.0)),
            )
            sum(amount for amount in asdict(budgets).values() if amount is not None)  # all of them are numbers
            for model in options.models:
                if model.upstream is not None:
                    upstreams[model.upstream]
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            raise GatewayError("The options of the model gateway are damaged, or those of another version.") from error
        return options

    def model(self, asked: str) -> Model | None:
        """The model that is meant by the name that an agent asks for; None where it may not have it."""
        if not self.models:
            return Model(asked, asked)
        exact = next((model for model in self.models if model.asked == asked), None)
        anything = next((model for model in self.models if model.asked == ANYTHING), None)
        return exact or anything

    @property
    def listed(self) -> list[str]:
        """The names under which an agent may ask for models; none where it may ask for any."""
        return list(dict.fromkeys(model.name if model.asked == ANYTHING else model.asked for model in self.models))

    def upstream_for(self, model: Model, protocol: Protocol) -> int | None:
        """The number of the upstream that is asked; None where none speaks the protocol."""
        if model.upstream is not None:
            return model.upstream if protocol in self.upstreams[model.upstream].protocols else None
        return next((number for number, found in enumerate(self.upstreams) if protocol in found.protocols), None)

    @property
    def protocols(self) -> tuple[Protocol, ...]:
        """The protocols that some upstream speaks."""
        return tuple(
            protocol for protocol in Protocol if any(protocol in upstream.protocols for upstream in self.upstreams)
        )


def parse_url(url: str, protocols: tuple[str, ...], key_variable: str | None) -> Upstream:
    """An upstream at an address, which may end with /v1."""
    parts = urlsplit(url.strip())
    try:
        port_is_right = parts.port is None or parts.port > 0
    except ValueError:
        port_is_right = False
    is_plain = url.isascii() and url.isprintable() and " " not in url.strip()
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_right or not is_plain:
        raise GatewayError(f"{url} is not the address of a model endpoint.", hint="Write it as https://host/v1.")
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise GatewayError(
            "The address of a model endpoint has a password, a query or a fragment, which would be written down.",
            hint="Name the variable that has the key: --model-endpoint URL,key=VARIABLE",
        )
    if key_variable is not None and not _VARIABLE.fullmatch(key_variable):
        raise GatewayError(f"{key_variable} is not the name of a variable.")
    if not protocols or not all(protocol in tuple(Protocol) for protocol in protocols):
        raise GatewayError(f"A model endpoint speaks {' or '.join(Protocol)}.")
    path = parts.path.rstrip("/").removesuffix("/v1")
    return Upstream(f"{parts.scheme}://{parts.netloc}{path}", protocols, key_variable)


def parse_upstream(text: str, environment: Mapping[str, str] = os.environ) -> Upstream:
    """An upstream from `URL[,key=VARIABLE][,protocol=openai|anthropic]`.

    Without a protocol it is asked in both, but a host of Anthropic's or OpenAI's in its own. The key is that of the
    protocol's usual variable; a server on this machine needs none.
    """
    url, *settings = text.split(",")
    given: dict[str, str] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        if name not in ("key", "protocol") or not value or name in given:
            raise GatewayError(
                f"{setting} is not a setting of a model endpoint.", hint="There are key=VARIABLE and protocol=NAME."
            )
        given[name] = value
    host = urlsplit(url.strip()).hostname or ""
    if "protocol" in given:
        protocols = tuple(given["protocol"].split("+"))
    elif host.endswith("anthropic.com"):
        protocols = (Protocol.ANTHROPIC.value,)
    elif host.endswith("openai.com"):
        protocols = (Protocol.OPENAI.value,)
    else:
        protocols = tuple(protocol.value for protocol in Protocol)
    key: str | None = given.get("key")
    if key == "none":
        key = None
    elif key is None and (usual := [KEY_VARIABLES[protocol] for protocol in Protocol if protocol in protocols]):
        key = next((name for name in usual if environment.get(name)), None if host in _LOCAL_HOSTS else usual[0])
    return parse_url(url, protocols, key)


def upstream_text(upstream: Upstream) -> str:
    """The inverse of `parse_upstream`, with everything named."""
    return f"{upstream.url},key={upstream.key_variable or 'none'},protocol={'+'.join(upstream.protocols)}"


def upstreams_of_environment(environment: Mapping[str, str] = os.environ) -> tuple[Upstream, ...]:
    """The upstreams that the usual variables name: an address, or a key for the provider's own address."""
    found = []
    for protocol in Protocol:
        url = environment.get(URL_VARIABLES[protocol]) or None
        if url is None and not environment.get(KEY_VARIABLES[protocol]):
            continue
        text = f"{url or DEFAULT_URLS[protocol]},protocol={protocol}"
        found.append(parse_upstream(text, environment))
    return tuple(found)


def parse_models(texts: Sequence[str]) -> tuple[Model, ...]:
    """Models from `NAME` or `ASKED=NAME`."""
    models: list[Model] = []
    for text in texts:
        asked, has_alias, name = (part.strip() for part in text.partition("="))
        name = name if has_alias else asked
        if not asked or not name or not text.isprintable():
            raise GatewayError(f"{text!r} is not a model.", hint="Write NAME, or ASKED=NAME for an alias.")
        if any(model.asked == asked for model in models):
            raise GatewayError(f"The model {asked} is named twice.")
        models.append(Model(asked, name))
    return tuple(models)
