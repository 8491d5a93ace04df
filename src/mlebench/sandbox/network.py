"""The network of a run: nothing, everything, or a list of `host:port` through a proxy that notes every attempt."""

from __future__ import annotations

import contextlib
import re
import selectors
import socket
import socketserver
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

from mlebench.base.wording import plain
from mlebench.sandbox.interface import Attempt, Network, SandboxError
from mlebench.sandbox.serving import BoundedThreads
from mlebench.sandbox.start import CommandSetup

_DESTINATION = re.compile(r"(?P<host>\*|(\*\.)?[A-Za-z0-9_][A-Za-z0-9_.-]*|\[[0-9A-Fa-f:.]+\]):(?P<port>\d{1,5}|\*)")
_OWN_MACHINE = ("localhost", "127.0.0.1", "::1")  # to which programs connect past the proxy (see `variables`)
_LONGEST_HEAD = 1 << 16
_MOST_ATTEMPTS = 10_000
_LONGEST_HOST = 255  # as names can be; an agent may send anything
_MOST_CONNECTIONS = 128  # at a time
_IDLE_SECONDS = 600.0


def parse_network(text: str) -> Network:
    """`none`, `full`, or `host:port` separated by commas; `*.host:443` stands for all below a host."""
    if text in ("none", "full"):
        return Network(full=text == "full")
    destinations = tuple(part.strip() for part in text.split(",") if part.strip())
    for destination in destinations:
        if not _DESTINATION.fullmatch(destination):
            raise SandboxError(
                f"{destination} is not a network destination.",
                hint="Write none, full, or a list such as api.example.com:443.",
            )
        if destination.lower().rpartition(":")[0].strip("[]") in _OWN_MACHINE:
            raise SandboxError(
                f"{destination} cannot be granted: within a sandbox that is the sandbox itself, not this machine.",
                hint="For models use --model-endpoint; for anything else name another address of this machine.",
            )
    return Network(allowed=destinations)


def is_allowed(network: Network, host: str, port: int) -> bool:
    """Whether a list admits a destination."""
    host = host.lower().rstrip(".")
    for destination in network.allowed:
        name, _, number = destination.lower().rpartition(":")
        name = name.strip("[]")
        matches = name in ("*", host) or (name.startswith("*.") and host.endswith(name[1:]))
        if matches and number in ("*", str(port)):
            return True
    return network.full


@dataclass(frozen=True)
class _Request:
    """What a client asks the proxy for."""

    host: str
    port: int
    first: bytes  # what goes to the destination at once
    is_tunnel: bool


class NetworkProxy:
    """An HTTP proxy (CONNECT, and plain requests) that lets a list through and notes every attempt.

    It listens on a Unix socket, which a sandbox binds in, or on a port of localhost.
    """

    def __init__(self, network: Network, socket_path: Path | None = None) -> None:
        self._network = network
        self._attempts: list[Attempt] = []
        self._lock = threading.Lock()
        proxy = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError, ValueError, UnicodeError):
                    proxy._serve(self.request)

        self._server: BoundedThreads
        if socket_path is not None:
            self._server = _UnixServer(str(socket_path), Handler)
            socket_path.chmod(0o666)
            self.port = 0
        else:
            server = _TcpServer(("127.0.0.1", 0), Handler)
            self._server, self.port = server, int(server.server_address[1])
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="network proxy").start()

    def close(self) -> None:
        """Stop listening, within a tenth of a second, which nobody needs to wait for."""
        threading.Thread(target=self._server.end, daemon=True, name="end of network proxy").start()

    def attempts(self) -> list[Attempt]:
        """Every connection that was asked for, in order."""
        with self._lock:
            return list(self._attempts)

    @staticmethod
    def variables(port: int) -> Mapping[str, str]:
        """What tells programs to use the proxy at this port of localhost."""
        url = f"http://127.0.0.1:{port}"
        names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")
        local = ",".join(_OWN_MACHINE)
        return {**dict.fromkeys(names, url), "no_proxy": local, "NO_PROXY": local}

    def _serve(self, client: socket.socket) -> None:
        client.settimeout(_IDLE_SECONDS)
        request = _read_request(client)
        allowed = is_allowed(self._network, request.host, request.port)
        with self._lock:
            if len(self._attempts) < _MOST_ATTEMPTS:
                now = datetime.now(UTC).isoformat(timespec="milliseconds")
                self._attempts.append(Attempt(now, plain(request.host, _LONGEST_HOST), request.port, allowed))
        if not allowed:
            answer = f"{request.host}:{request.port} is not among the destinations granted to this run.\n".encode()
            head = f"HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: {len(answer)}\r\n"
            client.sendall(head.encode() + b"Connection: close\r\n\r\n" + answer)
            return
        try:
            server = socket.create_connection((request.host, request.port), timeout=30)
        except OSError:
            client.sendall(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            return
        with server:
            if request.is_tunnel:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            server.sendall(request.first)
            _copy_both_ways(client, server)


def proxied(network: Network, setup: CommandSetup, socket_path: Path | None = None) -> NetworkProxy:
    """A proxy for a command: it ends with the run, and the run's attempts are its own."""
    proxy = NetworkProxy(network, socket_path)
    setup.cleanups.append(proxy.close)
    setup.attempts, setup.attempts_seen_by = proxy.attempts, "proxy"
    return proxy


class _TcpServer(BoundedThreads, socketserver.TCPServer):
    allow_reuse_address = True
    request_queue_size = 64
    connections = _MOST_CONNECTIONS


class _UnixServer(BoundedThreads, socketserver.UnixStreamServer):
    request_queue_size = 64
    connections = _MOST_CONNECTIONS


def _read_request(client: socket.socket) -> _Request:
    """The head of a request; a plain one is sent on in the form that servers expect, and ends its connection."""
    data = b""
    while b"\r\n\r\n" not in data:
        chunk = client.recv(1 << 14)
        if not chunk or len(data) > _LONGEST_HEAD:
            raise ValueError("no request")
        data += chunk
    head, _, body = data.partition(b"\r\n\r\n")
    line, *headers = head.split(b"\r\n")
    method, target, version = line.decode("ascii").split(" ")
    if method == "CONNECT":
        host, _, port = target.rpartition(":")
        return _Request(host.strip("[]"), int(port), body, is_tunnel=True)
    url = urlsplit(target)
    if url.scheme != "http" or not url.hostname:
        raise ValueError("no request for a proxy")
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    kept = [header for header in headers if header.lower().split(b":")[0] not in (b"proxy-connection", b"connection")]
    first = b"\r\n".join([f"{method} {path} {version}".encode(), *kept, b"Connection: close"]) + b"\r\n\r\n" + body
    return _Request(url.hostname, url.port or 80, first, is_tunnel=False)


def _copy_both_ways(one: socket.socket, other: socket.socket) -> None:
    """Until one side has nothing more to say and the other has answered, or nothing moves for a long time."""
    others = {one: other, other: one}
    with selectors.DefaultSelector() as selector:
        for side in others:
            selector.register(side, selectors.EVENT_READ)
        while ready := selector.select(_IDLE_SECONDS):
            for key, _ in ready:
                side = one if key.fileobj is one else other
                if data := side.recv(1 << 16):
                    others[side].sendall(data)
                    continue
                if side is other:  # the destination has finished its answer
                    return
                selector.unregister(side)
                with contextlib.suppress(OSError):
                    others[side].shutdown(socket.SHUT_WR)
