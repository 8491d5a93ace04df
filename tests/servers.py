"""Servers on loopback: one that misbehaves on purpose, and one that Kaggle's client takes for Kaggle."""

from __future__ import annotations

import base64
import json
import re
import time
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Answer:
    """How to answer one request: honestly, except for what is said here."""

    status: int | None = None  # refuse with this status
    headers: Mapping[str, str] = field(default_factory=dict)
    hang_up: bool = False  # close the connection without a word
    cut: int | None = None  # close it after so many bytes of the body
    stall: float = 0.0  # be silent for so many seconds before the body
    whole: bool = False  # send the whole file, whatever range was asked for
    claim: int = 0  # say that the body is so many bytes longer than it is
    content: bytes | None = None  # send this instead of the file


@dataclass(frozen=True)
class Request:
    """A request as it came in."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The path of the address, without host and query."""
        return urlsplit(self.url).path

    @property
    def offset(self) -> int:
        """Where the range begins that was asked for."""
        found = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        return int(found[1]) if found else 0


class FileServer:
    """Serves `files` by path, from any offset.

    The next requests for a path are answered as `answers` of that path says, one after the other; `always` says it for
    all further ones.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.answers: defaultdict[str, deque[Answer]] = defaultdict(deque)
        self.always: dict[str, Answer] = {}
        self.requests: list[Request] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def handle_one_request(self) -> None:
                self.raw_requestline = self.rfile.readline(65537)
                self.close_connection = True
                if not self.raw_requestline or not self.parse_request():
                    return
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                request = Request(self.command, self.path, dict(self.headers), body)
                server.requests.append(request)
                server.respond(self, request)

            def log_message(self, format: str, *arguments: Any) -> None:
                """Not on the screen of whoever runs the tests."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> FileServer:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def offsets(self, path: str) -> list[int]:
        """From which offsets a file was asked for, one after the other."""
        return [request.offset for request in self.requests if request.path == path and request.method == "GET"]

    def respond(self, handler: BaseHTTPRequestHandler, request: Request) -> None:
        """Answer a request for a file."""
        answer = self.next_answer(request.path)
        content = self.files.get(request.path) if answer.content is None else answer.content
        if answer.hang_up:
            return
        if answer.status or content is None:
            send(handler, answer.status or 404, b"", answer.headers)
            return
        offset = 0 if answer.whole else request.offset
        if offset and offset >= len(content):
            send(handler, 416, b"", {"Content-Range": f"bytes */{len(content)}"})
            return
        headers = {"Content-Length": str(len(content) - offset + answer.claim)}
        if offset:
            headers["Content-Range"] = f"bytes {offset}-{len(content) - 1}/{len(content)}"
        body = content[offset:] if answer.cut is None else content[offset:][: answer.cut]
        send(handler, 206 if offset else 200, body, {**headers, **answer.headers}, answer.stall)

    def next_answer(self, path: str) -> Answer:
        """How the next request for a path is to be answered."""
        waiting = self.answers[path]
        return waiting.popleft() if waiting else self.always.get(path, Answer())


def send(
    handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: Mapping[str, str], stall: float = 0.0
) -> None:
    """Send an answer; a client that has gone is no reason to complain."""
    try:
        handler.send_response(status)
        for name, value in ({"Content-Length": str(len(body))} | dict(headers)).items():
            handler.send_header(name, value)
        handler.end_headers()
        time.sleep(stall)
        handler.wfile.write(body)
    except OSError:
        pass


class KaggleServer(FileServer):
    """What Kaggle's client needs of Kaggle.

    The client is told that Kaggle is http://localhost, and finds it through this server as its proxy; so no port is
    fixed. `archives` and `leaderboards` are by competition id. An archive lies behind a signed address on another host,
    as with Kaggle; how that host answers is told by `answers["/ID.zip"]`, how Kaggle itself does by `answers["ID"]`.
    """

    USER, KEY, TOKEN = "somebody", "a-secret-key", "a-secret-token"
    STORAGE = "http://storage.example"

    def __init__(self) -> None:
        super().__init__()
        self.archives: dict[str, bytes] = {}
        self.leaderboards: dict[str, bytes] = {}

    def __enter__(self) -> KaggleServer:
        super().__enter__()
        return self

    def environment(self, home: Path) -> dict[str, str]:
        """The variables that bring the client here, with an empty home folder for it."""
        signed_in = {"KAGGLE_USERNAME": self.USER, "KAGGLE_KEY": self.KEY}
        folders = {"HOME": str(home), "KAGGLE_CONFIG_DIR": str(home)}
        proxy = {"http_proxy": self.url, "HTTP_PROXY": self.url, "no_proxy": "", "NO_PROXY": ""}
        return {"KAGGLE_API_ENVIRONMENT": "LOCALHOST", **signed_in, **folders, **proxy}

    def respond(self, handler: BaseHTTPRequestHandler, request: Request) -> None:
        """Answer as Kaggle, or as the host where it keeps its archives."""
        known = base64.b64encode(f"{self.USER}:{self.KEY}".encode()).decode()
        asked_by_address = re.search(r"/api/v1/competitions/(data/download-all/)?([\w-]+)", request.path)
        if request.method == "GET" and asked_by_address is not None:  # a client of version 1.6
            competition_id = asked_by_address[2]
            answer = self.next_answer(competition_id)
            if request.headers.get("Authorization") != f"Basic {known}":
                refuse(handler, 401, "Unauthenticated")
            elif answer.status:
                refuse(handler, answer.status, "Permission denied", answer.headers)
            elif asked_by_address[1]:
                send(handler, 302, b"", {"Location": f"{self.STORAGE}/{competition_id}.zip?signature=secret"})
            else:
                send(handler, 200, self.leaderboards[competition_id], {"Content-Type": "application/zip"})
            return
        if request.method == "GET":
            self.files = {f"/{key}.zip": content for key, content in self.archives.items()}
            super().respond(handler, request)
            return
        asked = json.loads(request.body)
        competition_id = asked.get("competitionName", "")
        answer = self.next_answer(competition_id or request.path)
        if request.path.endswith("/IntrospectToken") and not answer.status:
            content = json.dumps({"active": asked["token"] == self.TOKEN, "username": self.USER}).encode()
            send(handler, 200, content, {"Content-Type": "application/json"})
        elif request.headers.get("Authorization") not in (f"Basic {known}", f"Bearer {self.TOKEN}"):
            refuse(handler, 401, "Unauthenticated")
        elif answer.status:
            refuse(handler, answer.status, "Permission denied", answer.headers)
        elif request.path.endswith("/ListCompetitions"):
            send(handler, 200, b'{"competitions": []}', {"Content-Type": "application/json"})
        elif request.path.endswith("/DownloadDataFiles") and competition_id in self.archives:
            address = f"{self.STORAGE}/{competition_id}.zip?signature=secret"
            send(handler, 302, b"", {"Location": address, **answer.headers})
        elif request.path.endswith("/DownloadLeaderboard") and competition_id in self.leaderboards:
            content = self.leaderboards[competition_id]
            length = {"Content-Length": str(len(content)), "Content-Type": "application/zip"}
            send(handler, 200, content if answer.cut is None else content[: answer.cut], length)
        else:
            refuse(handler, 404, "Not found")


def refuse(
    handler: BaseHTTPRequestHandler, status: int, message: str, headers: Mapping[str, str] | None = None
) -> None:
    """Send an error in Kaggle's form."""
    body = json.dumps({"code": status, "message": message}).encode()
    send(handler, status, body, {"Content-Type": "application/json", **(headers or {})})
