"""Inside a sandbox without network: ports of localhost lead to Unix sockets; the command runs beside that.

    python3 forward.py [--init] [--refuse] 5000=/run/mlebench/5000.sock … -- command …

The command takes the place of this process. With --init this process stays, as the first one of a container: it passes
SIGTERM on to all others, collects those that have ended, and ends as the command does. With --refuse the kernel refuses
the command what namespaces do not confine. Run by its path with whatever Python 3.8 or later the sandbox has; needs
only the standard library.
"""

from __future__ import annotations

import os
import platform
import select
import signal
import socket
import struct
import sys

_CHUNK = 1 << 16
_MOST_WAITING = 1 << 20
_NO_NEW_PRIVILEGES, _SET_FILTER, _BY_PROGRAM = 38, 22, 2  # prctl
_TO_THE_HOST = 40  # AF_VSOCK
# By machine, for its own programs and those of its 32-bit predecessor: what the kernel calls them, the number of the
# call `socket`, and those of io_uring_setup, keyctl, add_key, request_key and, where there is one, socketcall.
_CALLS = {
    "x86_64": ((0xC000003E, 41, (425, 250, 248, 249)), (0x40000003, 359, (425, 288, 286, 287, 102))),
    "aarch64": ((0xC00000B7, 198, (425, 219, 217, 218)), (0x40000028, 281, (425, 311, 309, 310))),
}


def main() -> None:
    """Listen, leave a process behind that forwards, and become the command or stay as its init."""
    end = sys.argv.index("--")
    options, command = sys.argv[1:end], sys.argv[end + 1 :]
    stays, refuses = "--init" in options, "--refuse" in options
    targets: dict[socket.socket, str] = {}
    for each in options:
        if not each.startswith("--"):
            port, _, path = each.partition("=")
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
    """Have the kernel refuse what namespaces do not confine, for good: a filter for system calls (seccomp).

    That is a socket from a virtual machine to its host, io_uring, which makes sockets that no filter sees, and the keys
    that were inherited from whoever started the run. On a machine of another kind, or an emulated one, nothing happens.
    """
    import ctypes

    load, is_equal, is_above, answer = 0x20, 0x15, 0x35, 0x06
    allowed, no_such_call, no_such_family = 0x7FFF0000, 0x00050000 | 38, 0x00050000 | 97
    program = [(load, 0, 0, 4)]  # which kind of program calls
    for kind, make_socket, refused in _CALLS.get(platform.machine(), ()):
        part = [(load, 0, 0, 0)]  # the number of the call; x86_64 has a second range of them
        part += [(is_above, 0, 1, 1 << 30), (answer, 0, 0, no_such_call)]
        for each in refused:
            part += [(is_equal, 0, 1, each), (answer, 0, 0, no_such_call)]
        part += [(is_equal, 0, 3, make_socket), (load, 0, 0, 16)]  # its first argument
        part += [(is_equal, 0, 1, _TO_THE_HOST), (answer, 0, 0, no_such_family), (answer, 0, 0, allowed)]
        program += [(is_equal, 0, len(part), kind), *part]
    program.append((answer, 0, 0, allowed))
    lines = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    head = ctypes.create_string_buffer(struct.pack("HP", len(program), ctypes.addressof(lines)))
    libc = ctypes.CDLL(None)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    libc.prctl(_SET_FILTER, _BY_PROGRAM, head)


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
