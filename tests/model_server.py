"""A scripted model on loopback: chat, responses, messages and embeddings, streamed or not, with its own count.

    with ModelServer([Run("python solve.py"), Fault(status=429), Say("Done.")]) as server:
        ...  # point an agent, or a gateway, at server.url
    server.calls, server.usage  # what it was asked, and the tokens that it told

Each request for an answer takes the next item of the script; when the script is over, `Say("Done.")` is repeated. `Run`
calls the shell tool that the request offers, whatever it is called there; without one it is a fenced block of text.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Json = dict[str, Any]
_SHELL_PARAMETERS = ("command", "cmd", "script", "code")


@dataclass(frozen=True)
class Say:
    """Answer with a text; `pieces` is how many parts a stream has, `pace` the seconds between two.

    Behind the first event a stream waits for `gate`.
    """

    text: str
    pieces: int = 3
    pace: float = 0.0
    gate: threading.Event | None = None


@dataclass(frozen=True)
class Run:
    """Have the agent run a shell command."""

    command: str
    text: str = "I run this."


@dataclass(frozen=True)
class CallTool:
    """Call a tool by its name."""

    name: str
    arguments: Mapping[str, Any]
    text: str = ""


@dataclass(frozen=True)
class Fault:
    """Do not answer as one should.

    `status` refuses, `hang_up` closes without a word, `stall` waits before anything else; `cut` closes the connection
    after so many bytes of the body of the answer that follows in the script, `garbage` is sent as the whole answer, and
    `body` in place of the usual body of an error.
    """

    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    hang_up: bool = False
    stall: float = 0.0
    cut: int | None = None
    garbage: bytes | None = None
    body: Json | None = None


Item = Say | Run | CallTool | Fault


@dataclass(frozen=True)
class Call:
    """A request for an answer, and the tokens that the answer told; none where it was a fault."""

    endpoint: str
    model: str
    stream: bool
    headers: Mapping[str, str]
    body: Json
    input_tokens: int = 0
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    fault: Fault | None = None


class ModelServer:
    """Serves a script; a context manager."""

    def __init__(
        self,
        script: Iterable[Item] = (),
        *,
        models: Sequence[str] = ("scripted",),
        key: str | None = None,
        tells_usage: bool = True,
        lists_models: bool = True,
    ) -> None:
        self.models, self.key = tuple(models), key
        self.tells_usage, self.lists_models = tells_usage, lists_models
        self.calls: list[Call] = []
        self.requests: list[tuple[str, str]] = []  # method and path of everything that came
        self._script: Iterator[Item] = itertools.chain(script, itertools.repeat(Say("Done.")))
        self._lock = threading.Lock()
        self._ids = itertools.count(1)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"owner": self}))
        self._server.daemon_threads = True
        self._server.request_queue_size = 128
        self.port = int(self._server.server_address[1])
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> ModelServer:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def usage(self) -> Json:
        """The sums that `model_usage` must have."""
        answered = [call for call in self.calls if call.endpoint != "count_tokens"]
        return {
            "requests": len([call for call in answered if call.fault is None]),
            "input_tokens": sum(call.input_tokens for call in answered),
            "cached_input_tokens": sum(call.cached_tokens for call in answered),
            "cache_write_tokens": sum(call.cache_write_tokens for call in answered),
            "output_tokens": sum(call.output_tokens for call in answered),
        }

    def next_item(self) -> Item:
        """The next item of the script."""
        with self._lock:
            return next(self._script)

    def identity(self, prefix: str) -> str:
        """A fresh id."""
        with self._lock:
            return f"{prefix}_{next(self._ids):06d}"

    def note(self, call: Call) -> None:
        """Note a call."""
        with self._lock:
            self.calls.append(call)


class _Handler(BaseHTTPRequestHandler):
    owner: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *arguments: Any) -> None:
        """Not on the screen of whoever runs the tests."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.owner.requests.append(("GET", self.path))
        if not self._has_key():
            return
        models = [{"id": name, "object": "model", "type": "model"} for name in self.owner.models]
        if path == "/v1/models" and self.owner.lists_models:
            self._json(200, {"object": "list", "data": models})
        elif path.removeprefix("/v1/models/") in self.owner.models and self.owner.lists_models:
            self._json(200, models[0])
        else:
            self._json(404, {"error": {"message": "There is no such page.", "type": "not_found_error"}})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.owner.requests.append(("POST", self.path))
        if not self._has_key():
            return
        body: Json = json.loads(raw)
        endpoints = {
            "/v1/chat/completions": "chat",
            "/v1/responses": "responses",
            "/v1/messages": "messages",
            "/v1/embeddings": "embeddings",
            "/v1/messages/count_tokens": "count_tokens",
        }
        endpoint = endpoints.get(self.path)
        if endpoint is None:
            self._json(404, {"error": {"message": "There is no such page.", "type": "not_found_error"}})
            return
        tokens = len(raw) // 4 + 1
        if endpoint == "count_tokens":
            self.owner.note(Call(endpoint, body["model"], False, dict(self.headers), body))
            self._json(200, {"input_tokens": tokens})
            return
        item, cut = self.owner.next_item(), None
        stream = body.get("stream") is True
        if isinstance(item, Fault):
            time.sleep(item.stall)
            if item.cut is None and (item.status or item.hang_up or item.garbage is not None):
                self.owner.note(Call(endpoint, body["model"], stream, dict(self.headers), body, fault=item))
                self._fault(item)
                return
            cut, fault = item.cut, item
            item = self.owner.next_item()
            while isinstance(item, Fault):
                item = self.owner.next_item()
        else:
            fault = None
        answer = _Answer(self.owner, endpoint, body, tokens, item)
        call = Call(endpoint, body["model"], stream, dict(self.headers), body)
        if cut is None:
            call = replace(call, input_tokens=tokens, output_tokens=answer.output_tokens)
            self.owner.note(replace(call, cached_tokens=answer.cached, cache_write_tokens=answer.written))
        else:
            self.owner.note(replace(call, fault=fault))
        if stream and endpoint != "embeddings":
            self._stream(answer.events(), cut, item if isinstance(item, Say) else Say(""))
        else:
            self._json(200, answer.whole(), cut=cut)

    def _has_key(self) -> bool:
        given = (self.headers.get("Authorization", "").removeprefix("Bearer "), self.headers.get("x-api-key"))
        if self.owner.key is None or self.owner.key in given:
            return True
        self._json(
            401, {"error": {"message": f"Incorrect API key provided: {given[0]}", "type": "authentication_error"}}
        )
        return False

    def _fault(self, fault: Fault) -> None:
        if fault.hang_up:
            self.close_connection = True
            self.connection.close()
        elif fault.garbage is not None:
            self.close_connection = True
            self.wfile.write(fault.garbage)
            self.wfile.flush()
        else:
            body = fault.body or {"error": {"message": "The script says so.", "type": "server_error"}}
            self._json(fault.status or 500, body, headers=fault.headers)

    def _json(
        self, status: int, value: Json, *, headers: Mapping[str, str] | None = None, cut: int | None = None
    ) -> None:
        text = json.dumps(value).encode()
        self.send_response(status)
        for name, header in {"Content-Type": "application/json", "x-request-id": "req_1", **(headers or {})}.items():
            self.send_header(name, header)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text if cut is None else text[:cut])
        self.wfile.flush()
        self.close_connection = self.close_connection or cut is not None

    def _stream(self, events: Iterator[bytes], cut: int | None, said: Say) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        sent = 0
        try:
            for event in events:
                piece = event if cut is None else event[: max(0, cut - sent)]
                if piece:
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                    self.wfile.flush()
                sent += len(piece)
                if cut is not None and sent >= cut:
                    self.close_connection = True
                    return
                time.sleep(said.pace)
                if said.gate is not None:
                    said.gate.wait(60)
            self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.close_connection = True


class _Answer:
    """One answer, in the form of an endpoint."""

    def __init__(self, owner: ModelServer, endpoint: str, body: Json, tokens: int, item: Item) -> None:
        self.owner, self.endpoint, self.body, self.tokens = owner, endpoint, body, tokens
        self.text, self.pieces, self.tool = "", 1, None
        if isinstance(item, Say):
            self.text, self.pieces = item.text, item.pieces
        elif isinstance(item, CallTool):
            self.text, self.tool = item.text, (item.name, dict(item.arguments))
        elif isinstance(item, Run):
            self.text, self.tool = item.text, shell_call(body.get("tools"), item.command)
            if self.tool is None:
                self.text = f"{item.text}\n\n```bash\n{item.command}\n```\n"
        self.cached, self.written = tokens // 4, tokens // 8 if endpoint == "messages" else 0
        told = self.text + (json.dumps(self.tool[1]) if self.tool else "")
        self.output_tokens = 0 if endpoint == "embeddings" else len(told) // 4 + 1
        if endpoint == "embeddings":
            self.cached = 0

    @property
    def _parts(self) -> list[str]:
        size = max(1, -(-len(self.text) // self.pieces))
        return [self.text[at : at + size] for at in range(0, len(self.text), size)]

    def _usage(self) -> Json:
        if self.endpoint == "embeddings":
            return {"prompt_tokens": self.tokens, "total_tokens": self.tokens}
        if self.endpoint == "chat":
            return {
                "prompt_tokens": self.tokens,
                "completion_tokens": self.output_tokens,
                "total_tokens": self.tokens + self.output_tokens,
                "prompt_tokens_details": {"cached_tokens": self.cached},
            }
        if self.endpoint == "responses":
            return {
                "input_tokens": self.tokens,
                "input_tokens_details": {"cached_tokens": self.cached},
                "output_tokens": self.output_tokens,
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": self.tokens + self.output_tokens,
            }
        return {
            "input_tokens": self.tokens - self.cached - self.written,
            "cache_read_input_tokens": self.cached,
            "cache_creation_input_tokens": self.written,
            "output_tokens": self.output_tokens,
        }

    def _told_usage(self) -> Json:
        return {"usage": self._usage()} if self.owner.tells_usage else {}

    def whole(self) -> Json:
        model = self.body["model"]
        if self.endpoint == "embeddings":
            given = self.body["input"]
            count = len(given) if isinstance(given, list) else 1
            data = [{"object": "embedding", "index": at, "embedding": [0.5, -0.5, 0.25]} for at in range(count)]
            return {"object": "list", "data": data, "model": model, **self._told_usage()}
        if self.endpoint == "chat":
            message: Json = {"role": "assistant", "content": self.text or None}
            if self.tool:
                message["tool_calls"] = [self._chat_tool()]
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if self.tool else "stop"}
            return {**self._chat_head("chat.completion"), "choices": [choice], **self._told_usage()}
        if self.endpoint == "responses":
            return self._response("completed", self._items(), with_usage=True)
        return self._message(self._blocks(), "tool_use" if self.tool else "end_turn", self._usage())

    def events(self) -> Iterator[bytes]:
        if self.endpoint == "chat":
            yield from self._chat_events()
        elif self.endpoint == "responses":
            for number, event in enumerate(self._response_events()):
                yield _event({**event, "sequence_number": number}, event["type"])
        else:
            for event in self._message_events():
                yield _event(event, event["type"])

    # Chat completions

    def _chat_head(self, kind: str) -> Json:
        return {"id": self.owner.identity("chatcmpl"), "object": kind, "created": 1, "model": self.body["model"]}

    def _chat_tool(self) -> Json:
        assert self.tool is not None
        function = {"name": self.tool[0], "arguments": json.dumps(self.tool[1])}
        return {"id": self.owner.identity("call"), "type": "function", "function": function}

    def _chat_events(self) -> Iterator[bytes]:
        head = self._chat_head("chat.completion.chunk")
        asked = (self.body.get("stream_options") or {}).get("include_usage") is True and self.owner.tells_usage
        rest = {"usage": None} if asked else {}

        def chunk(delta: Json, finish: str | None = None) -> bytes:
            return _event({**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **rest})

        yield chunk({"role": "assistant", "content": ""})
        for part in self._parts:
            yield chunk({"content": part})
        if self.tool:
            yield chunk({"tool_calls": [{"index": 0, **self._chat_tool()}]})
        yield chunk({}, "tool_calls" if self.tool else "stop")
        if asked:
            yield _event({**head, "choices": [], "usage": self._usage()})
        yield b"data: [DONE]\n\n"

    # Responses

    def _response(self, status: str, output: list[Json], *, with_usage: bool = False) -> Json:
        self._id = getattr(self, "_id", None) or self.owner.identity("resp")
        usage = self._usage() if with_usage and self.owner.tells_usage else None
        return {
            "id": self._id,
            "object": "response",
            "created_at": 1,
            "status": status,
            "model": self.body["model"],
            "output": output,
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage,
        }

    def _items(self) -> list[Json]:
        items: list[Json] = []
        if self.text:
            content = [{"type": "output_text", "text": self.text, "annotations": []}]
            items.append(
                {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": content}
            )
        if self.tool:
            call = {
                "type": "function_call",
                "id": "fc_1",
                "call_id": self.owner.identity("call"),
                "status": "completed",
            }
            items.append({**call, "name": self.tool[0], "arguments": json.dumps(self.tool[1])})
        return items

    def _response_events(self) -> Iterator[Json]:
        items = self._items()
        yield {"type": "response.created", "response": self._response("in_progress", [])}
        for at, item in enumerate(items):
            place = {"output_index": at, "item_id": item["id"]}
            if item["type"] == "message":
                yield {"type": "response.output_item.added", "output_index": at, "item": {**item, "content": []}}
                part = {"type": "output_text", "text": "", "annotations": []}
                yield {"type": "response.content_part.added", **place, "content_index": 0, "part": part}
                for text in self._parts:
                    yield {"type": "response.output_text.delta", **place, "content_index": 0, "delta": text}
                yield {"type": "response.output_text.done", **place, "content_index": 0, "text": self.text}
                part = item["content"][0]
                yield {"type": "response.content_part.done", **place, "content_index": 0, "part": part}
            else:
                yield {"type": "response.output_item.added", "output_index": at, "item": {**item, "arguments": ""}}
                yield {"type": "response.function_call_arguments.delta", **place, "delta": item["arguments"]}
                yield {"type": "response.function_call_arguments.done", **place, "arguments": item["arguments"]}
            yield {"type": "response.output_item.done", "output_index": at, "item": item}
        yield {"type": "response.completed", "response": self._response("completed", items, with_usage=True)}

    # Messages

    def _message(self, content: list[Json], stop: str | None, usage: Json) -> Json:
        message = {
            "id": self.owner.identity("msg"),
            "type": "message",
            "role": "assistant",
            "model": self.body["model"],
        }
        return {**message, "content": content, "stop_reason": stop, "stop_sequence": None, "usage": usage}

    def _blocks(self) -> list[Json]:
        blocks: list[Json] = [{"type": "text", "text": self.text}] if self.text else []
        if self.tool:
            use = {"type": "tool_use", "id": self.owner.identity("toolu"), "name": self.tool[0], "input": self.tool[1]}
            blocks.append(use)
        return blocks

    def _message_events(self) -> Iterator[Json]:
        yield {"type": "message_start", "message": self._message([], None, {**self._usage(), "output_tokens": 1})}
        for at, block in enumerate(self._blocks()):
            if block["type"] == "text":
                yield {"type": "content_block_start", "index": at, "content_block": {"type": "text", "text": ""}}
                yield {"type": "ping"}
                for part in self._parts:
                    delta: Json = {"type": "text_delta", "text": part}
                    yield {"type": "content_block_delta", "index": at, "delta": delta}
            else:
                yield {"type": "content_block_start", "index": at, "content_block": {**block, "input": {}}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
                yield {"type": "content_block_delta", "index": at, "delta": delta}
            yield {"type": "content_block_stop", "index": at}
        delta = {"stop_reason": "tool_use" if self.tool else "end_turn", "stop_sequence": None}
        yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": self.output_tokens}}
        yield {"type": "message_stop"}


def _event(value: Json, name: str | None = None) -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(value).encode() + b"\n\n"


def shell_call(tools: Any, command: str) -> tuple[str, Json] | None:
    """The name and the arguments of a call of the shell tool among those that a request offers; None without one."""
    found: list[tuple[int, str, Json]] = []
    for tool in tools or ():
        inner = tool.get("function", tool)
        name = inner.get("name", "")
        schema = inner.get("parameters") or inner.get("input_schema") or {}
        properties = schema.get("properties", {})
        likely = (
            "bash",
            "shell",
            "exec_command",
            "terminal",
            "shell_command",
            "execute_bash",
            "run_shell",
            "local_shell",
        )
        rank = next((at for at, word in enumerate(likely) if name.lower() == word), None)
        if rank is None:
            rank = next((len(likely) for word in ("bash", "shell", "exec", "run") if word in name.lower()), None)
        parameter = next((each for each in _SHELL_PARAMETERS if each in properties), None)
        if rank is None or parameter is None:
            continue
        value: Any = ["bash", "-lc", command] if properties[parameter].get("type") == "array" else command
        arguments: Json = {parameter: value}
        for required in schema.get("required", ()):
            if required not in arguments:
                kind = properties.get(required, {}).get("type")
                choices = properties.get(required, {}).get("enum")
                plain = {"boolean": False, "integer": 0, "number": 0, "array": [], "object": {}}
                arguments[required] = choices[0] if choices else plain.get(kind, "as the script says")
        found.append((rank, name, arguments))
    return min(found, key=lambda call: call[:2])[1:] if found else None
