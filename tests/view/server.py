"""A view on loopback, as `mlebench view` starts it, and requests to it that no browser would send."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from mlebench.competition.registry import registry
from mlebench.view.app import ViewSettings, view_app
from mlebench.view.grades import Grades
from mlebench.view.security import Guard, Keys
from mlebench.view.serving import bound_socket, server_config
from mlebench.view.watching import Groups


@dataclass(frozen=True)
class Answer:
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    text: str


@dataclass
class View:
    """A view that is being served."""

    port: int
    keys: Keys
    cookie: str = ""
    groups: Groups = field(default_factory=lambda: Groups(Path()))

    @property
    def address(self) -> str:
        """The address for one browser."""
        return f"http://127.0.0.1:{self.port}/?token={self.keys.token}"

    def let_in(self) -> str:
        """Open the address as a browser does; the cookie that it gets."""
        answer = self.ask(f"/?token={self.keys.token}", with_cookie=False)
        self.cookie = answer.headers["set-cookie"].split(";")[0]
        return answer.headers["set-cookie"]

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        body: str | None = None,
        with_cookie: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Ask for a page."""
        if with_cookie and not self.cookie:
            self.let_in()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = dict(headers or {})
        if with_cookie:
            sent["Cookie"] = self.cookie
        try:
            connection.request(method, path, body, sent)
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, found, answer.read().decode("utf-8"))
        finally:
            connection.close()

    @contextmanager
    def listening(self, path: str, headers: Mapping[str, str] | None = None) -> Iterator[http.client.HTTPResponse]:
        """Server-sent events, to be read line by line."""
        if not self.cookie:
            self.let_in()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers={"Cookie": self.cookie, **(headers or {})})
        try:
            yield connection.getresponse()
        finally:
            connection.close()


@contextmanager
def serving(runs_dir: Path, *, allow_control: bool = False, grades: Grades | None = None) -> Iterator[View]:
    """A view of a folder, served by a thread."""
    socket = bound_socket(0)
    port = socket.getsockname()[1]
    keys = Keys()
    groups = Groups(runs_dir, registry, grades)
    app = Guard(view_app(ViewSettings(groups, registry, allow_control)), keys, port)
    server = uvicorn.Server(server_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    try:
        yield View(port, keys, groups=groups)
    finally:
        server.should_exit = True
        thread.join(timeout=30)
        socket.close()
