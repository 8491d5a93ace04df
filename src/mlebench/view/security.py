"""Who may see the view: the browser that opened an address from the terminal, and nobody else.

Anybody on the machine can reach a port of loopback, any site in the same browser can send requests to it, and a name
can be made to point at it. So every request needs a cookie that only an address from the terminal gives (once), the
name of this server in its Host, and, where a browser tells them, an origin and a fetch site that are its own.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
# What our own pages may do: load this server's style and script, and ask it for news.
PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_REFRESH = '<meta http-equiv="refresh" content="0;url=/">'
_MOST_COOKIES = 8192  # characters
_REFUSED = "Open the address that `mlebench view` printed last in its terminal; each opens one browser."


class Keys:
    """The secrets of a server: addresses for browsers, each good for one, and the cookies that these get."""

    def __init__(self, on_used: Callable[[str], None] = lambda _: None) -> None:
        self._token = secrets.token_urlsafe(32)
        self._sessions: list[str] = []
        self._on_used = on_used

    @property
    def token(self) -> str:
        """What the next browser has to show."""
        return self._token

    def exchange(self, token: str) -> str | None:
        """A session for a token, which is used up then; None for a wrong one."""
        if not _same(token, self._token):
            return None
        session = secrets.token_urlsafe(32)
        self._sessions.append(session)
        self._token = secrets.token_urlsafe(32)
        self._on_used(self._token)
        return session

    def knows(self, session: str) -> bool:
        """Whether a session was given out."""
        return any(_same(session, known) for known in self._sessions)


def _same(first: str, second: str) -> bool:
    return hmac.compare_digest(first.encode("utf-8", "replace"), second.encode("utf-8", "replace"))


class Guard:
    """Lets a request through to an application only if it is from a browser that was let in."""

    def __init__(self, app: App, keys: Keys, port: int) -> None:
        self._app, self._keys, self._port = app, keys, port
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        self.cookie = f"mlebench-view-{port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close"})
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        host = headers.get("host", "")
        if host not in self._hosts:
            await _answer(send, 421, "This server answers to 127.0.0.1 and localhost only.")
            return
        token = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[0]
        if token and scope["method"] == "GET" and scope["path"] == "/":
            await self._let_in(token, headers, send)
            return
        if not self._is_own_request(headers, host):
            await _answer(send, 403, "Another site asked for this page; it gets nothing.")
        elif not self._keys.knows(_cookie(headers, self.cookie)):
            await _answer(send, 403, _REFUSED)
        else:
            await self._app(scope, receive, _with_headers(send))

    async def _let_in(self, token: str, headers: Mapping[str, str], send: Send) -> None:
        session = self._keys.exchange(token)
        if session is None:
            if self._keys.knows(_cookie(headers, self.cookie)):  # an address that was opened again
                await _answer(send, 200, "", refresh=True)
                return
            await _answer(send, 403, f"This address is wrong or was used already. {_REFUSED}")
            return
        cookie = f"{self.cookie}={session}; Path=/; HttpOnly; SameSite=Strict"
        # Not a redirection: what follows one that another page began would come without a strict cookie.
        await _answer(send, 200, "", refresh=True, cookie=cookie)

    def _is_own_request(self, headers: Mapping[str, str], host: str) -> bool:
        origin, site = headers.get("origin"), headers.get("sec-fetch-site")
        return origin in (None, f"http://{host}") and site in (None, "same-origin", "none")


def _cookie(headers: Mapping[str, str], name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")[:_MOST_COOKIES]).get(name)
    except CookieError:
        return ""
    return found.value if found else ""


async def _answer(send: Send, status: int, sentence: str, *, refresh: bool = False, cookie: str | None = None) -> None:
    """One sentence, or an empty page that goes on to the list of groups."""
    if refresh:
        body = f"<!doctype html>{_REFRESH}<title>mlebench</title><a href=/>Go on</a>"
    else:
        body = f"{sentence}\n"
    kind = "text/html" if refresh else "text/plain"
    headers = {**HEADERS, "content-type": f"{kind}; charset=utf-8", "content-security-policy": "default-src 'none'"}
    if cookie:
        headers["set-cookie"] = cookie
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body.encode()})


def _with_headers(send: Send) -> Send:
    """The same with the headers that every answer has; an answer may have a policy of its own."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            given = {name.lower() for name, _ in message["headers"]}
            added = {**HEADERS, "content-security-policy": PAGE_POLICY}
            more = [(name.encode(), value.encode()) for name, value in added.items() if name.encode() not in given]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return sending
