"""The model gateway: every protocol, streamed or not, with exact usage, and the key on this side of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gateways import BODIES, KEY, KEY_VARIABLE, PRICES, TOKEN, ask, opened, options, request
from model_server import CallTool, ModelServer, Say

TALKING = ("chat", "responses", "messages")


@pytest.fixture(autouse=True)
def planted_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


def text_of(endpoint: str, value: dict) -> str:  # type: ignore[type-arg]
    if endpoint == "chat":
        return str(value["choices"][0]["message"]["content"])
    if endpoint == "responses":
        return str(value["output"][0]["content"][0]["text"])
    return str(value["content"][0]["text"])


def streamed_text(endpoint: str, events: list) -> str:  # type: ignore[type-arg]
    if endpoint == "chat":
        return "".join(choice["delta"].get("content") or "" for event in events for choice in event["choices"])
    if endpoint == "responses":
        return "".join(event["delta"] for event in events if event["type"] == "response.output_text.delta")
    return "".join(event["delta"]["text"] for event in events if event["type"] == "content_block_delta")


@pytest.mark.parametrize("endpoint", TALKING)
@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_is_passed_on_and_counted(endpoint: str, stream: bool, tmp_path: Path) -> None:
    with ModelServer([Say("I am fine."), Say("Really.")], key=KEY) as server:
        with opened(options(server, prices=PRICES), tmp_path) as gateway:
            answer = ask(gateway.port, endpoint, stream=stream)
            assert answer.status == 200
            text = streamed_text(endpoint, answer.events) if stream else text_of(endpoint, answer.json)
            assert text == "I am fine."
            ask(gateway.port, endpoint, stream=stream)
            usage = gateway.usage
        told = server.usage
    assert {name: usage[name] for name in told} == told
    assert told["cached_input_tokens"] > 0
    assert (usage["failed"], usage["refused"], usage["without_usage"]) == (0, 0, 0)
    plain = told["input_tokens"] - told["cached_input_tokens"] - told["cache_write_tokens"]
    dollars = plain * 2 + told["cached_input_tokens"] * 0.5 + told["cache_write_tokens"] * 2.5
    assert usage["usd"] == pytest.approx((dollars + told["output_tokens"] * 8) / 1e6, abs=1e-6)
    assert usage["by_model"]["scripted"]["output_tokens"] == told["output_tokens"]
    calls = [json.loads(line) for line in (tmp_path / "model_calls.jsonl").read_text().splitlines()]
    assert [call["status"] for call in calls] == [200, 200]
    assert sum(call["output_tokens"] for call in calls) == told["output_tokens"]
    assert all(call["usage"] == "complete" and call["latency"] <= call["seconds"] for call in calls)
    assert all(KEY in str(call.headers) and TOKEN not in str(call.headers) for call in server.calls)


def test_embeddings_and_counting_of_tokens() -> None:
    with ModelServer() as server, opened(options(server)) as gateway:
        answer = ask(gateway.port, "embeddings")
        assert len(answer.json["data"]) == 2
        counted = ask(gateway.port, "count_tokens")
        assert counted.json["input_tokens"] > 0
        usage = gateway.usage
        assert (usage["requests"], usage["output_tokens"]) == (1, 0)
        assert usage["input_tokens"] == server.usage["input_tokens"] > 0
        assert usage["usd"] is None, "an unknown price is not 0"


@pytest.mark.parametrize("asked", [False, True])
def test_the_usage_of_a_streamed_chat_is_shown_to_those_who_asked(asked: bool) -> None:
    with ModelServer() as server, opened(options(server)) as gateway:
        extra: dict[str, Any] = {"stream_options": {"include_usage": True}} if asked else {}
        answer = ask(gateway.port, "chat", stream=True, **extra)
        assert bool([event for event in answer.events if not event["choices"]]) is asked
        assert answer.body.rstrip().endswith(b"data: [DONE]")
        assert gateway.usage["output_tokens"] == server.usage["output_tokens"] > 0


@pytest.mark.parametrize("endpoint", TALKING)
@pytest.mark.parametrize("stream", [False, True])
def test_a_call_of_a_tool(endpoint: str, stream: bool) -> None:
    schema = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
    tools = {
        "chat": {"type": "function", "function": {"name": "bash", "parameters": schema}},
        "responses": {"type": "function", "name": "bash", "parameters": schema},
        "messages": {"name": "bash", "input_schema": schema},
    }
    script = [CallTool("bash", {"command": "ls"}, text="Look:")]
    with ModelServer(script) as server, opened(options(server)) as gateway:
        answer = ask(gateway.port, endpoint, stream=stream, tools=[tools[endpoint]])
        assert answer.status == 200
        assert b"bash" in answer.body
        assert gateway.usage["output_tokens"] == server.usage["output_tokens"]


def test_models_and_aliases() -> None:
    with ModelServer(models=["scripted", "other"]) as server:
        with opened(options(server, "gpt-5=scripted")) as gateway:
            headers = {"Authorization": f"Bearer {TOKEN}"}
            listed = request(gateway.port, "GET", "/v1/models", headers=headers)
            assert [model["id"] for model in listed.json["data"]] == ["gpt-5"]
            assert request(gateway.port, "GET", "/v1/models/gpt-5", headers=headers).status == 200
            assert request(gateway.port, "GET", "/v1/models/other", headers=headers).status == 404
            assert ask(gateway.port, model="gpt-5").status == 200
            assert server.calls[-1].body["model"] == "scripted"
            for model in ("other", "scripted", "gpt-5-search-preview"):
                refused = ask(gateway.port, model=model)
                assert refused.status == 403
                assert "Allowed: gpt-5." in refused.text
            assert len(server.calls) == 1
            assert gateway.usage["refused"] == 3
        with opened(options(server)) as gateway:
            listed = request(gateway.port, "GET", "/v1/models", headers={"x-api-key": TOKEN, "anthropic-version": "1"})
            assert [model["id"] for model in listed.json["data"]] == ["scripted", "other"]
            assert ask(gateway.port, model="other").status == 200


def test_an_alias_for_whatever_is_asked_for() -> None:
    with ModelServer(models=["scripted"]) as server, opened(options(server, "*=scripted")) as gateway:
        for model in ("claude-haiku-9", "scripted", "*"):
            assert ask(gateway.port, "messages", model=model).status == 200
            assert server.calls[-1].model == "scripted"
        assert gateway.gateway.environment("http://x")["MODEL_NAME"] == "scripted"


@pytest.mark.parametrize(
    "model",
    [
        *("gpt-4o-search-preview", "gpt-5-search-api", "o3-deep-research", "o4-mini-deep-research-2025-06-26"),
        *("perplexity/sonar-pro", "sonar", "openai/gpt-5:online", "groq/compound-mini", "compound-beta"),
    ],
)
def test_models_that_search_by_themselves_are_refused(model: str) -> None:
    with ModelServer() as server:
        with opened(options(server)) as gateway:
            assert ask(gateway.port, model=model).status == 403
            assert ask(gateway.port, model="o3-research-mini").status == 200
        with opened(options(server, provider_tools=True)) as gateway:
            assert ask(gateway.port, model=model).status == 200


def test_several_upstreams() -> None:
    with ModelServer(models=["one"]) as first, ModelServer(models=["two"]) as second:
        from mlebench.services.gateway.options import GatewayOptions, parse_models, parse_upstream
        from mlebench.services.gateway.preflight import check_endpoints

        upstreams = tuple(parse_upstream(f"{server.url}/v1,key=none", {}) for server in (first, second))
        chosen = check_endpoints(GatewayOptions(upstreams, parse_models(["one", "big=two"])))
        assert [model.upstream for model in chosen.models] == [0, 1]
        with opened(chosen) as gateway:
            assert ask(gateway.port, model="one").status == 200
            assert ask(gateway.port, "messages", model="big").status == 200
            assert [call.model for call in first.calls] == ["one"]
            assert [call.model for call in second.calls] == ["two"]
            assert set(gateway.usage["by_model"]) == {"one", "two"}


@pytest.mark.parametrize("endpoint", list(BODIES))
@pytest.mark.parametrize("token", [None, "", "another-run", KEY, TOKEN + "x", TOKEN[:-1]])
def test_nobody_gets_in_without_the_token(endpoint: str, token: str | None) -> None:
    with ModelServer() as server, opened(options(server)) as gateway:
        refused = ask(gateway.port, endpoint, token=token)
        assert refused.status == 401
        assert refused.json.get("type") == ("error" if endpoint in ("messages", "count_tokens") else None)
        assert server.requests == []
