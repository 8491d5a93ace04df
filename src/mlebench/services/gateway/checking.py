"""What an agent may ask a model for: strict JSON, and nothing that the provider would do on the network for it.

A provider that searches the web, runs code, calls remote servers or fetches an address gives a closed sandbox the
network. Tools that are not known to stay with the agent are refused, and so are fields that ask for such things; other
fields that are not known are left out, for an endpoint may make of them what it likes. What is passed on is written
anew from what was checked, so that no second reading of a request can differ from ours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, NoReturn

from mlebench.base.wording import plain
from mlebench.services.gateway.protocols import Endpoint, Form, RefusedError

_HINT = "Tools that the provider runs are not available here; use tools that you run yourself."
# Tools that the agent itself carries out. Anthropic's have dates behind their names.
_OWN_TOOLS: Mapping[Form, tuple[str, ...]] = {
    Form.CHAT: ("function", "custom"),
    Form.RESPONSES: ("function", "custom", "local_shell", "apply_patch"),
}
_OWN_ANTHROPIC_TOOLS = ("bash_", "text_editor_")
# Fields that concern the text alone.
_SAMPLING = (
    *("model", "stream", "temperature", "top_p", "top_k", "min_p", "top_a", "typical_p", "seed", "stop", "n"),
    *("frequency_penalty", "presence_penalty", "repetition_penalty", "length_penalty", "logit_bias", "logprobs"),
    *("top_logprobs", "user", "metadata", "service_tier", "tools", "tool_choice", "parallel_tool_calls", "verbosity"),
    *("reasoning", "reasoning_effort", "reasoning_format", "include_reasoning", "thinking", "enable_thinking"),
    *("thinking_budget", "thinking_mode", "chat_template_kwargs", "safety_identifier", "prompt_cache_key"),
    *("prompt_cache_retention", "prompt_cache_options", "store", "drop_params", "cache_control"),
)
_FIELDS: Mapping[Form, frozenset[str]] = {
    Form.CHAT: frozenset((
        *_SAMPLING,
        *("messages", "max_tokens", "max_completion_tokens", "min_tokens", "stream_options", "response_format"),
        *("functions", "function_call", "modalities", "audio", "prediction", "best_of", "use_beam_search"),
        *("stop_token_ids", "ignore_eos", "skip_special_tokens", "include_stop_str_in_output", "echo", "prefix"),
        *("guided_json", "guided_regex", "guided_choice", "guided_grammar", "structured_outputs", "bad_words"),
        *("add_generation_prompt", "continue_final_message", "return_token_ids", "grammar", "mirostat", "keep_alive"),
        *("prompt_mode", "safe_prompt", "random_seed", "repeat_penalty", "priority"),
    )),
    Form.RESPONSES: frozenset((
        *_SAMPLING,
        *("input", "instructions", "max_output_tokens", "max_tool_calls", "previous_response_id", "text", "truncation"),
        *("include", "stream_options", "context_management", "client_metadata", "max_tokens"),
    )),
    Form.MESSAGES: frozenset((
        *_SAMPLING,
        *("messages", "max_tokens", "system", "stop_sequences", "context_management", "output_config", "output_format"),
        *("speed", "inference_geo"),
    )),
    Form.EMBEDDINGS: frozenset((
        *("model", "input", "encoding_format", "dimensions", "user", "input_type", "truncate", "task", "normalize"),
        *("truncate_prompt_tokens", "normalized", "add_special_tokens", "priority"),
    )),
}  # fmt: skip
# Fields that ask for a plugin, a search, a stored prompt, other models: to leave these out would mislead an agent.
_REFUSED_FIELD = re.compile(
    r"(?i)search|web|online|brows|url|plugin|connector|mcp|retriev|ground|container|interpreter|skill|file|vector"
    r"|conversation|assistant|agent|fallback|background|extra_body|tool_resources|^prompt$|^models$|^route|^betas$"
)
# Where addresses are in contents: a provider fetches what is named there.
_ADDRESSES = frozenset(("url", "image_url", "file_url", "video_url", "audio_url", "server_url", "file_uri", "uri"))
# What is stored at the provider under the same key, perhaps by somebody else.
_STORED = frozenset(("file_id", "container_id", "vector_store_ids"))
_SEARCHING = re.compile(r"(?i)(?:^|[-/:_.])(?:search|online|deep-?research|sonar|compound|browsing)(?:$|[-/:_.\d])")
_TIERS = (None, "auto", "default", "standard", "standard_only", "flex")
# Features that are switched on by a header of Anthropic's protocol and are carried out by the provider.
_PROVIDER_BETAS = ("code-execution", "mcp-", "files-api", "web-", "computer-use", "skills", "advisor")


def parse_body(body: bytes) -> dict[str, Any]:
    """The object in the body of a request; a name that stands twice in one object has no single meaning."""

    def unique(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name, value in pairs:
            if name in values:
                raise RefusedError(400, "duplicate_name", f"The request has the name {_quoted(name)} twice.")
            values[name] = value
        return values

    def no_constant(name: str) -> NoReturn:
        raise RefusedError(400, "invalid_json", f"{name} is not JSON.")

    try:
        value = json.loads(body.decode("utf-8"), object_pairs_hook=unique, parse_constant=no_constant)
    except (ValueError, RecursionError):
        raise RefusedError(400, "invalid_json", "The body of the request is not JSON in UTF-8.") from None
    if not isinstance(value, dict):
        raise RefusedError(400, "invalid_json", "The body of the request is not an object.")
    return value


def serialised(value: Mapping[str, Any]) -> bytes:
    """The body that is passed on."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise RefusedError(400, "invalid_json", "The body of the request cannot be passed on.") from None


def model_of(values: Mapping[str, Any]) -> str:
    """The model that a request asks for."""
    model = values.get("model")
    if not isinstance(model, str) or not model:
        raise RefusedError(400, "no_model", "The request names no model.", param="model")
    return model


def searches_itself(model: str) -> bool:
    """Whether the name of a model says that it searches the web without being given a tool.

    >>> searches_itself("gpt-4o-search-preview"), searches_itself("o3-deep-research"), searches_itself("gpt-5")
    (True, True, False)
    """
    return _SEARCHING.search(model) is not None


def check_request(endpoint: Endpoint, values: Mapping[str, Any], *, provider_tools: bool = False) -> list[str]:
    """Refuse what the provider would do on the network; the names of fields that must be left out.

    With `provider_tools` all of that is granted.
    """
    form = Form.MESSAGES if endpoint.form is Form.COUNT_TOKENS else endpoint.form
    if not isinstance(values.get("stream", False), bool) and values["stream"] is not None:
        raise RefusedError(400, "invalid_request", "stream is neither true nor false.", param="stream")
    if values.get("background"):
        # Its answer would be fetched later, when nobody counts what it used.
        raise RefusedError(
            403, "not_available", "Answers in the background are not available here.", param="background"
        )
    if values.get("service_tier") not in _TIERS:
        raise RefusedError(403, "not_available", "This service tier is not available here.", param="service_tier")
    if provider_tools:
        return []
    unknown = [name for name in values if name not in _FIELDS[form]]
    for name in unknown:
        if _REFUSED_FIELD.search(name) and values[name] not in (None, False, [], {}, ""):
            raise RefusedError(
                403, "field_refused", f"The field {_quoted(name)} is not passed on to the provider. {_HINT}", param=name
            )
    _check_tools(form, values.get("tools"))
    for name in ("messages", "input", "system", "instructions", "prediction"):
        if form is not Form.EMBEDDINGS:
            _check_contents(values.get(name))
    return unknown


def _check_tools(form: Form, tools: Any) -> None:
    if tools is None or tools == []:
        return
    if not isinstance(tools, list) or not all(isinstance(tool, Mapping) for tool in tools):
        raise RefusedError(400, "invalid_request", "tools is not a list of objects.", param="tools")
    for tool in tools:
        _check_tool(form, tool)


def _check_tool(form: Form, tool: Mapping[str, Any]) -> None:
    kind = tool.get("type")
    if form is Form.RESPONSES and kind == "namespace":  # a group of tools
        _check_tools(form, tool.get("tools"))
        return
    if _is_own_anthropic_tool(tool) if form is Form.MESSAGES else _is_own_openai_tool(form, tool):
        return
    shown = _quoted(kind) if isinstance(kind, str) else "without a type"
    raise RefusedError(403, "provider_tool", f"The tool {shown} is refused. {_HINT}", param="tools")


def _is_own_anthropic_tool(tool: Mapping[str, Any]) -> bool:
    kind = tool.get("type")
    if kind is None or kind == "custom":
        return isinstance(tool.get("input_schema"), Mapping)
    return isinstance(kind, str) and kind.startswith(_OWN_ANTHROPIC_TOOLS)


def _is_own_openai_tool(form: Form, tool: Mapping[str, Any]) -> bool:
    kind = tool.get("type")
    if form is Form.RESPONSES and kind == "shell":  # which the provider offers to run in a container, too
        environment = tool.get("environment")
        return isinstance(environment, Mapping) and environment.get("type") == "local"
    if form is Form.RESPONSES and kind == "tool_search":
        return tool.get("execution") == "client"
    return isinstance(kind, str) and kind in _OWN_TOOLS.get(form, ())


def _check_contents(value: Any) -> None:
    """Refuse addresses and stored files in contents; what a tool was called with is the agent's own."""
    pending = [value]
    while pending:
        found = pending.pop()
        if isinstance(found, list):
            pending.extend(found)
        elif isinstance(found, Mapping):
            is_call = found.get("type") in ("tool_use", "server_tool_use", "mcp_tool_use")
            for name, inner in found.items():
                if is_call and name == "input":
                    continue
                if name in _ADDRESSES and isinstance(inner, str) and not inner[:5].lower() == "data:":
                    raise RefusedError(
                        403,
                        "address_refused",
                        f"{name} is an address, which the provider would fetch. Send the content.",
                    )
                if name in _STORED and inner:
                    raise RefusedError(403, "stored_file_refused", f"{name} is not available here. Send the content.")
                if isinstance(inner, list | Mapping):
                    pending.append(inner)


def passed_betas(header: str | None, *, provider_tools: bool = False) -> str | None:
    """The value of the header anthropic-beta that is passed on."""
    if not header:
        return None
    names = [name.strip() for name in header.split(",")]
    kept = [
        name
        for name in names
        if name.isascii()
        and name.replace("-", "").replace("_", "").replace(".", "").isalnum()
        and (provider_tools or not name.lower().startswith(_PROVIDER_BETAS))
    ]
    return ",".join(kept) or None


def largest_output(endpoint: Endpoint, values: Mapping[str, Any]) -> int | None:
    """How many tokens an answer may have at most, where the request says so; for all its choices together."""
    if not endpoint.is_streamable:
        return 0
    given = [values.get(name) for name in ("max_tokens", "max_completion_tokens", "max_output_tokens")]
    amounts = [amount for amount in given if isinstance(amount, int) and not isinstance(amount, bool) and amount > 0]
    choices = [values.get(name) for name in ("n", "best_of")]
    times = max([1, *(count for count in choices if isinstance(count, int) and count > 0)])
    return max(amounts) * times if amounts else None


def _quoted(text: str) -> str:
    return f"`{plain(text, 100)}`"
