"""System calls of a confined command that its warden decides on, one by one (see `seccomp.py`).

TCP sockets are made here and tied to the loopback interface, for good: where Landlock knows ports only, no address of
another machine is behind them. Only a Unix socket may listen. Priorities and limits may be changed of processes of the
same run. Where no answer comes, because the warden is gone, the kernel refuses. This module needs only the standard
library: the warden loads it by its path.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import platform
import socket
import struct
from collections.abc import Callable

_RECEIVE, _SEND, _ADD_DESCRIPTOR = 0xC0502100, 0xC0182101, 0x40182103  # ioctl
_GO_ON, _ADD_AND_ANSWER = 1, 2  # flags
_QUESTION = struct.Struct("=QIIiIQ6Q")  # id, thread, flags; number, kind of program, address, arguments
_ANSWER = struct.Struct("=QqiI")
_ADDED = struct.Struct("=QIIII")
_PIDFD_OPEN, _PIDFD_GETFD = 434, 438  # the same on every machine
_BIND_TO_DEVICE, _FAMILY = 25, 39  # options of sockets
_MOST_PARENTS = 10_000


class Decisions:
    """Answers the questions that come by one descriptor."""

    def __init__(self, descriptor: int, numbers: dict[str, dict[int, dict[str, int | None]]]) -> None:
        self.descriptor = descriptor
        self._names = {
            (kind, number): name
            for kind, calls in numbers.get(platform.machine(), {}).items()
            for name, number in calls.items()
        }
        self._decide: dict[str, Callable[[int, int, tuple[int, ...]], None]] = {
            "socket": self._make_socket,
            "listen": self._listen,
            "setpriority": lambda question, _, arguments: self._on_process(question, arguments[1]),
            "ioprio_set": lambda question, _, arguments: self._on_process(question, arguments[1]),
        }

    def answer_question(self) -> bool:
        """Answer one question; False when nobody is left who could ask."""
        received = bytearray(_QUESTION.size)
        try:
            fcntl.ioctl(self.descriptor, _RECEIVE, received)
        except OSError as error:  # whoever asked has ended
            return error.errno in (errno.ENOENT, errno.EINTR, errno.EAGAIN)
        question, thread, _, number, kind, _, *arguments = _QUESTION.unpack(received)
        name = self._names.get((kind, number), "")
        try:
            if name in self._decide:
                self._decide[name](question, thread, tuple(arguments))
            else:
                self._on_process(question, arguments[0])
        except OSError as error:
            self._answer(question, error.errno or errno.EPERM)
        return True

    def _answer(self, question: int, problem: int = 0, flags: int = 0) -> None:
        try:
            fcntl.ioctl(self.descriptor, _SEND, _ANSWER.pack(question, 0, -problem, flags))
        except OSError:  # whoever asked has ended
            return

    def _make_socket(self, question: int, _: int, arguments: tuple[int, ...]) -> None:
        """A TCP socket that reaches this machine only: whoever has no privileges cannot untie it."""
        family, kind = _as_int(arguments[0]), _as_int(arguments[1])
        with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as made:
            made.setsockopt(socket.SOL_SOCKET, _BIND_TO_DEVICE, b"lo")
            made.setblocking(not kind & socket.SOCK_NONBLOCK)
            flags = os.O_CLOEXEC if kind & socket.SOCK_CLOEXEC else 0
            added = _ADDED.pack(question, _ADD_AND_ANSWER, made.fileno(), 0, flags)
            try:
                fcntl.ioctl(self.descriptor, _ADD_DESCRIPTOR, added)
            except OSError as error:
                if error.errno != errno.ENOENT:
                    raise

    def _listen(self, question: int, thread: int, arguments: tuple[int, ...]) -> None:
        """Done here, on that very socket: between a check and the call another one could take its number."""
        process = _field(thread, "Tgid")
        handle = _call(_PIDFD_OPEN, process, 0)
        try:
            copy = _call(_PIDFD_GETFD, handle, _as_int(arguments[0]), 0)
        finally:
            os.close(handle)
        try:
            found = socket.socket(fileno=copy)
        except OSError:
            os.close(copy)
            raise
        with found:
            if found.getsockopt(socket.SOL_SOCKET, _FAMILY) != socket.AF_UNIX:
                raise OSError(errno.EACCES, "listen")
            found.listen(max(0, _as_int(arguments[1])))
        self._answer(question)

    def _on_process(self, question: int, argument: int) -> None:
        """Let it be done to a process of the run, known by its number, which the caller cannot change any more."""
        if not _is_below_this_process(_as_int(argument)):
            raise OSError(errno.EPERM, "another process")
        self._answer(question, flags=_GO_ON)


def _as_int(argument: int) -> int:
    """An argument as the kernel takes it: a number of 32 bits, with a sign."""
    value = argument & 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


def _call(number: int, *arguments: int) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    found = int(libc.syscall(number, *arguments))
    if found < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return found


def _field(thread: int, name: str) -> int:
    with open(f"/proc/{thread}/status") as file:  # noqa: PTH123 (pathlib would cost time at every start)
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))


def _is_below_this_process(thread: int) -> bool:
    """Whether a process or thread belongs to the run: this process is above it."""
    own = os.getpid()
    for _ in range(_MOST_PARENTS):
        if thread <= 1:
            return False
        try:
            with open(f"/proc/{thread}/stat", "rb") as file:  # noqa: PTH123
                thread = int(file.read().rpartition(b")")[2].split()[1])
        except OSError:
            return False
        if thread == own:
            return True
    return False
