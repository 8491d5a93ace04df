"""Running the command in a real terminal: a pseudo-terminal of a given width, whose output is kept as it comes."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-7]|38|9[0-7])[;m]")


class Terminal:
    """`mlebench` with arguments, started in a terminal that is so many columns wide."""

    def __init__(self, *arguments: object, cwd: Path, columns: int = 80, **environment: str) -> None:
        self.output = ""
        self._code: int | None = None
        self._process, self._end = pty.fork()
        if self._process == 0:  # the new process, whose terminal this is
            os.chdir(cwd)
            variables = {**os.environ, "TERM": "xterm-256color", "MLEBENCH_DATA_DIR": str(cwd / "data"), **environment}
            for name in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR"):
                if name not in environment:
                    variables.pop(name, None)
            os.execve(sys.executable, [sys.executable, "-m", "mlebench", *map(str, arguments)], variables)
        fcntl.ioctl(self._end, termios.TIOCSWINSZ, struct.pack("HHHH", 30, columns, 0, 0))

    def wait_until(self, condition: Callable[[str], object], seconds: float = 60) -> None:
        """Read on until a condition holds for what has been printed so far."""
        limit = time.monotonic() + seconds
        while not condition(self.text):
            assert time.monotonic() < limit, self.text
            assert self._read(), self.text

    def wait(self, seconds: float = 60) -> int:
        """Read to the end; the exit code."""
        limit = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < limit, self.text
        _, status = os.waitpid(self._process, 0)
        os.close(self._end)
        return os.waitstatus_to_exitcode(status)

    def press(self, key: str) -> None:
        """Type a key; Ctrl-C is \\x03."""
        os.write(self._end, key.encode())

    def send(self, number: int) -> None:
        """Send the command a signal."""
        os.kill(self._process, number)

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
