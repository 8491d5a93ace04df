"""Seccomp: a process lets the kernel refuse it some system calls, for itself and its children, for good.

A filter is a small program for the kernel (classic BPF) that sees the number of a call and its arguments, though not
what they point to. Some calls it leaves to another process, which decides on each (see `calls.py`). This module needs
only the standard library of Python 3.8 or later: the warden and the forwarder load it by its path.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys

TYPE_CHECKING = False  # without the module `typing`, which would cost time at every start
if TYPE_CHECKING:
    from typing import TypeAlias

    Condition: TypeAlias = tuple[int, int | None, int]
    Case: TypeAlias = tuple[list[Condition], int]
    Rules: TypeAlias = dict[str, list[Case]]
    Line: TypeAlias = tuple[int, int, int, int]

_NAMES = (
    "socket socketpair listen sendto sendmsg sendmmsg setsockopt prlimit64 "
    "sched_setaffinity sched_setscheduler sched_setparam sched_setattr setpriority ioprio_set "
    "io_uring_setup keyctl add_key request_key seccomp socketcall"
).split()
# By machine: what the kernel calls its own programs and those of its 32-bit predecessor, and their numbers of the calls
# above; None where there is no such call, or where it is not used.
_TABLE: dict[str, dict[int, tuple[int | None, ...]]] = {
    "x86_64": {
        0xC000003E: (
            41, 53, 50, 44, 46, 307, 54, 302, 203, 144, 142, 314, 141, 251, 425, 250, 248, 249, 317, None,
        ),
        0x40000003: (
            359, 360, 363, 369, 370, 345, 366, 340, 241, 156, 154, 351, 97, 289, 425, 288, 286, 287, None, 102,
        ),
    },
    "aarch64": {
        0xC00000B7: (
            198, 199, 201, 206, 211, 269, 208, 261, 122, 119, 118, 274, 140, 30, 425, 219, 217, 218, 277, None,
        ),
        0x40000028: (
            281, 288, 284, 290, 296, 374, 294, 369, 241, 156, 154, 380, 97, 314, 425, 311, 309, 310, None, None,
        ),
    },
}  # fmt: skip
NUMBERS: dict[str, dict[int, dict[str, int | None]]] = {
    machine: {kind: dict(zip(_NAMES, numbers)) for kind, numbers in kinds.items()}  # noqa: B905 (Python 3.8)
    for machine, kinds in _TABLE.items()
}
_NO_NEW_PRIVILEGES, _SET_FILTER, _BY_PROGRAM = 38, 22, 2  # prctl
_INSTALL, _NOTIFICATION_SIZES, _NEW_LISTENER = 1, 3, 8  # seccomp
_LOAD, _AND, _IS_EQUAL, _IS_AT_LEAST, _JUMP, _ANSWER = 0x20, 0x54, 0x15, 0x35, 0x05, 0x06

# Answers of a filter.
ALLOW, ASK = 0x7FFF0000, 0x7FC00000


def refuse(number: int) -> int:
    """The answer that refuses a call with this error."""
    return 0x00050000 | number


UNIX, INET, INET6, NETLINK = 1, 2, 10, 16  # families of sockets
_STREAM, _KIND_OF_SOCKET, _TCP, _ROUTES = 1, 0xF, 6, 0
_FAST_OPEN = 0x20000000  # a flag for sending: connects without a call that connects
_TCP_LAYER = 31  # an option of TCP sockets: puts another protocol above them
# Neither sees what is done through them: a queue of calls, the keys of the user, 32-bit sockets by pointers.
_NO_SUCH_CALL = ("io_uring_setup", "keyctl", "add_key", "request_key", "socketcall")


def isolated_rules() -> Rules:
    """For a sandbox with namespaces: what they do not confine.

    Families of sockets beyond those of ordinary programs are refused, since some of them reach the host whatever
    network a process is in (from a virtual machine, AF_VSOCK).
    """
    rules: Rules = {name: [([], refuse(errno.ENOSYS))] for name in _NO_SUCH_CALL}
    families: list[Case] = [([(0, None, family)], ALLOW) for family in (UNIX, INET, INET6, NETLINK)]
    rules["socket"] = [*families, ([], refuse(errno.EAFNOSUPPORT))]
    return rules


def confined_rules(limits_network: bool) -> Rules:
    """For a process without namespaces: the sockets that it may have, and no priorities or limits of others.

    TCP sockets are made by whoever is asked, who ties them to the loopback interface; who listens is asked about, too,
    since Landlock knows who connects and who binds only. All else of the network is refused.
    """
    rules: Rules = {name: [([], refuse(errno.ENOSYS))] for name in _NO_SUCH_CALL}
    others = refuse(errno.EPERM)
    for name in ("prlimit64", "sched_setaffinity", "sched_setscheduler", "sched_setparam", "sched_setattr"):
        rules[name] = [([(0, None, 0)], ALLOW), ([], ASK)]
    # (one process, a group of them, all of a user): of others only single processes can be known, and are asked about.
    for name, process, group in (("setpriority", 0, 1), ("ioprio_set", 1, 2)):
        own: list[Case] = [([(0, None, which), (1, None, 0)], ALLOW) for which in (process, group)]
        rules[name] = [*own, ([(0, None, process)], ASK), ([], others)]
    if not limits_network:
        return rules
    tcp: list[Case] = [
        ([(0, None, family), (1, _KIND_OF_SOCKET, _STREAM), (2, None, protocol)], ASK)
        for family in (INET, INET6)
        for protocol in (0, _TCP)
    ]
    rules["socket"] = [
        ([(0, None, UNIX)], ALLOW),
        *tcp,
        ([(0, None, NETLINK), (2, None, _ROUTES)], ALLOW),
        ([], refuse(errno.EAFNOSUPPORT)),
    ]
    rules["socketpair"] = [([(0, None, UNIX)], ALLOW), ([], refuse(errno.EAFNOSUPPORT))]
    rules["listen"] = [([], ASK)]
    for name, flags in (("sendto", 3), ("sendmsg", 2), ("sendmmsg", 3)):
        rules[name] = [([(flags, _FAST_OPEN, 0)], ALLOW), ([], others)]
    rules["setsockopt"] = [([(1, None, _TCP), (2, None, _TCP_LAYER)], refuse(errno.ENOPROTOOPT)), ([], ALLOW)]
    return rules


def program(rules: Rules, otherwise: int) -> bytes:
    """The filter that keeps some rules; `otherwise` is the answer to programs of an unknown kind.

    `rules` has cases for each name of a call: (conditions, answer), of which the first counts whose conditions all
    hold. A condition is (which argument, mask or None, value). Arguments are looked at as the kernel does: all of them
    are numbers of 32 bits.
    """
    lines: list[Line] = [(_LOAD, 0, 0, 4)]  # which kind of program calls
    for kind, numbers in NUMBERS.get(platform.machine(), {}).items():
        part: list[Line] = [(_LOAD, 0, 0, 0)]  # the number of the call; x86_64 has a second range of them
        part += [(_IS_AT_LEAST, 0, 1, 1 << 30), (_ANSWER, 0, 0, refuse(errno.ENOSYS))]
        for name, cases in rules.items():
            number = numbers[name]
            if number is not None:
                block = [line for case in cases for line in _case(*case)]
                part += [(_IS_EQUAL, 0, len(block), number), *block]
        part.append((_ANSWER, 0, 0, ALLOW))
        lines += [(_IS_EQUAL, 1, 0, kind), (_JUMP, 0, 0, len(part)), *part]
    lines.append((_ANSWER, 0, 0, otherwise))
    return b"".join(struct.pack("HBBI", *line) for line in lines)


def _case(conditions: list[Condition], answer: int) -> list[Line]:
    lines: list[Line] = [(_ANSWER, 0, 0, answer)]
    for argument, mask, value in reversed(conditions):
        load: list[Line] = [(_LOAD, 0, 0, 16 + 8 * argument + (4 if sys.byteorder == "big" else 0))]
        if mask is not None:
            load.append((_AND, 0, 0, mask))
        lines = [*load, (_IS_EQUAL, 0, len(lines), value), *lines]
    return lines


def has_filter() -> bool:
    """Whether the numbers of this machine's calls are known."""
    return sys.platform.startswith("linux") and platform.machine() in NUMBERS


def can_ask() -> bool:
    """Whether the kernel lets another process decide on calls."""
    if not has_filter():
        return False
    sizes = ctypes.create_string_buffer(6)
    number = _own_numbers()["seccomp"]
    return bool(ctypes.CDLL(None).syscall(number, _NOTIFICATION_SIZES, 0, sizes) == 0)


def _own_numbers() -> dict[str, int | None]:
    return next(iter(NUMBERS[platform.machine()].values()))


def install(filter_program: bytes) -> None:
    """Have the kernel keep this process to a filter."""
    libc = _without_new_privileges()
    head, _lines = _head(filter_program)
    if libc.prctl(_SET_FILTER, _BY_PROGRAM, head) != 0:
        raise OSError(ctypes.get_errno(), "seccomp")


def install_asking(filter_program: bytes) -> int:
    """The same for a filter that leaves calls to another process; the descriptor by which that process is asked."""
    libc = _without_new_privileges()
    head, _lines = _head(filter_program)
    found = libc.syscall(_own_numbers()["seccomp"], _INSTALL, _NEW_LISTENER, head)
    if found < 0:
        raise OSError(ctypes.get_errno(), "seccomp")
    return int(found)


def _without_new_privileges() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return libc


def _head(filter_program: bytes) -> tuple[ctypes.Array[ctypes.c_char], ctypes.Array[ctypes.c_char]]:
    """What the kernel is given: a length and a pointer; and the lines pointed to, to be kept as long."""
    lines = ctypes.create_string_buffer(filter_program, len(filter_program))
    return ctypes.create_string_buffer(struct.pack("HP", len(filter_program) // 8, ctypes.addressof(lines))), lines
