"""Server-sent events: cutting a stream into events without holding more than one of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

LONGEST_EVENT = 16 << 20
_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")


class EventTooLongError(Exception):
    """An upstream sends an event without an end."""


class EventCutter:
    """Cuts bytes into whole events, each with the blank line that ends it."""

    def __init__(self) -> None:
        self._rest = b""
        self._seen = 0  # bytes of the rest in which there is no end

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The events that are whole with this piece."""
        self._rest += piece
        start = 0
        while (end := _END.search(self._rest, max(start, self._seen - 3))) is not None:
            yield self._rest[start : end.end()]
            start = self._seen = end.end()
        self._rest = self._rest[start:]
        self._seen = len(self._rest)
        if len(self._rest) > LONGEST_EVENT:
            raise EventTooLongError

    def rest(self) -> bytes:
        """What has come after the last whole event."""
        return self._rest


def data_of(event: bytes) -> bytes:
    """The data of an event: what stands behind `data:` in its lines."""
    lines = [line[5:].removeprefix(b" ") for line in event.splitlines() if line.startswith(b"data:")]
    return b"\n".join(lines)
