"""Running the command on a real terminal (a pseudo-terminal of a given size), as a person does."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path

_SEPARATOR = "\x1e"
# One process runs all commands: starting Python takes longer than most of them.
_PROGRAM = """
import json, sys
from mlebench.cli import main
for arguments in json.loads(sys.argv[1]):
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit:
        pass
    sys.stderr.flush()
    print("\\x1e", end="", flush=True)
"""
_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_terminal(commands: Sequence[Sequence[object]], *, columns: int, cwd: Path, **environment: str) -> list[str]:
    """What each command writes to a terminal of so many columns, with its escape sequences."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    variables = kept | {"MLEBENCH_DATA_DIR": str(cwd / "data"), "TERM": "xterm-256color"} | environment
    listed = json.dumps([[str(each) for each in command] for command in commands])
    process = subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, listed], stdin=theirs, stdout=theirs, stderr=theirs, env=variables, cwd=cwd
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            block = os.read(ours, 1 << 16)
        except OSError:  # how Linux says that the other end is closed
            break
        if not block:
            break
        written += block
    os.close(ours)
    text = written.decode().replace("\r\n", "\n")
    assert process.wait(timeout=60) == 0, text
    assert "Traceback" not in text, text
    shown = text.split(_SEPARATOR)
    assert len(shown) == len(commands) + 1, text
    return shown[:-1]


def seen(text: str) -> list[str]:
    """The lines that a person sees in the end: what the cursor went back over, or was erased, is gone."""
    lines, row, column = [""], 0, 0
    for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|[\r\n])", text):
        if part == "\n":
            row, column = row + 1, 0
            lines += [""] * (row == len(lines))
        elif part == "\r":
            column = 0
        elif part == "\x1b[2K":
            lines[row] = ""
        elif up := re.fullmatch(r"\x1b\[(\d*)A", part):
            row = max(0, row - int(up[1] or 1))
        elif not _ESCAPE.fullmatch(part):
            before, after = lines[row][:column].ljust(column), lines[row][column + len(part) :]
            lines[row], column = before + part + after, column + len(part)
    return [line.rstrip() for line in lines]
