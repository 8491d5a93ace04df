"""Starting the view: a socket on loopback, the guard before the application, and the address for a browser."""

from __future__ import annotations

import os
import socket
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.errors import MlebenchError
from mlebench.view.app import ViewSettings, view_app
from mlebench.view.security import Guard, Keys

if TYPE_CHECKING:
    import uvicorn

PORT = 8742


def bound_socket(port: int | None) -> socket.socket:
    """A socket on loopback: at a port, or at the usual one, or where that is taken at any free one."""
    for choice in (PORT, 0) if port is None else (port,):
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind(("127.0.0.1", choice))
            server.listen()  # who connects before the server runs has to wait, not to come again
        except OSError as error:
            server.close()
            if port is not None:
                raise MlebenchError(
                    f"Port {port} cannot be used: {error.strerror}.", hint="Choose another one, or leave --port out."
                ) from error
            continue
        return server
    raise MlebenchError("No port of this machine is free.")


def serve(
    settings: ViewSettings, server: socket.socket, *, say: Callable[[str], None], open_browser: bool = False
) -> None:
    """Serve the view until Ctrl-C; `say` is given what a user must know."""
    import uvicorn

    port = server.getsockname()[1]
    keys = Keys(lambda _: say(f"Opened. For another browser: {_address(port, keys)}"))
    config = server_config(Guard(view_app(settings), keys, port))
    say(f"Open {_address(port, keys)} (for one browser). Ctrl-C ends the view; runs go on.")
    page = _open(_address(port, keys)) if open_browser else None
    threading.Thread(target=settings.groups.draw_newest, daemon=True).start()
    try:
        with suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[server])
    finally:
        if page is not None:
            page.unlink(missing_ok=True)


def server_config(app: Guard) -> uvicorn.Config:
    """How the view is served."""
    import uvicorn

    return uvicorn.Config(
        app,
        log_level="critical",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=1,
        # Longer than a reader looks at a page: one that closes just as it is used again costs a style sheet.
        timeout_keep_alive=300,
        http="h11",
        ws="none",
        loop="asyncio",
    )


def _address(port: int, keys: Keys) -> str:
    return f"http://127.0.0.1:{port}/?token={keys.token}"


def _open(address: str) -> Path:
    """Open an address in a browser by a file that only this user can read: command lines are seen by everybody."""
    import webbrowser

    descriptor, name = tempfile.mkstemp(prefix="mlebench-view-", suffix=".html")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={address}"><title>mlebench</title>\n')
    path = Path(name)
    webbrowser.open(path.as_uri())
    return path
