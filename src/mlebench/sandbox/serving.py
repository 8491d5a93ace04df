"""Serving an agent: a thread for each of its connections, and no more of them than it may have at a time."""

from __future__ import annotations

import threading
from socketserver import BaseServer, ThreadingMixIn
from typing import Any, ClassVar


class BoundedThreads(ThreadingMixIn, BaseServer):
    """To be mixed into a server; connections beyond the bound wait in the system's queue until one is free."""

    daemon_threads = True
    block_on_close = False
    connections: ClassVar[int] = 16

    def __init__(self, *arguments: Any) -> None:
        self.closing = threading.Event()
        self._slots = threading.BoundedSemaphore(self.connections)
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Serve a connection in a thread of its own, once there is room."""
        while not self._slots.acquire(timeout=0.1):
            if self.closing.is_set():
                self.shutdown_request(request)
                return
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Make room when the connection has ended."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._slots.release()

    def end(self) -> None:
        """Stop listening, whoever still waits to be served."""
        self.closing.set()
        self.shutdown()
        self.server_close()
