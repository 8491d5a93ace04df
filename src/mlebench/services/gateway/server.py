"""The HTTP server that an agent calls: one request per connection, bounded in size, time and number.

Whatever an agent sends, one request is read and one answer is written; then the connection ends, so that nothing that
follows a request is ever taken for another one. Nothing of a request's head is passed on as it came.
"""

from __future__ import annotations

import io
import select
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from socketserver import TCPServer
from typing import Any, Protocol

from mlebench.sandbox.serving import BoundedThreads
from mlebench.services.gateway.protocols import RefusedError
from mlebench.services.handling import AgentRequestHandler

LARGEST_BODY = 32 << 20
_USUAL_BODY = 2 << 20
_BODIES_ROOM = 128 << 20  # bytes of all requests that wait for their answers
_RECEIVE_SECONDS = 120.0  # for a whole request
_SEND_SECONDS = 60.0  # for one piece of an answer, which a client reads or is gone
_BLOCK = 1 << 16
_LONGEST_SOCKET_PATH = 100


class Request:
    """One request of an agent."""

    def __init__(self, handler: _Handler) -> None:
        self._handler = handler
        self.method, self.target = handler.command, handler.path
        self.headers = handler.headers

    def header(self, name: str) -> str | None:
        """The value of a header."""
        value = self.headers.get(name)
        return None if value is None else str(value)

    @contextmanager
    def body(self) -> Iterator[bytes]:
        """The body, for which there is room until the block ends."""
        length, room = self._length(), self._handler.server.room
        with ExitStack() as holding:
            if length is not None:
                holding.enter_context(room.taken(length))
                yield self._handler.read_exactly(length)
            else:  # most are small, so not all are given the room of the largest
                holding.enter_context(room.taken(_USUAL_BODY))
                grow = partial(holding.enter_context, room.taken(LARGEST_BODY - _USUAL_BODY))
                yield self._handler.read_chunks(grow)

    def _length(self) -> int | None:
        """How long the body is, None where it comes in chunks."""
        lengths, codings = (self.headers.get_all(name) or [] for name in ("Content-Length", "Transfer-Encoding"))
        if self.headers.get("Content-Encoding", "identity").strip().lower() not in ("", "identity"):
            raise RefusedError(415, "compressed", "Bodies cannot be compressed here.")
        if codings:
            if lengths or len(codings) > 1 or codings[0].strip().lower() != "chunked":
                raise RefusedError(400, "bad_length", "The length of the request is not clear.")
            return None
        if len(lengths) != 1 or not (lengths[0].strip().isascii() and lengths[0].strip().isdigit()):
            raise RefusedError(411, "no_length", "The request has no length.")
        if len(lengths[0]) > 18 or int(lengths[0]) > LARGEST_BODY:
            raise too_large()
        return int(lengths[0])


def too_large() -> RefusedError:
    """The refusal of a body that is larger than any provider takes."""
    return RefusedError(413, "too_large", f"The request is larger than {LARGEST_BODY >> 20} MB.")


class Reply:
    """The answer to one request; a client that has gone is noted, and what is written to it is lost."""

    def __init__(self, handler: _Handler) -> None:
        self._handler = handler
        self.client_left = self.has_begun = False
        self._chunked = False
        self.sent = 0

    def whole(self, status: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """An answer that is known as a whole."""
        self._head(status, {"Content-Type": "application/json", **(headers or {}), "Content-Length": str(len(body))})
        if self._handler.command != "HEAD":
            self._send(body)

    def begin(self, status: int, headers: Mapping[str, str]) -> None:
        """Begin an answer that comes in pieces."""
        self._chunked = self._handler.request_version == "HTTP/1.1"
        self._head(status, {**headers, **({"Transfer-Encoding": "chunked"} if self._chunked else {})})

    def write(self, piece: bytes) -> None:
        """Pass on a piece, at once."""
        if piece:
            self._send(b"%x\r\n%b\r\n" % (len(piece), piece) if self._chunked else piece)

    def end(self) -> None:
        """Say that this was all; an answer without this was cut."""
        if self._chunked:
            self._send(b"0\r\n\r\n")

    def is_gone(self) -> bool:
        """Whether the client has closed its connection while it waits."""
        if not self.client_left:
            try:
                waiting = select.poll()  # `select` cannot ask about the many connections of many runs
                waiting.register(self._handler.connection, select.POLLIN)
                self.client_left = bool(waiting.poll(0)) and not self._handler.connection.recv(1, socket.MSG_PEEK)
            except (OSError, ValueError):
                self.client_left = True
        return self.client_left

    def _head(self, status: int, headers: Mapping[str, str]) -> None:
        self.has_begun = True
        handler = self._handler
        handler.send_response_only(status)
        for name, value in {**headers, "Connection": "close"}.items():
            handler.send_header(name, value)
        try:
            handler.connection.settimeout(_SEND_SECONDS)
            handler.end_headers()
        except OSError:
            self.client_left = True

    def _send(self, data: bytes) -> None:
        if self.client_left:
            return
        try:
            self._handler.connection.sendall(data)
            self.sent += len(data)
        except OSError:
            self.client_left = True


class Answering(Protocol):
    """What answers requests."""

    def answer(self, request: Request, reply: Reply) -> None:
        """Answer one request."""
        ...

    def note_problem(self, problem: str) -> None:
        """Note a mistake of ours."""
        ...


class _Room:
    """Bytes that all requests may take together; one that finds no room waits, and is refused in the end."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, size: int) -> Iterator[None]:
        with self._changed:
            if not self._changed.wait_for(lambda: size <= self._left, _RECEIVE_SECONDS):
                raise RefusedError(429, "too_many", "Too many large requests at a time.")
            self._left -= size
        try:
            yield
        finally:
            with self._changed:
                self._left += size
                self._changed.notify_all()


class GatewayServer(BoundedThreads, TCPServer):
    """Listens on a Unix socket, or on a port of this machine's loopback."""

    request_queue_size = 128
    connections = 64

    def __init__(self, owner: Answering, socket_path: Path | None) -> None:
        self.owner = owner
        self.room = _Room(_BODIES_ROOM)
        self._socket_path = socket_path
        address: Any = ("127.0.0.1", 0)
        if socket_path is not None:
            if len(str(socket_path).encode()) > _LONGEST_SOCKET_PATH:
                raise OSError(36, f"The path of the socket {socket_path} is too long")
            socket_path.unlink(missing_ok=True)
            self.address_family, address = socket.AF_UNIX, str(socket_path)
        super().__init__(address, _Handler)
        if socket_path is not None:
            socket_path.chmod(0o666)  # the agent may be another user inside its sandbox
        self.port = None if socket_path is not None else int(self.server_address[1])

    def start(self) -> None:
        """Serve, in threads, until `end`."""
        threading.Thread(target=self.serve_forever, args=(0.1,), name="model gateway", daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Note a mistake of ours."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):  # an agent that goes away is no news
            self.owner.note_problem(f"A request failed: {type(error).__name__}.")


class _DeadlineSocket(io.RawIOBase):
    """Reads from a socket until a moment in time, however slowly the bytes come."""

    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._connection, self._end = connection, time.monotonic() + seconds

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        return self._connection.recv_into(buffer)


class _Handler(AgentRequestHandler):
    """One connection, which has one request."""

    server: GatewayServer

    def setup(self) -> None:
        super().setup()
        if self.connection.family != socket.AF_UNIX:  # pieces of a stream go out at once
            self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
        self.rfile = io.BufferedReader(_DeadlineSocket(self.connection, _RECEIVE_SECONDS), _BLOCK)

    def handle(self) -> None:
        """Read one request and answer it."""
        self.close_connection = True
        self.requestline, self.request_version, self.command, self.path = "", "HTTP/1.1", "", ""
        reply = Reply(self)
        self.raw_requestline = self.rfile.readline(65537)
        if not self.raw_requestline:
            return
        if len(self.raw_requestline) > 65536 or not self.parse_request():
            self.drain()
            return
        self.server.owner.answer(Request(self), reply)
        self.drain()

    def handle_expect_100(self) -> bool:
        """Have a client send its body that waits for a word from us."""
        with suppress(OSError):
            self.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        return True

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """A request that is not HTTP, in the words of a protocol."""
        from mlebench.services.gateway import protocols

        self.request_version = "HTTP/1.0"  # whatever was understood of it
        sentence = "The request is not HTTP as it is spoken here."
        Reply(self).whole(code, protocols.error_body(protocols.Protocol.OPENAI, code, "bad_request", sentence))

    def read_exactly(self, length: int) -> bytes:
        """The body of a request of known length."""
        try:
            body = self.rfile.read(length)
        except TimeoutError:
            raise RefusedError(408, "too_slow", "The request took too long to come.") from None
        if len(body) < length:
            raise RefusedError(400, "incomplete", "The request is incomplete.")
        return body

    def read_chunks(self, grow: Callable[[], object]) -> bytes:
        """The body of a request that comes in chunks; `grow` is called once, when it is larger than usual."""
        body = bytearray()
        has_grown = False
        malformed = RefusedError(400, "bad_chunks", "The chunks of the request are malformed.")
        while True:
            try:
                line = self.rfile.readline(100)
            except TimeoutError:
                raise RefusedError(408, "too_slow", "The request took too long to come.") from None
            size_text = line.split(b";")[0].strip()
            if not line.endswith(b"\n") or not size_text or len(size_text) > 8:
                raise malformed
            if size_text.strip(b"0123456789abcdefABCDEF"):
                raise malformed
            size = int(size_text, 16)
            if size == 0:
                return bytes(body)  # what may follow is never read as a request
            if len(body) + size > LARGEST_BODY:
                raise too_large()
            if len(body) + size > _USUAL_BODY and not has_grown:
                has_grown = True
                grow()
            body += self.read_exactly(size)
            if self.read_exactly(2) != b"\r\n":
                raise malformed
