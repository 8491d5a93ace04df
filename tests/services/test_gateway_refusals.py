"""What the gateway refuses: tools of the provider, addresses, and requests that mean two things."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from gateways import BODIES, KEY, KEY_VARIABLE, TOKEN, ask, opened, options, request, send
from model_server import Fault, Item, ModelServer, Say
from waiting import wait_for

SCHEMA = {"type": "object", "properties": {"url": {"type": "string"}}}
HTTP_IMAGE = "https://example.com/what-is-on-the-web.png"
DATA_IMAGE = "data:image/png;base64,AAAA"

PROVIDER_TOOLS: list[tuple[str, dict[str, Any]]] = [
    *(
        ("responses", {"tools": [{"type": kind}]})
        for kind in (
            *("web_search", "web_search_preview", "web_search_preview_2025_03_11", "web_search_2025_08_26"),
            *("file_search", "code_interpreter", "computer_use_preview", "computer", "mcp", "image_generation"),
            *("browser", "retrieval", "shell", "tool_search", "something_new", "FUNCTION", "function ", ""),
        )
    ),
    ("responses", {"tools": [{"type": "mcp", "server_label": "x", "server_url": "https://example.com"}]}),
    ("responses", {"tools": [{"type": "shell", "environment": {"type": "container_auto"}}]}),
    ("responses", {"tools": [{"type": "namespace", "tools": [{"type": "web_search"}]}]}),
    ("responses", {"tools": [{"type": "namespace", "tools": [{"type": "namespace", "tools": [{"type": "mcp"}]}]}]}),
    ("responses", {"tools": [{"type": "function", "name": "f"}, {"type": "web_search"}]}),
    ("responses", {"tools": {"type": "web_search"}}),
    ("responses", {"tools": [{"name": "no type"}]}),
    ("responses", {"tools": [{"type": ["web_search"]}]}),
    ("responses", {"prompt": {"id": "pmpt_1"}}),
    ("responses", {"conversation": "conv_1"}),
    ("responses", {"background": True}),
    ("responses", {"previous_response_id": "resp_of_another_run"}),
    ("responses", {"plugins": [{"id": "web"}]}),
    ("responses", {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": HTTP_IMAGE}]}]}),
    ("responses", {"input": [{"role": "user", "content": [{"type": "input_file", "file_url": HTTP_IMAGE}]}]}),
    ("responses", {"input": [{"role": "user", "content": [{"type": "input_file", "file_id": "file-1"}]}]}),
    ("chat", {"web_search_options": {}, "tools": [{"type": "web_search"}]}),
    ("chat", {"web_search_options": {"search_context_size": "low"}}),
    ("chat", {"search_parameters": {"mode": "on"}}),
    ("chat", {"plugins": [{"id": "web"}]}),
    ("chat", {"enable_search": True}),
    ("chat", {"models": ["another"]}),
    ("chat", {"extra_body": {"google": {"tools": ["search"]}}}),
    ("chat", {"tools": [{"type": "builtin_function", "function": {"name": "$web_search"}}]}),
    ("chat", {"tools": [{"google_search": {}}]}),
    ("chat", {"tools": [{"type": "browser_search"}]}),
    ("chat", {"service_tier": "priority"}),
    ("chat", {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": HTTP_IMAGE}}]}]}),
    ("chat", {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": HTTP_IMAGE}]}]}),
    ("chat", {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": " //a/b"}}]}]}),
    ("chat", {"messages": [{"role": "user", "content": [{"type": "file", "file": {"file_id": "file-1"}}]}]}),
    *(
        ("messages", {"tools": [{"type": kind, "name": "x"}]})
        for kind in (
            *("web_search_20250305", "web_fetch_20250910", "code_execution_20250825", "computer_20250124"),
            *("mcp_toolset", "tool_search_tool_regex_20251119", "advisor_20260301", "unknown_20990101", "memory_"),
        )
    ),
    ("messages", {"tools": [{"name": "no schema"}]}),
    ("messages", {"mcp_servers": [{"type": "url", "url": "https://example.com", "name": "x"}]}),
    ("messages", {"container": {"skills": [{"skill_id": "pdf"}]}}),
    ("messages", {"container": "container_1"}),
    *(
        ("messages", {"messages": [{"role": "user", "content": [{"type": kind, "source": source}]}]})
        for kind in ("image", "document")
        for source in ({"type": "url", "url": HTTP_IMAGE}, {"type": "file", "file_id": "file_1"})
    ),
    (
        "messages",
        {
            "messages": [
                {
                    "role": "user",
                    "content": [
                        {
                            "type": "tool_result",
                            "tool_use_id": "x",
                            "content": [{"type": "image", "source": {"type": "url", "url": HTTP_IMAGE}}],
                        }
                    ],
                }
            ]
        },
    ),
    ("count_tokens", {"tools": [{"type": "web_search_20250305", "name": "web_search"}]}),
    ("embeddings", {"plugins": [1]}),
    ("messages", {"betas": ["code-execution-2025-05-22"]}),
]
OWN_TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("responses", {"tools": [{"type": "function", "name": "f", "parameters": SCHEMA}]}),
    ("responses", {"tools": [{"type": "custom", "name": "g"}]}),
    ("responses", {"tools": [{"type": "local_shell"}, {"type": "apply_patch"}]}),
    ("responses", {"tools": [{"type": "shell", "environment": {"type": "local"}}]}),
    ("responses", {"tools": [{"type": "namespace", "tools": [{"type": "function", "name": "f"}]}]}),
    ("responses", {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": DATA_IMAGE}]}]}),
    ("responses", {"store": False, "include": ["reasoning.encrypted_content"], "prompt_cache_key": "x"}),
    ("chat", {"tools": [{"type": "function", "function": {"name": "f", "parameters": SCHEMA}}], "tool_choice": "auto"}),
    ("chat", {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": DATA_IMAGE}}]}]}),
    ("chat", {"messages": [{"role": "user", "content": "Look at https://example.com, or what a url is."}]}),
    ("chat", {"web_search_options": None, "temperature": 0.5, "reasoning_effort": "low", "n": 1}),
    ("messages", {"tools": [{"name": "f", "input_schema": SCHEMA}]}),
    ("messages", {"tools": [{"type": "custom", "name": "g", "input_schema": {}}]}),
    ("messages", {"tools": [{"type": "bash_20250124", "name": "bash"}, {"type": "text_editor_20250728", "name": "e"}]}),
    (
        "messages",
        {
            "messages": [
                {"role": "user", "content": "x"},
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "t", "name": "fetch", "input": {"url": HTTP_IMAGE}}],
                },
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "no"}]},
            ]
        },
    ),
    ("messages", {"system": [{"type": "text", "text": "x", "cache_control": {"type": "ephemeral"}}]}),
    ("messages", {"mcp_servers": []}),
]  # fmt: skip


@pytest.fixture(scope="module")
def refusing() -> Any:
    with ModelServer() as server, opened(options(server, "scripted")) as gateway:
        yield server, gateway


@pytest.mark.parametrize(("endpoint", "values"), PROVIDER_TOOLS, ids=lambda value: str(value)[:60])
def test_what_the_provider_would_do_itself_is_refused(refusing: Any, endpoint: str, values: dict[str, Any]) -> None:
    server, gateway = refusing
    before = len(server.calls)
    refused = ask(gateway.port, endpoint, **values)
    assert refused.status in (400, 403)
    assert refused.text
    assert len(server.calls) == before


@pytest.mark.parametrize(("endpoint", "values"), OWN_TOOLS, ids=lambda value: str(value)[:60])
def test_what_the_agent_does_itself_passes(refusing: Any, endpoint: str, values: dict[str, Any]) -> None:
    server, gateway = refusing
    assert ask(gateway.port, endpoint, **values).status == 200
    assert {name: value for name, value in values.items() if value} == {
        name: server.calls[-1].body[name] for name, value in values.items() if value
    }


def test_a_field_that_is_not_known_is_left_out_and_noted(tmp_path: Path) -> None:
    with ModelServer() as server, opened(options(server, "scripted"), tmp_path) as gateway:
        assert ask(gateway.port, new_knob=0.5, another={"deep": 1}, seed=7).status == 200
        assert gateway.usage["requests"] == 1
        assert {"new_knob", "another"}.isdisjoint(server.calls[-1].body)
        assert server.calls[-1].body["seed"] == 7
        assert json.loads((tmp_path / "model_calls.jsonl").read_text())["left_out"] == ["new_knob", "another"]


def test_provider_tools_can_be_granted() -> None:
    with ModelServer() as server, opened(options(server, "scripted", provider_tools=True)) as gateway:
        assert ask(gateway.port, "responses", tools=[{"type": "web_search"}]).status == 200
        beta = {"anthropic-beta": "web-fetch-2025-09-10"}
        assert ask(gateway.port, "messages", headers=beta, mcp_servers=[{"url": "https://x"}]).status == 200
        assert server.calls[-1].headers["anthropic-beta"] == beta["anthropic-beta"]
        assert gateway.gateway.record()["provider_tools"] is True
        assert ask(gateway.port, "responses", background=True).status == 403, "its usage could not be counted"


def test_an_answer_of_this_run_may_be_continued() -> None:
    with ModelServer() as server, opened(options(server, "scripted")) as gateway:
        for stream in (False, True):
            answer = ask(gateway.port, "responses", stream=stream)
            identity = answer.events[-1]["response"]["id"] if stream else answer.json["id"]
            assert ask(gateway.port, "responses", previous_response_id=identity).status == 200
        assert server.calls[-1].body["previous_response_id"] == identity


HEAD = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n".encode()
BODY = json.dumps({"model": "scripted", **BODIES["chat"]}).encode()


def framed(*headers: str, body: bytes = BODY, head: bytes = HEAD) -> bytes:
    return head + "".join(f"{header}\r\n" for header in headers).encode() + b"\r\n" + body


ODD: dict[str, tuple[bytes, int]] = {
    "two models": (framed("Content-Length: 36", body=b'{"model":"scripted","model":"other"}'), 400),
    "nested twice": (framed("Content-Length: 38", body=b'{"model":"scripted","x":{"b":1,"b":2}}'), 400),
    "not an object": (framed("Content-Length: 2", body=b"[]"), 400),
    "not JSON": (framed("Content-Length: 3", body=b"{x}"), 400),
    "NaN": (framed("Content-Length: 41", body=b'{"model":"scripted","temperature":NaN}   '), 400),
    "not UTF-8": (framed("Content-Length: 4", body=b"\xff\xfe\xfd\xfc"), 400),
    "deep": (framed("Content-Length: 200000", body=b"[" * 200_000), 400),
    "deep objects": (framed("Content-Length: 200000", body=b'{"a":' * 40_000), 400),
    "no length": (framed(), 411),
    "two lengths": (framed("Content-Length: 5", f"Content-Length: {len(BODY)}"), 411),
    "signed length": (framed(f"Content-Length: +{len(BODY)}"), 411),
    "length and chunks": (framed(f"Content-Length: {len(BODY)}", "Transfer-Encoding: chunked"), 400),
    "odd coding": (framed("Transfer-Encoding: chunked, identity"), 400),
    "bad chunk": (framed("Transfer-Encoding: chunked", body=b"zz\r\n{}\r\n0\r\n\r\n"), 400),
    "negative chunk": (framed("Transfer-Encoding: chunked", body=b"-1\r\n{}\r\n0\r\n\r\n"), 400),
    "large": (framed("Content-Length: 99999999999"), 413),
    "large chunk": (framed("Transfer-Encoding: chunked", body=b"7fffffff\r\n"), 413),
    "compressed": (framed("Content-Encoding: gzip", "Content-Length: 2", body=b"\x1f\x8b"), 415),
    "absolute": (framed(f"Content-Length: {len(BODY)}", head=HEAD.replace(b" /v1", b" http://example.com/v1")), 404),
    "dots": (framed(f"Content-Length: {len(BODY)}", head=HEAD.replace(b" /v1/", b" /v1/../v1/")), 404),
    "encoded": (framed(f"Content-Length: {len(BODY)}", head=HEAD.replace(b"/chat/", b"/%63hat/")), 404),
    "other page": (framed(f"Content-Length: {len(BODY)}", head=HEAD.replace(b"chat/completions", b"files")), 404),
    "batches": (framed(f"Content-Length: {len(BODY)}", head=HEAD.replace(b"chat/compl", b"batches/")), 404),
    "get": (HEAD.replace(b"POST", b"GET") + b"\r\n", 404),
    "connect": (b"CONNECT example.com:443 HTTP/1.1\r\n\r\n", 401),
    "not HTTP": (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_requests_are_refused_and_nothing_of_them_is_passed_on(refusing: Any, name: str) -> None:
    server, gateway = refusing
    data, status = ODD[name]
    before = len(server.requests)
    answer = send(gateway.port, data)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode()), answer[:200]
    assert b'"error"' in answer
    assert len(server.requests) == before
    assert not gateway.gateway.problems


def test_requests_in_chunks_and_behind_each_other() -> None:
    with ModelServer() as server, opened(options(server, "scripted")) as gateway:
        chunks = b"%x\r\n%b\r\n" % (10, BODY[:10]) + b"%x;x=y\r\n%b\r\n0\r\n\r\n" % (len(BODY) - 10, BODY[10:])
        answer = send(gateway.port, framed("Transfer-Encoding: chunked", body=chunks))
        assert answer.startswith(b"HTTP/1.1 200 ")
        assert server.calls[-1].body == json.loads(BODY)
        twice = framed(f"Content-Length: {len(BODY)}") * 2
        assert send(gateway.port, twice).count(b"HTTP/1.1 ") == 1, "what follows a request is not read"
        assert len(server.calls) == 2
        smuggled = framed(f"Content-Length: {len(BODY)}", "X-Api-Key: x", "Authorization: Bearer y", "X: a\r\n b: c")
        assert send(gateway.port, smuggled).startswith(b"HTTP/1.1 200 ")
        sent = {name.lower() for name in server.calls[-1].headers}
        assert sent <= {"host", "accept-encoding", "user-agent", "content-type", "content-length"}


def test_headers_that_are_passed_on_are_those_of_the_protocol() -> None:
    with ModelServer() as server, opened(options(server, "scripted")) as gateway:
        betas = (
            "interleaved-thinking-2025-05-14,code-execution-2025-05-22,mcp-client-2025-04-04,x y,context-1m-2025-08-07"
        )
        given = {
            "anthropic-version": "2023-06-01",
            "anthropic-beta": betas,
            "OpenAI-Organization": "x",
            "Cookie": "a=b",
        }
        ask(gateway.port, "messages", headers=given)
        sent = {name.lower(): value for name, value in server.calls[-1].headers.items()}
        assert sent["anthropic-beta"] == "interleaved-thinking-2025-05-14,context-1m-2025-08-07"
        assert not {"openai-organization", "cookie"} & set(sent)


def test_a_redirect_is_not_followed_and_the_key_is_in_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    echo = {"error": {"message": f"You sent {KEY}."}}
    script: list[Item] = [
        Fault(status=307, headers={"Location": "http://127.0.0.1:9/v1/chat/completions"}),
        Fault(status=400, body=echo, headers={"openai-organization": "ours", "set-cookie": "a=b"}),
        Say(f"Your key is {KEY}."),
        Say(f"Your key is {KEY}.", pieces=1),
    ]
    with ModelServer(script, key=KEY) as server, opened(options(server, "scripted")) as gateway:
        answers = [ask(gateway.port), ask(gateway.port), ask(gateway.port), ask(gateway.port, stream=True)]
        assert [answer.status for answer in answers] == [502, 400, 200, 200]
        assert "location" not in answers[0].headers
        assert not {"openai-organization", "set-cookie"} & set(answers[1].headers)
        for answer in answers:
            assert KEY.encode() not in answer.body
            assert KEY not in str(answer.headers)


def test_slow_and_silent_connections_do_not_keep_others_out() -> None:
    with ModelServer() as server, opened(options(server, "scripted")) as gateway:
        silent = [socket.create_connection(("127.0.0.1", gateway.port)) for _ in range(40)]
        for connection in silent[:20]:
            connection.sendall(HEAD)
        assert ask(gateway.port).status == 200
        for connection in silent:
            connection.close()
        wait_for(lambda: ask(gateway.port).status == 200)


def test_a_slow_request_has_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlebench.services.gateway.server._RECEIVE_SECONDS", 0.5)
    with ModelServer() as server, opened(options(server, "scripted")) as gateway:
        assert send(gateway.port, framed("Content-Length: 1000", body=b"{")).startswith(b"HTTP/1.1 408 ")


def test_health_of_unknown_pages(refusing: Any) -> None:
    _, gateway = refusing
    for path in ("/", "/health", "/v1", "/v1/models/../../etc/passwd", "/v1/models/x"):
        assert request(gateway.port, "GET", path, headers={"x-api-key": TOKEN}).status == 404
        assert request(gateway.port, "GET", path).status == 401
