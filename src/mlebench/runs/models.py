"""Which models the agents of a group may call: what the options of `mlebench run` say, checked before anything runs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from mlebench.base.wording import plain
from mlebench.errors import MlebenchError
from mlebench.services.gateway.checking import searches_itself
from mlebench.services.gateway.options import (
    GatewayError,
    GatewayOptions,
    ModelBudgets,
    parse_models,
    parse_upstream,
    upstream_text,
    upstreams_of_environment,
)

GATEWAY = "gateway"
_NEED_MODELS = ("model_prices", "max_tokens", "max_usd", "max_requests", "allow_provider_tools", "record_prompts")


@dataclass(frozen=True, kw_only=True)
class ModelOptions:
    """The options of `mlebench run` that are about models, under their names there."""

    model_endpoint: Sequence[str] = ()
    model: Sequence[str] = ()
    model_prices: Path | None = None
    max_tokens: int | None = None
    max_usd: float | None = None
    max_requests: int | None = None
    allow_provider_tools: bool = False
    record_prompts: bool = False


def gateway_options(options: ModelOptions, environment: Mapping[str, str] = os.environ) -> GatewayOptions | None:
    """What the gateway is told, None where no model was asked for; nothing is asked over the network."""
    if not options.model_endpoint and not options.model:
        if given := [name for name in _NEED_MODELS if getattr(options, name)]:
            raise GatewayError(
                f"--{given[0].replace('_', '-')} is about calls of models, and none is granted.",
                hint="Add --model-endpoint URL, or --model NAME with a key in OPENAI_API_KEY or ANTHROPIC_API_KEY.",
            )
        return None
    upstreams = tuple(parse_upstream(text, environment) for text in options.model_endpoint)
    upstreams = upstreams or upstreams_of_environment(environment)
    if not upstreams:
        raise GatewayError(
            f"There is no endpoint for the model {options.model[0]}: "
            "neither OPENAI_API_KEY nor ANTHROPIC_API_KEY is set.",
            hint="Run: export OPENAI_API_KEY=…, or name an endpoint with --model-endpoint URL.",
        )
    found = GatewayOptions(
        upstreams=upstreams,
        models=parse_models(options.model),
        budgets=_budgets(options),
        provider_tools=options.allow_provider_tools,
        record_prompts=options.record_prompts,
    )
    searching = [model.name for model in found.models if searches_itself(model.name)]
    if searching and not found.provider_tools:
        raise GatewayError(
            f"The model {searching[0]} searches the web by itself, which would open a closed sandbox.",
            hint="Grant that with --allow-provider-tools.",
        )
    if options.model_prices is not None:
        from mlebench.services.gateway.prices import load_prices

        listed = load_prices(Path(options.model_prices))
        used = {model.name for model in found.models}
        prices = {name: price for name, price in listed.prices.items() if not used or name in used}
        found = replace(found, prices=prices, prices_date=listed.date)
    if found.budgets.usd is not None:
        _require_prices(found)
    return found


def planned_gateway(options: ModelOptions) -> dict[str, dict[str, Any]]:
    """The gateway among the services of a group, with its options; every endpoint was asked and has its models."""
    found = gateway_options(options)
    if found is None:
        return {}
    from mlebench.services.gateway.preflight import check_endpoints

    return {GATEWAY: check_endpoints(found).to_dict()}


def notes_on_nodes(services: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """What a user should know about the endpoints of a group that the nodes of a cluster execute."""
    if GATEWAY not in services:
        return ()
    found = [upstream.url for upstream in GatewayOptions.from_dict(services[GATEWAY]).upstreams if upstream.is_local]
    return tuple(f"The model endpoint {url} is asked by each node, for which it is on that node." for url in found)


def unnamed_endpoints(recorded: Mapping[str, Any], named: Sequence[str], *, provider_tools: bool) -> Iterator[str]:
    """The options for what a gateway of a group from elsewhere would use and the user has not named.

    Its endpoints are sent keys of this user: each must be named as it is, with the variable of its key.
    """
    options = GatewayOptions.from_dict(recorded)
    known = {upstream_text(parse_upstream(text)) for text in named}
    for upstream in options.upstreams:
        if upstream_text(upstream) not in known:
            yield f"--model-endpoint {shlex.quote(plain(upstream_text(upstream), 500))}"
    if options.provider_tools and not provider_tools:
        yield "--allow-provider-tools"


def _budgets(options: ModelOptions) -> ModelBudgets:
    for name in ("max_tokens", "max_usd", "max_requests"):
        amount = getattr(options, name)
        if amount is not None and not amount > 0:
            raise MlebenchError(f"--{name.replace('_', '-')} must be more than 0.")
    return ModelBudgets(tokens=options.max_tokens, usd=options.max_usd, requests=options.max_requests)


def _require_prices(options: GatewayOptions) -> None:
    """A budget in dollars needs to know what every model costs."""
    if not options.models:
        raise GatewayError(
            "--max-usd needs to know which models are called, and what they cost.",
            hint="Name them with --model, and a file with their prices with --model-prices.",
        )
    if unknown := [model.name for model in options.models if model.name not in options.prices]:
        raise GatewayError(
            f"--max-usd needs the price of every model, and that of {unknown[0]} is unknown.",
            hint="Add it to the file that --model-prices names.",
        )
