"""Running the command in a real terminal: a pseudo-terminal of a given width, whose output is kept as it comes."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

from waiting import PATIENCE

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-7]|38|9[0-7])[;m]")


class Terminal:
    """`mlebench` with arguments, started in a terminal that is so many columns wide."""

    def __init__(self, *arguments: object, cwd: Path, columns: int = 80, **environment: str) -> None:
        self.output = ""
        self._end, terminal = pty.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))
        variables = {**os.environ, "TERM": "xterm-256color", "MLEBENCH_DATA_DIR": str(cwd / "data"), **environment}
        for name in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR"):
            if name not in environment:
                variables.pop(name, None)
        # The first terminal that the leader of a session opens becomes its own: Ctrl-C reaches its processes.
        opened = f'exec "$@" < {os.ttyname(terminal)} > {os.ttyname(terminal)} 2>&1'
        command = ["sh", "-c", opened, "sh", sys.executable, "-m", "mlebench", *map(str, arguments)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=terminal,
            cwd=cwd,
            env=variables,
            start_new_session=True,
        )
        os.close(terminal)

    def wait_until(self, condition: Callable[[str], object], seconds: float = PATIENCE) -> None:
        """Read on until a condition holds for what has been printed so far."""
        limit = time.monotonic() + seconds
        while not condition(self.text):
            self._check(time.monotonic() < limit)
            self._check(self._read())

    def wait(self, seconds: float = PATIENCE) -> int:
        """Read to the end; the exit code."""
        limit = time.monotonic() + seconds
        while self._read():
            self._check(time.monotonic() < limit)
        os.close(self._end)
        return self._process.wait()

    def _check(self, goes_on: bool) -> None:
        """Fail, and leave no process behind, if it does not go on."""
        if not goes_on:
            self._process.kill()
            self._process.wait()
            raise AssertionError(self.text)

    def press(self, key: str) -> None:
        """Type a key; Ctrl-C is \\x03."""
        os.write(self._end, key.encode())

    def send(self, number: int) -> None:
        """Send the command a signal."""
        self._process.send_signal(number)

    def _read(self) -> bool:
        if not select.select([self._end], [], [], 5.0)[0]:
            return True
        try:
            found = os.read(self._end, 1 << 16)
        except OSError:  # what Linux says when the other end is closed
            return False
        self.output += found.decode("utf-8", errors="replace")
        return bool(found)

    @property
    def text(self) -> str:
        """What was printed, without what moves the cursor or changes colours."""
        return CONTROL.sub("", self.output)

    @property
    def lines(self) -> list[str]:
        """All lines that were ever shown, also those that were drawn over."""
        return [line for line in re.split(r"[\r\n]+", self.text) if line]

    @property
    def hides_cursor(self) -> bool:
        """Whether the cursor is hidden."""
        return self.output.rfind("\x1b[?25l") > self.output.rfind("\x1b[?25h")
