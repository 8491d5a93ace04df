"""Inside a sandbox without network: ports of localhost lead to Unix sockets; the command runs beside that.

    python3 forward.py [--init] [--refuse] 5000=/run/mlebench/5000.sock … -- command …

The command takes the place of this process. With --init this process stays, as the first one of a container: it passes
SIGTERM on to all others, collects those that have ended, and ends as the command does. With --refuse the kernel refuses
the command what namespaces do not confine (`seccomp.py` beside this file). Run by its path with whatever Python 3.8 or
later the sandbox has; needs only the standard library.
"""

from __future__ import annotations

import contextlib
import errno
import os
import resource
import selectors
import signal
import socket
import sys
import time

_CHUNK = 1 << 16
_MOST_WAITING = 1 << 20
_MOST_UNSERVED = 256  # connections whose server has no room for them now; more wait in the queue of the system
_RETRY = 0.02  # seconds until a server that had no room is asked again


def main() -> None:
    """Listen, leave a process behind that forwards, and become the command or stay as its init."""
    end = sys.argv.index("--")
    options, command = sys.argv[1:end], sys.argv[end + 1 :]
    stays, refuses = "--init" in options, "--refuse" in options
    targets: dict[socket.socket, str] = {}
    for option in options:
        if not option.startswith("--"):
            port, _, path = option.partition("=")
            listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", int(port)))
            listener.listen(64)
            targets[listener] = path
    helper = leave_forwarding(targets) if targets else 0
    if not stays:
        become(command, refuses)
    main_process = os.fork()
    if main_process == 0:
        become(command, refuses)
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


def become(command: list[str], refuses: bool) -> None:
    """Run the command in the place of this process."""
    if refuses:
        refuse_calls()
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.stderr.write(f"{command[0]}: {error.strerror}\n")
        os._exit(127)


def refuse_calls() -> None:
    """Have the kernel refuse what namespaces do not confine, for good; see `seccomp.py`, which is beside this file.

    On a machine of another kind, or an emulated one, nothing happens.
    """
    from importlib.util import module_from_spec, spec_from_file_location

    found = spec_from_file_location("seccomp", os.path.dirname(os.path.abspath(__file__)) + "/seccomp.py")  # noqa: PTH100, PTH120
    assert found is not None
    assert found.loader is not None
    seccomp = module_from_spec(found)
    found.loader.exec_module(seccomp)
    with contextlib.suppress(OSError):
        seccomp.install(seccomp.program(seccomp.isolated_rules(), seccomp.ALLOW))


def ask_to_end(main_process: int, helper: int) -> None:
    """Ask all processes of the container to end; a shell that waits for others is asked when it has none."""
    found = [int(name) for name in os.listdir("/proc") if name.isdecimal()]  # noqa: PTH208 (pathlib costs time at every start)
    others = [pid for pid in found if pid not in (os.getpid(), helper)]
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


class Connection:
    """One side of a connection that is carried: what it has still to be given, and whether it has finished sending."""

    def __init__(self, side: socket.socket) -> None:
        side.setblocking(False)
        self.side = side
        self.peer = self
        self.waiting = b""
        self.has_finished = False
        self.knows_end = False  # it knows that the other side has finished
        self.is_closed = False


class Forwarder:
    """Carries bytes between connections and Unix sockets, any number of them, for ever.

    A connection for which there is no descriptor, or whose server has no room for it now, waits for its turn.
    """

    def __init__(self, targets: dict[socket.socket, str]) -> None:
        self.targets = targets
        self.selector = selectors.DefaultSelector()
        self.unserved: list[tuple[socket.socket, str]] = []
        self.accepts = False
        self.next_try = 0.0  # when those that wait are tried again

    def run(self) -> None:
        """Forward for ever."""
        for listener in self.targets:
            listener.setblocking(False)
        while True:
            self._try_again()
            for key, events in self.selector.select(_RETRY if self.unserved or not self.accepts else None):
                if key.data is None:
                    self._accept(key.fileobj)  # type: ignore[arg-type]
                elif not key.data.is_closed:
                    self._carry(key.data, events)

    def _try_again(self) -> None:
        """Serve those that wait, and listen again, unless that failed a moment ago."""
        if time.monotonic() < self.next_try:
            return
        unserved, self.unserved = self.unserved, []
        for client, path in unserved:
            self._connect(client, path)
        if not self.accepts and len(self.unserved) < _MOST_UNSERVED:
            for listener in self.targets:
                self.selector.register(listener, selectors.EVENT_READ)
            self.accepts = True

    def _rest(self) -> None:
        self.next_try = time.monotonic() + _RETRY
        if self.accepts:
            for listener in self.targets:
                self.selector.unregister(listener)
            self.accepts = False

    def _accept(self, listener: socket.socket) -> None:
        try:
            client, _ = listener.accept()
        except BlockingIOError:
            return
        except OSError:  # no descriptor is left: whoever connects waits in the queue of the system
            self._rest()
            return
        self._connect(client, self.targets[listener])

    def _connect(self, client: socket.socket, path: str) -> None:
        server = None
        try:
            server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            server.setblocking(False)  # else it would wait for room, and everybody with it
            server.connect(path)
        except OSError as error:
            if server is not None:
                server.close()
            if isinstance(error, BlockingIOError) or error.errno in (errno.EMFILE, errno.ENFILE):
                self.unserved.append((client, path))
                self.next_try = time.monotonic() + _RETRY
                if len(self.unserved) >= _MOST_UNSERVED:
                    self._rest()
            else:
                client.close()
            return
        one, other = Connection(client), Connection(server)
        one.peer, other.peer = other, one
        for connection in (one, other):
            self.selector.register(connection.side, selectors.EVENT_READ, connection)

    def _carry(self, connection: Connection, events: int) -> None:
        peer = connection.peer
        try:
            if events & selectors.EVENT_READ:
                data = connection.side.recv(_CHUNK)
                peer.waiting += data
                connection.has_finished = not data
            for receiver in (connection, peer):
                self._give(receiver)
        except BlockingIOError:
            pass
        except OSError:
            self._close(connection)
            return
        if connection.has_finished and peer.has_finished and not connection.waiting and not peer.waiting:
            self._close(connection)
            return
        self._watch(connection)
        self._watch(peer)

    def _give(self, connection: Connection) -> None:
        """What the other side has sent, and at the end that it has finished."""
        if connection.waiting:
            with contextlib.suppress(BlockingIOError):
                connection.waiting = connection.waiting[connection.side.send(connection.waiting) :]
        if connection.peer.has_finished and not connection.waiting and not connection.knows_end:
            connection.knows_end = True
            connection.side.shutdown(socket.SHUT_WR)

    def _watch(self, connection: Connection) -> None:
        """Wait for what can be done: reading while the other side keeps up, writing while something is left to give."""
        reads = not connection.has_finished and len(connection.peer.waiting) < _MOST_WAITING
        events = (selectors.EVENT_READ if reads else 0) | (selectors.EVENT_WRITE if connection.waiting else 0)
        is_watched = connection.side in self.selector.get_map()
        if events and is_watched:
            self.selector.modify(connection.side, events, connection)
        elif events:
            self.selector.register(connection.side, events, connection)
        elif is_watched:
            self.selector.unregister(connection.side)

    def _close(self, connection: Connection) -> None:
        for end in (connection, connection.peer):
            if end.side in self.selector.get_map():
                self.selector.unregister(end.side)
            end.is_closed = True
            end.side.close()


def forward(targets: dict[socket.socket, str]) -> None:
    """Carry bytes between connections and sockets, for ever."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    Forwarder(targets).run()


if __name__ == "__main__":
    main()
