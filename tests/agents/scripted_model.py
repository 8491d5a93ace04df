"""A model that follows a script, behind the protocols of three providers: chat completions, responses and messages.

An agent's adapter must be tested with the agent itself, and the agent with a model that says what the test needs. Each
reply is chosen by a function of the request, rendered for the protocol and for the tools that the request offers, whole
or streamed, and its usage is counted here, apart from whoever else counts it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "scripted-1"
_SHELLS = ("Bash", "bash", "shell", "shell_command", "exec_command", "terminal", "execute_bash")


@dataclass(frozen=True)
class Say:
    """A reply in words."""

    text: str


@dataclass(frozen=True)
class Shell:
    """A call of whatever tool the agent has for shell commands."""

    command: str
    text: str = "Next step."


@dataclass(frozen=True)
class Call:
    """A call of a tool by its name."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """What an agent asks: the protocol, the body, the names of the tools it offers, and how many it has called so far."""

    path: str
    body: Mapping[str, Any]
    tools: Mapping[str, Mapping[str, Any]]
    calls_so_far: int

    @property
    def text(self) -> str:
        """All of the request, to look for words in."""
        return json.dumps(self.body)


@dataclass
class Counted:
    """What was asked and answered, counted by the server itself."""

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    models: set[str] = field(default_factory=set)
    provider_tools: set[str] = field(default_factory=set)
    paths: list[str] = field(default_factory=list)


def in_turn(*replies: Say | Shell | Call) -> Callable[[Request], Say | Shell | Call]:
    """The replies one after the other, by how many tools have been called; a request without tools is a side one."""

    def reply(request: Request) -> Say | Shell | Call:
        if not request.tools:
            return Say("Fine.")
        return replies[min(request.calls_so_far, len(replies) - 1)]

    return reply


class ScriptedModel:
    """The server; `url` is its address without a path."""

    def __init__(self, reply: Callable[[Request], Say | Shell | Call]) -> None:
        self.reply, self.counted, self._lock = reply, Counted(), threading.Lock()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, format: str, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self._send({"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "script"}]})

            def do_HEAD(self) -> None:
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                path = self.path.partition("?")[0].removeprefix("/v1")
                if path.endswith("/count_tokens"):
                    self._send({"input_tokens": len(json.dumps(body)) // 4})
                    return
                if path not in _PROTOCOLS:
                    self.send_error(404)
                    return
                shown = model.answer(path, body)
                if body.get("stream"):
                    self._stream(_PROTOCOLS[path].streamed(shown))
                else:
                    self._send(_PROTOCOLS[path].whole(shown))

            def _send(self, value: Any) -> None:
                data = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def _stream(self, events: Iterator[tuple[str | None, Any]]) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                for name, value in events:
                    data = value if isinstance(value, str) else json.dumps(value)
                    self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode())
                    self.wfile.flush()
                self.close_connection = True

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def answer(self, path: str, body: Mapping[str, Any]) -> _Shown:
        """Choose the reply to a request, and count both."""
        tools = _tools(body)
        calls = _PROTOCOLS[path].calls(body)
        with self._lock:
            reply = self.reply(Request(path, body, tools, calls))
            text, call = _rendered(reply, tools)
            size = len(json.dumps(body)) // 4
            shown = _Shown(f"id-{self.counted.requests}", body.get("model", MODEL), text, call, size, 1 + len(text) // 4)
            self.counted.requests += 1
            self.counted.input_tokens += shown.input_tokens
            self.counted.output_tokens += shown.output_tokens
            self.counted.models.add(shown.model)
            self.counted.paths.append(path)
            kinds = {str(tool.get("type")) for tool in body.get("tools") or [] if "name" not in tool}
            self.counted.provider_tools |= kinds - {"function", "None", "custom"}
        return shown


@contextmanager
def scripted_model(reply: Callable[[Request], Say | Shell | Call]) -> Iterator[ScriptedModel]:
    """A model on a port of this machine, as long as the block lasts."""
    model = ScriptedModel(reply)
    thread = threading.Thread(target=model._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        model._server.shutdown()
        model._server.server_close()
        thread.join()


@dataclass(frozen=True)
class _Shown:
    id: str
    model: str
    text: str
    call: tuple[str, str] | None  # the name of a tool, and its arguments as JSON
    input_tokens: int
    output_tokens: int


def _tools(body: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The tools of a request by name, with the properties of their arguments."""
    found = {}
    for tool in body.get("tools") or []:
        inner = tool.get("function", tool)
        if "name" in inner:
            schema = inner.get("parameters") or inner.get("input_schema") or {}
            found[inner["name"]] = schema.get("properties") or {}
    return found


def _rendered(reply: Say | Shell | Call, tools: Mapping[str, Mapping[str, Any]]) -> tuple[str, tuple[str, str] | None]:
    if isinstance(reply, Say):
        return reply.text, None
    if isinstance(reply, Call):
        return "Calling.", (reply.name, json.dumps(reply.arguments))
    name = next(name for name in _SHELLS if name in tools)
    key = next(key for key in ("command", "cmd") if key in tools[name])
    as_list = tools[name][key].get("type") == "array"
    arguments: dict[str, Any] = {key: ["bash", "-lc", reply.command] if as_list else reply.command}
    if "description" in tools[name]:
        arguments["description"] = reply.text
    if "security_risk" in tools[name]:
        arguments["security_risk"] = "LOW"
    if "summary" in tools[name]:
        arguments["summary"] = reply.text
    return reply.text, (name, json.dumps(arguments))


class _Chat:
    @staticmethod
    def calls(body: Mapping[str, Any]) -> int:
        return sum(len(message.get("tool_calls") or []) for message in body["messages"] if message["role"] == "assistant")

    @staticmethod
    def _usage(shown: _Shown) -> dict[str, Any]:
        total = shown.input_tokens + shown.output_tokens
        return {"prompt_tokens": shown.input_tokens, "completion_tokens": shown.output_tokens, "total_tokens": total}

    @staticmethod
    def whole(shown: _Shown) -> Any:
        message: dict[str, Any] = {"role": "assistant", "content": shown.text}
        if shown.call:
            function = {"name": shown.call[0], "arguments": shown.call[1]}
            message["tool_calls"] = [{"id": f"call-{shown.id}", "type": "function", "function": function}]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if shown.call else "stop"}
        head = {"id": shown.id, "object": "chat.completion", "created": 1, "model": shown.model}
        return {**head, "choices": [choice], "usage": _Chat._usage(shown)}

    @staticmethod
    def streamed(shown: _Shown) -> Iterator[tuple[str | None, Any]]:
        head = {"id": shown.id, "object": "chat.completion.chunk", "created": 1, "model": shown.model}

        def chunk(delta: Any, reason: str | None = None) -> dict[str, Any]:
            return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

        yield None, chunk({"role": "assistant", "content": shown.text})
        if shown.call:
            function = {"name": shown.call[0], "arguments": shown.call[1]}
            call = {"index": 0, "id": f"call-{shown.id}", "type": "function", "function": function}
            yield None, chunk({"tool_calls": [call]})
        yield None, chunk({}, "tool_calls" if shown.call else "stop")
        yield None, {**head, "choices": [], "usage": _Chat._usage(shown)}
        yield None, "[DONE]"


class _Responses:
    @staticmethod
    def calls(body: Mapping[str, Any]) -> int:
        items = body["input"] if isinstance(body["input"], list) else []
        return sum(item.get("type") in ("function_call", "local_shell_call") for item in items)

    @staticmethod
    def whole(shown: _Shown) -> Any:
        output: list[dict[str, Any]] = [
            {
                "type": "message",
                "id": f"msg-{shown.id}",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": shown.text, "annotations": []}],
            }
        ]
        if shown.call:
            call = {"call_id": f"call-{shown.id}", "name": shown.call[0], "arguments": shown.call[1]}
            output.append({"type": "function_call", "id": f"fc-{shown.id}", "status": "completed", **call})
        usage = {
            "input_tokens": shown.input_tokens,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": shown.output_tokens,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": shown.input_tokens + shown.output_tokens,
        }
        return {
            "id": shown.id,
            "object": "response",
            "created_at": 1,
            "model": shown.model,
            "status": "completed",
            "output": output,
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
            "usage": usage,
        }

    @staticmethod
    def streamed(shown: _Shown) -> Iterator[tuple[str | None, Any]]:
        whole = _Responses.whole(shown)
        number = 0
        start = {**whole, "status": "in_progress", "output": [], "usage": None}
        yield "response.created", {"type": "response.created", "sequence_number": number, "response": start}
        for index, item in enumerate(whole["output"]):
            for kind in ("response.output_item.added", "response.output_item.done"):
                number += 1
                yield kind, {"type": kind, "sequence_number": number, "output_index": index, "item": item}
        yield "response.completed", {"type": "response.completed", "sequence_number": number + 1, "response": whole}


class _Messages:
    @staticmethod
    def calls(body: Mapping[str, Any]) -> int:
        blocks = [block for message in body["messages"] if isinstance(message["content"], list) for block in message["content"]]
        return sum(block.get("type") == "tool_use" for block in blocks)

    @staticmethod
    def whole(shown: _Shown) -> Any:
        content: list[dict[str, Any]] = [{"type": "text", "text": shown.text}]
        if shown.call:
            arguments = json.loads(shown.call[1])
            content.append({"type": "tool_use", "id": f"toolu_{shown.id}", "name": shown.call[0], "input": arguments})
        return {
            "id": shown.id,
            "type": "message",
            "role": "assistant",
            "model": shown.model,
            "content": content,
            "stop_reason": "tool_use" if shown.call else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": shown.input_tokens, "output_tokens": shown.output_tokens},
        }

    @staticmethod
    def streamed(shown: _Shown) -> Iterator[tuple[str | None, Any]]:
        whole = _Messages.whole(shown)
        usage = {"input_tokens": shown.input_tokens, "output_tokens": 1}
        start = {**whole, "content": [], "stop_reason": None, "usage": usage}
        yield "message_start", {"type": "message_start", "message": start}
        for index, block in enumerate(whole["content"]):
            if block["type"] == "text":
                empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
            else:
                empty = {**block, "input": {}}
                delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            yield "content_block_start", {"type": "content_block_start", "index": index, "content_block": empty}
            yield "content_block_delta", {"type": "content_block_delta", "index": index, "delta": delta}
            yield "content_block_stop", {"type": "content_block_stop", "index": index}
        delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
        yield "message_delta", {"type": "message_delta", "delta": delta, "usage": {"output_tokens": shown.output_tokens}}
        yield "message_stop", {"type": "message_stop"}


_PROTOCOLS: dict[str, Any] = {"/chat/completions": _Chat, "/responses": _Responses, "/messages": _Messages}
