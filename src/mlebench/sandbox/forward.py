"""Inside a sandbox without network: ports of localhost lead to Unix sockets; the command runs beside that.

    python3 forward.py [--init] 5000=/run/mlebench/5000.sock … -- command …

The command takes the place of this process. With --init this process stays, as the first one of a container: it passes
SIGTERM on to all others, collects those that have ended, and ends as the command does. Run by its path with whatever
Python 3.8 or later the sandbox has; needs only the standard library.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import sys

_CHUNK = 1 << 16
_MOST_WAITING = 1 << 20


def main() -> None:
    """Listen, leave a process behind that forwards, and become the command or stay as its init."""
    end = sys.argv.index("--")
    options, command = sys.argv[1:end], sys.argv[end + 1 :]
    stays = "--init" in options
    targets: dict[socket.socket, str] = {}
    for each in options:
        if each != "--init":
            port, _, path = each.partition("=")
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", int(port)))
            listener.listen(64)
            targets[listener] = path
    helper = leave_forwarding(targets) if targets else 0
    if not stays:
        become(command)
    main_process = os.fork()
    if main_process == 0:
        become(command)
    signal.signal(signal.SIGTERM, lambda *_: ask_to_end(main_process, helper))
    while True:
        pid, status = os.wait()
        if pid == main_process:
            os._exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))


def leave_forwarding(targets: dict[socket.socket, str]) -> int:
    """A process that forwards; its id."""
    helper = os.fork()
    if helper == 0:
        try:
            os.setsid()
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            forward(targets)
        finally:
            os._exit(1)
    for listener in targets:
        listener.close()
    return helper


def become(command: list[str]) -> None:
    """Run the command in the place of this process."""
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        os._exit(127)


def ask_to_end(main_process: int, helper: int) -> None:
    """Ask all processes of the container to end; a shell that waits for others is asked when it has none."""
    found = [int(each) for each in os.listdir("/proc") if each.isdigit()]  # noqa: PTH208 (pathlib costs time at every start)
    others = [each for each in found if each not in (os.getpid(), helper)]
    asked = list(others)
    if len(others) > 1:
        try:
            with open(f"/proc/{main_process}/comm") as file:  # noqa: PTH123
                name = file.read().strip()
            if name in ("bash", "sh", "dash", "zsh", "ksh"):
                asked.remove(main_process)
        except (OSError, ValueError):
            pass
    # One that was stopped would not hear SIGTERM, so all are made to go on after it.
    for number, processes in ((signal.SIGTERM, asked), (signal.SIGCONT, others)):
        for pid in processes:
            try:
                os.kill(pid, number)
            except OSError:
                continue


def forward(targets: dict[socket.socket, str]) -> None:
    """Carry bytes between connections and sockets, for ever."""
    peers: dict[socket.socket, socket.socket] = {}
    waiting: dict[socket.socket, bytes] = {}
    finished: set[socket.socket] = set()

    def drop(side: socket.socket) -> None:
        for each in (side, peers.get(side)):
            if each is not None and each in peers:
                del peers[each]
                del waiting[each]
                finished.discard(each)
                each.close()

    while True:
        readable = [each for each in peers if each not in finished and len(waiting[peers[each]]) < _MOST_WAITING]
        writable = [each for each in peers if waiting[each]]
        ready, free, _ = select.select(list(targets) + readable, writable, [])
        for side in ready:
            if side in targets:
                client, _ = side.accept()
                server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                try:
                    server.connect(targets[side])
                except OSError:
                    client.close()
                    server.close()
                    continue
                for each, other in ((client, server), (server, client)):
                    peers[each], waiting[each] = other, b""
            elif side in peers:
                try:
                    data = side.recv(_CHUNK)
                except OSError:
                    drop(side)
                    continue
                if data:
                    waiting[peers[side]] += data
                else:
                    finished.add(side)
        for side in free:
            if side in peers:
                try:
                    waiting[side] = waiting[side][side.send(waiting[side]) :]
                except OSError:
                    drop(side)
        for side in list(finished):
            if side in peers and not waiting[peers[side]]:
                other = peers[side]
                if other in finished:
                    drop(side)
                else:
                    try:
                        other.shutdown(socket.SHUT_WR)
                    except OSError:
                        drop(side)


if __name__ == "__main__":
    main()
