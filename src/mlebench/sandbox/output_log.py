"""The log of a command, which its warden writes: bounded in size, with secrets masked.

This module needs only the standard library: the warden loads it by its path.
"""

from __future__ import annotations

import os


class Log:
    """The log of a command: bounded in size, with secrets masked; what is too much is counted and dropped."""

    def __init__(self, path: str, limit: int | None, secrets: list[str]) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        self.file = os.open(path, flags, 0o600)
        self.limit = limit
        self.secrets = sorted((secret.encode() for secret in secrets if secret), key=len, reverse=True)
        self.held = b""
        self.size = 0

    @property
    def is_full(self) -> bool:
        """Whether more was printed than the log takes."""
        return self.limit is not None and self.size > self.limit

    def write(self, data: bytes) -> None:
        """Write output; what may be the beginning of a secret is held back until more is known."""
        data = self.held + data
        for secret in self.secrets:
            data = data.replace(secret, b"***")
        kept = max((_overlap(data, secret) for secret in self.secrets), default=0)
        self.held = data[len(data) - kept :]
        self._append(data[: len(data) - kept])

    def _append(self, data: bytes) -> None:
        room = len(data) if self.limit is None else max(0, self.limit - self.size)
        self.size += len(data)
        view = memoryview(data)[:room]
        try:
            while view:
                view = view[os.write(self.file, view) :]
        except OSError:  # a full disk must not hold up the command
            return

    def close(self) -> None:
        """Write what was held back."""
        self._append(self.held)
        os.close(self.file)


def _overlap(data: bytes, secret: bytes) -> int:
    """How many of the last bytes may be the beginning of the secret."""
    for length in range(min(len(secret) - 1, len(data)), 0, -1):
        if data.endswith(secret[:length]):
            return length
    return 0
