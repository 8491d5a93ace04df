"""Asking an upstream: connections that are used again, and patience with one that is busy or down for a while.

The standard library's client is enough: it follows no redirect, takes no proxy from the environment, bounds the head of
an answer, and adds no header that it was not given.
"""

from __future__ import annotations

import http.client
import random
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from mlebench.services.gateway.options import Upstream
from mlebench.services.gateway.protocols import Protocol

CONNECT_SECONDS = 20.0
SILENCE_SECONDS = 900.0  # until the first byte of an answer, and between two
_IDLE_SECONDS = 20.0  # after which a connection is not used again
_MOST_IDLE = 32
_FIRST_PAUSE, _LONGEST_PAUSE, _LONGEST_ASKED_PAUSE = 0.5, 30.0, 120.0
_BUSY = frozenset((408, 409, 425, 429))


class UnreachableError(Exception):
    """An upstream did not answer; why, in a phrase."""


@dataclass
class _Idle:
    connection: http.client.HTTPConnection
    since: float


class Answer:
    """An answer whose head has come; its body is read in pieces."""

    def __init__(
        self, client: UpstreamClient, connection: http.client.HTTPConnection, response: http.client.HTTPResponse
    ):
        self._client, self._connection, self._response = client, connection, response
        self._left = response.length  # counted here: not every version of Python does so in `read1`
        self._is_whole = False
        self.status = response.status

    def header(self, name: str) -> str:
        """The value of a header, or an empty text."""
        return self._response.getheader(name) or ""

    def read(self, most: int = 1 << 16) -> bytes:
        """The next piece, as soon as there is one; nothing at the end. An UnreachableError if the answer is cut."""
        if self._left == 0:
            self._is_whole = True
            return b""
        try:
            piece = self._response.read1(most if self._left is None else min(most, self._left))
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise UnreachableError(_phrase(error)) from error
        if self._left is not None:
            if not piece:
                raise UnreachableError("the answer was cut")
            self._left -= len(piece)
        self._is_whole = not piece
        return piece

    def close(self) -> None:
        """Let go of it; the connection is used again if the answer was read to its end."""
        if self._is_whole and not self._response.will_close:
            self._response.close()
            self._client.keep(self._connection)
        else:
            self._connection.close()


class UpstreamClient:
    """Asks one upstream, with its key."""

    def __init__(self, upstream: Upstream, key: str | None) -> None:
        self.upstream, self._key = upstream, key
        parts = urlsplit(upstream.url)
        self._host, self._port, self._path = parts.hostname or "", parts.port, parts.path
        self._context = ssl.create_default_context() if parts.scheme == "https" else None
        self._idle: list[_Idle] = []
        self._lock = threading.Lock()

    def headers(self, protocol: Protocol) -> dict[str, str]:
        """Those that every request of a protocol has, the key among them."""
        headers = {"Accept-Encoding": "identity", "User-Agent": "mlebench"}
        if self._key is not None and protocol is Protocol.ANTHROPIC:
            headers["x-api-key"] = self._key
        if self._key is not None and (protocol is Protocol.OPENAI or not self.upstream.host.endswith("anthropic.com")):
            headers["Authorization"] = f"Bearer {self._key}"
        return headers

    def masked(self, data: bytes) -> bytes:
        """The same without the key, should an upstream repeat it."""
        if self._key is None:
            return data
        key = self._key.encode()
        return data.replace(key, b"*" * 8) if key in data else data

    def ask(
        self,
        method: str,
        path: str,
        protocol: Protocol,
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = SILENCE_SECONDS,
    ) -> Answer:
        """Ask once; an UnreachableError if there is no answer."""
        sent = {**self.headers(protocol), **(headers or {})}
        if body is not None:
            sent |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
        while True:
            connection, is_used = self._connection()
            try:
                if connection.sock is None:
                    connection.timeout = CONNECT_SECONDS if timeout > CONNECT_SECONDS else timeout
                    connection.connect()
                assert connection.sock is not None
                connection.sock.settimeout(timeout)
                connection.request(method, f"{self._path}/v1{path}", body=body, headers=sent)
                return Answer(self, connection, connection.getresponse())
            except (OSError, http.client.HTTPException, ValueError) as error:
                connection.close()
                if not is_used or isinstance(error, TimeoutError):  # one that had been idle may have been closed
                    raise UnreachableError(_phrase(error)) from error

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        """A connection, and whether it was used before."""
        with self._lock:
            while self._idle:
                idle = self._idle.pop()
                if time.monotonic() - idle.since < _IDLE_SECONDS:
                    return idle.connection, True
                idle.connection.close()
        if self._context is not None:
            return http.client.HTTPSConnection(self._host, self._port, context=self._context), False
        return http.client.HTTPConnection(self._host, self._port), False

    def keep(self, connection: http.client.HTTPConnection) -> None:
        """Keep a connection for the next call."""
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append(_Idle(connection, time.monotonic()))
                return
        connection.close()

    def close(self) -> None:
        """Close what is idle."""
        with self._lock:
            idle, self._idle = self._idle, []
        for kept in idle:
            kept.connection.close()


def is_busy(status: int) -> bool:
    """Whether a status means that the same may be asked again."""
    return status in _BUSY or status >= 500


def pause_before(attempt: int, retry_after: str = "", retry_after_ms: str = "") -> float:
    """Seconds to wait before asking again: what the upstream asks for, else longer each time."""
    asked = _asked_pause(retry_after, retry_after_ms)
    if asked is not None:
        return min(asked, _LONGEST_ASKED_PAUSE)
    return min(_LONGEST_PAUSE, _FIRST_PAUSE * 2.0 ** min(attempt, 10)) * random.uniform(0.75, 1.0)


def _asked_pause(retry_after: str, retry_after_ms: str) -> float | None:
    try:
        if retry_after_ms:
            return max(0.0, float(retry_after_ms) / 1000)
        if retry_after:
            return max(0.0, float(retry_after))
    except ValueError:
        try:
            return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
        except ValueError:
            return None
    return None


class Health:
    """How long an upstream has failed without a break."""

    def __init__(self, patience: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.patience, self._clock = patience, clock
        self._failing_since: float | None = None
        self._lock = threading.Lock()

    def note(self, *, works: bool) -> None:
        """Note how a call went."""
        with self._lock:
            if works:
                self._failing_since = None
            elif self._failing_since is None:
                self._failing_since = self._clock()

    @property
    def is_dead(self) -> bool:
        """Whether it has failed for longer than anybody would wait."""
        with self._lock:
            return self._failing_since is not None and self._clock() - self._failing_since >= self.patience


def _phrase(error: BaseException) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {error.verify_message}"
    if isinstance(error, TimeoutError):
        return "it does not answer in time"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return (
        f"its answer is not HTTP ({type(error).__name__})"
        if isinstance(error, http.client.HTTPException)
        else str(error)
    )
