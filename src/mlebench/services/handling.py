"""What the HTTP servers that agents call share in how they treat a connection."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

_BLOCK = 1 << 18
_WAIT = 1.0  # seconds for the next piece of what is still being sent
_LONGEST = 2.0  # and for all of it


class AgentRequestHandler(BaseHTTPRequestHandler):
    """One connection of an agent, of which nothing is logged and no name is looked up."""

    protocol_version = "HTTP/1.1"

    def drain(self) -> None:
        """Read what is still being sent for a moment, so that the answer gets through before the connection ends."""
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_WR)
            self.connection.settimeout(_WAIT)
            end = time.monotonic() + _LONGEST
            while time.monotonic() < end and self.connection.recv(_BLOCK):
                pass

    def address_string(self) -> str:
        """Who asks, without a look-up."""
        return "the agent"

    def log_message(self, format: str, *args: Any) -> None:
        """Log nothing: what matters is an event of the run."""
