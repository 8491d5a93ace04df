"""Asks the server of commands (command_server.py) to run one; as a program it stands in a shell for `mlebench`.

It imports next to nothing, since a shell starts it for every command.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from collections.abc import Mapping, Sequence


def ask(
    address: str, arguments: Sequence[str], cwd: str, environment: Mapping[str, str], streams: Sequence[int]
) -> int:
    """Have a command run with these streams; its exit code, negative where a signal ended it."""
    umask = os.umask(0)
    os.umask(umask)
    asked = {"arguments": list(arguments), "cwd": cwd, "environment": dict(environment), "umask": umask}
    message = json.dumps(asked).encode()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        socket.send_fds(connection, [struct.pack("!I", len(message))], streams)
        connection.sendall(message)
        answer = connection.recv(4)
    if len(answer) < 4:
        raise RuntimeError("The server of commands went away.")
    return int(struct.unpack("!i", answer)[0])


if __name__ == "__main__":
    code = ask(sys.argv[1], sys.argv[2:], os.getcwd(), os.environ, [0, 1, 2])  # noqa: PTH109
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)
