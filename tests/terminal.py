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
    """The lines that a person sees in the end: what a carriage return goes back over is gone."""
    return [line.rsplit("\r", 1)[-1].rstrip() for line in _ESCAPE.sub("", text).split("\n")]
