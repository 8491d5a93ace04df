"""Bytes that are read from front to back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Cursor:
    """Bytes, and the place that has been reached in them."""

    data: bytes
    place: int = 0

    def take(self, size: int) -> bytes:
        """The next bytes."""
        part = self.data[self.place : self.place + size]
        if size < 0 or len(part) < size:
            raise ValueError("cut off")
        self.place += size
        return part
