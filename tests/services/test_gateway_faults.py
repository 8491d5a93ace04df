"""Upstreams that are busy, broken or slow, clients that leave, and budgets under many calls at once."""

from __future__ import annotations

import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from gateways import BODIES, PATHS, PRICES, TOKEN, Answer, ask, budgets, opened, options
from model_server import Fault, Item, ModelServer, Say
from waiting import wait_for

from mlebench.services.gateway.upstream import pause_before

TALKING = ("chat", "responses", "messages")
SOON = {"Retry-After": "0"}


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "fault",
    [
        Fault(status=429, headers=SOON),
        Fault(status=500, headers={"retry-after-ms": "10"}),
        Fault(status=503, headers=SOON),
        Fault(status=529, headers=SOON),
        Fault(hang_up=True),
        Fault(garbage=b"\x00\x01\x02 garbage\r\n\r\n"),
        Fault(garbage=b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: x" + b"y" * 100_000),
    ],
    ids=["429", "500", "503", "529", "hang up", "garbage", "long head"],
)
def test_what_fails_before_the_first_byte_is_asked_again(fault: Fault, stream: bool) -> None:
    with ModelServer([fault, fault, Say("At last.")]) as server, opened(options(server, patience=60.0)) as gateway:
        answer = ask(gateway.port, stream=stream)
        assert answer.status == 200
        assert len(server.calls) == 3
        usage = gateway.usage
        assert (usage["requests"], usage["failed"]) == (1, 0)
        assert usage["output_tokens"] == server.usage["output_tokens"]
        assert gateway.ended == []


def test_what_a_client_did_wrong_is_its_own_affair() -> None:
    wrong = {"error": {"message": "max_tokens is too large", "type": "invalid_request_error"}}
    script = [Fault(status=400, body=wrong), Fault(status=404), Fault(status=422)]
    with ModelServer(script) as server, opened(options(server)) as gateway:
        first = ask(gateway.port)
        assert (first.status, first.json) == (400, wrong)
        assert [ask(gateway.port).status for _ in range(2)] == [404, 422]
        assert len(server.calls) == 3
        assert (gateway.usage["failed"], gateway.usage["without_usage"]) == (3, 0)
        assert gateway.ended == []


def test_the_pause_that_an_upstream_asks_for() -> None:
    assert pause_before(0, "7") == 7
    assert pause_before(0, "7", "250") == 0.25
    assert pause_before(0, "99999") == 120
    assert pause_before(0, "Mon, 01 Jan 2001 00:00:00 GMT") == 0
    assert [0 < pause_before(attempt, text) <= 30 for attempt in (0, 3, 5000) for text in ("", "soon", "1e999x")] == [
        True
    ] * 9
    assert pause_before(0, "nan") >= 0
    assert pause_before(0, "-5") == 0


@pytest.mark.parametrize(("status", "told"), [(429, 429), (503, 503), (401, 502), (402, 502)])
def test_an_upstream_that_stays_away_ends_the_run(status: int, told: int) -> None:
    with ModelServer([Fault(status=status)] * 1000) as server, opened(options(server, patience=0.3)) as gateway:
        answers = [ask(gateway.port) for _ in range(4)]
        assert answers[0].status == told
        assert gateway.usage["failed"] > 0
        assert [code for code, _ in gateway.ended] == ["model-endpoint"]
        assert answers[-1].status == 403, "nothing is asked any more"


def test_an_exhausted_account_is_not_asked_again() -> None:
    empty = {
        "error": {"message": "You exceeded your quota", "type": "insufficient_quota", "code": "insufficient_quota"}
    }
    with ModelServer([Fault(status=429, body=empty)] * 9) as server, opened(options(server, patience=60.0)) as gateway:
        assert ask(gateway.port).status == 502
        assert len(server.calls) == gateway.usage["failed"] == 1
        assert "exhausted" in gateway.ended[0][1]


def test_a_403_of_an_upstream_is_a_fault_only_where_nothing_ever_worked() -> None:
    scripts: list[tuple[list[Item], bool]] = [([Say("x"), Fault(status=403)], False), ([Fault(status=403)], True)]
    for script, ends in scripts:
        with ModelServer(script) as server, opened(options(server)) as gateway:
            statuses = [ask(gateway.port).status for _ in script]
            assert statuses[-1] == 403
            assert gateway.usage["failed"] == 1
            assert bool(gateway.ended) is ends


def test_an_upstream_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with opened(options(f"http://127.0.0.1:{port}", patience=0.2)) as gateway:
        answers = [ask(gateway.port, "messages") for _ in range(3)]
        assert answers[0].status == 502
        assert answers[0].json["type"] == "error"
        assert gateway.usage["failed"] > 0
        assert "Connection refused" in gateway.ended[0][1]


@pytest.mark.parametrize("endpoint", TALKING)
def test_an_answer_that_is_cut_is_not_a_whole_one(endpoint: str) -> None:
    text = "A long text. " * 50
    with (
        ModelServer([Fault(cut=900), Say(text), Say(text), Say(text)]) as server,
        opened(options(server, prices=PRICES)) as gateway,
    ):
        answer = ask(gateway.port, endpoint, stream=True)
        assert answer.status == 200
        assert answer.events[-1].get("error") or answer.events[-1]["type"] == "error"
        usage = gateway.usage
        assert (usage["requests"], usage["failed"]) == (1, 1)
        assert (usage["without_usage"], usage["usd"]) == (1, None)
        assert (usage["input_tokens"] > 0) is (endpoint == "messages"), "the begin of a message tells what went in"
        assert ask(gateway.port, endpoint).status == 200
    with ModelServer([Fault(cut=20), Say(text)]) as server, opened(options(server)) as gateway:
        assert ask(gateway.port, endpoint).status == 502


@pytest.mark.parametrize("stream", [False, True])
def test_an_upstream_that_cuts_every_answer_ends_the_run(stream: bool) -> None:
    script: list[Item] = [Fault(cut=20), Say("It never comes.")] * 500
    with ModelServer([Say("x"), *script]) as server, opened(options(server, patience=0.3)) as gateway:
        assert ask(gateway.port).status == 200
        assert ask(gateway.port, stream=stream).status == (200 if stream else 502)
        assert gateway.ended == [], "one that is cut may be an accident"
        wait_for(lambda: ask(gateway.port, stream=stream).status == 403)
        assert [code for code, _ in gateway.ended] == ["model-endpoint"]


def test_what_failed_last_excuses_an_agent_that_gives_up() -> None:
    script: list[Item] = [Say("x"), Fault(cut=20), Say("y"), Say("z"), Fault(status=400)]
    with ModelServer(script) as server, opened(options(server)) as gateway:
        excuses = []
        for _ in range(4):
            ask(gateway.port)
            excuse = gateway.gateway.excuse()
            excuses.append(None if excuse is None else excuse[0])
    assert excuses == [None, "model-endpoint", None, None], "its own mistakes are no excuse"


@pytest.mark.parametrize(
    "garbage",
    [
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{x}",
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]",
        b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 14\r\n\r\n{"usage": [1]}',
        b'HTTP/1.1 200 OK\r\n\r\n{"usage":{"prompt_tokens":-5,"completion_tokens":1e99}}',
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {x\n\ndata: 5\n\n: comment\n\nnonsense\n\n",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\n\x1f\x8b\x08\x00",
        b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Request-Id: a\x01b\r\n\r\ndata: [DONE]\n\n",
        b"HTTP/1.1 204 No Content\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n" + b"[" * 100_000,
    ],
)
def test_garbage_of_an_upstream_harms_nobody(garbage: bytes) -> None:
    with ModelServer([Fault(garbage=garbage), Say("x")]) as server, opened(options(server, patience=0.5)) as gateway:
        ask(gateway.port)
        assert ask(gateway.port).status == 200
        usage = gateway.usage
        assert usage["output_tokens"] == server.usage["output_tokens"]
        assert not [problem for problem in gateway.gateway.problems if "failed:" in problem]


def test_an_upstream_that_tells_no_usage() -> None:
    with ModelServer(tells_usage=False) as server:
        chosen = options(server, "scripted", prices=PRICES, budgets=budgets(tokens=2000))
        with opened(chosen) as gateway:
            for stream in (False, True):
                assert ask(gateway.port, stream=stream, max_tokens=500).status == 200
            usage = gateway.usage
            assert (usage["without_usage"], usage["input_tokens"], usage["usd"]) == (2, 0, None)
            statuses = [ask(gateway.port, max_tokens=500).status for _ in range(40)]
            assert statuses[-1] == 403, "a budget cannot be evaded through such an upstream"


@pytest.mark.parametrize("endpoint", TALKING)
def test_when_a_client_leaves_its_answer_is_read_to_the_end(endpoint: str, tmp_path: Path) -> None:
    script = [Say("One two three four five six.", pieces=6, pace=0.05)]
    with ModelServer(script) as server, opened(options(server), tmp_path) as gateway:
        with socket.create_connection(("127.0.0.1", gateway.port)) as connection:
            connection.sendall(streamed_request(endpoint))
            assert connection.recv(100)
        wait_for(lambda: server.calls)
        usage = gateway.usage
        told = server.usage
        assert {name: usage[name] for name in told} == told
        call = json.loads((tmp_path / "model_calls.jsonl").read_text())
        assert call["usage"] == "complete"


def streamed_request(endpoint: str) -> bytes:
    body = json.dumps({"model": "scripted", "stream": True, **BODIES[endpoint]}).encode()
    head = f"POST {PATHS[endpoint]} HTTP/1.1\r\nx-api-key: {TOKEN}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def test_pieces_of_a_stream_come_as_they_are_sent() -> None:
    gate = threading.Event()
    with (
        ModelServer([Say("One two", pieces=2, gate=gate)]) as server,
        opened(options(server)) as gateway,
        socket.create_connection(("127.0.0.1", gateway.port), timeout=50) as connection,
    ):
        connection.sendall(streamed_request("chat"))
        found = b""
        while b'"role"' not in found:
            found += connection.recv(1 << 16)
        assert b"One" not in found, "the first piece came before the second was sent"
        gate.set()
        while b"[DONE]" not in found:
            found += connection.recv(1 << 16)


@pytest.mark.parametrize("amounts", [{"requests": 10}, {"tokens": 600}, {"usd": 0.002}], ids=["calls", "tokens", "usd"])
def test_budgets_hold_with_32_calls_at_once(amounts: dict[str, Any]) -> None:
    script: list[Item] = [Say("Hello, hello, hello, hello.", pace=0.01)] * 500
    with (
        ModelServer(script) as server,
        opened(options(server, "scripted", budgets=budgets(**amounts), prices=PRICES)) as gateway,
    ):

        def one(number: int) -> Answer:
            return ask(gateway.port, TALKING[number % 3], stream=number % 2 == 0, **_at_most(TALKING[number % 3]))

        with ThreadPoolExecutor(32) as pool:
            answers = list(pool.map(one, range(96)))
        usage = gateway.usage
        spent = {"requests": usage["requests"], "usd": usage["usd"]}
        spent["tokens"] = usage["input_tokens"] + usage["output_tokens"]
        largest = {
            "requests": 0,
            "tokens": max(call.input_tokens + call.output_tokens for call in server.calls),
            "usd": 0.0003,
        }
        ((name, amount),) = amounts.items()
        assert {answer.status for answer in answers} == {200, 403}
        assert amount <= spent[name] <= amount + largest[name]
        assert usage["requests"] == len(server.calls) == [answer.status for answer in answers].count(200)
        assert {field: usage[field] for field in server.usage} == server.usage
        assert [code for code, _ in gateway.ended] == ["model-budget"]


def _at_most(endpoint: str) -> dict[str, Any]:
    return {"max_output_tokens" if endpoint == "responses" else "max_tokens": 20}


def test_32_calls_at_once_do_not_wait_for_each_other() -> None:
    together = threading.Barrier(32, timeout=60)
    with ModelServer([Say("x", pace=0.5, pieces=1)] * 32) as server, opened(options(server)) as gateway:

        def one(_: int) -> int:
            together.wait()
            return ask(gateway.port, stream=True).status

        began = time.monotonic()
        with ThreadPoolExecutor(32) as pool:
            assert set(pool.map(one, range(32))) == {200}
        assert time.monotonic() - began < 20, "one after the other they would take half a minute and more"
        assert gateway.usage["requests"] == 32
