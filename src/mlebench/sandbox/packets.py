"""A network of its own in which every packet comes back, and is seen: what a command tries to reach is known.

    python -I -S packets.py COMMAND …      tries whether that works here

A network without interfaces refuses connections before anything is sent. Here all addresses are this machine's own
(a route to the loopback interface), so that a packet is sent, seen by a socket that the sandbox does not have, and
refused. Nothing leaves: there is no other interface. This module needs only the standard library: the warden loads it
by its path.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
import time
from collections.abc import Callable

_NEW_USER, _NEW_NET = 0x10000000, 0x40000000  # unshare
_SET_FLAGS, _UP = 0x8914, 0x1  # ioctl on an interface
_ROUTE_SOCKET, _NEW_ROUTE, _REQUEST_ACKNOWLEDGED_CREATE = 0, 24, 0x1 | 0x4 | 0x400  # netlink
_ALL_PACKETS, _ATTACH_FILTER = 3, 26
_TCP, _UDP, _DNS_PORT = 6, 17, 53
_LONGEST_NAME = 255
_PACKETS_AT_A_TIME, _MOST_PACKETS, _MOST_DESTINATIONS = 100, 100_000, 10_000
# A program for the kernel (classic BPF), so that the command's traffic with itself costs nothing: of the packets that
# are sent, those to 127.0.0.0/8 are dropped, of TCP only the first of a connection is kept, of the rest only UDP.
_FILTER = [
    (0x30, 0, 0, 0xFFFFF004),  # the kind of packet
    (0x15, 0, 19, 4),  # sent
    (0x30, 0, 0, 0),
    (0x74, 0, 0, 4),  # the version of the protocol
    (0x15, 0, 9, 4),
    (0x30, 0, 0, 16),  # version 4: the destination
    (0x15, 14, 0, 127),
    (0x30, 0, 0, 9),  # the protocol above
    (0x15, 11, 0, _UDP),
    (0x15, 0, 11, _TCP),
    (0xB1, 0, 0, 0),
    (0x50, 0, 0, 13),  # its flags
    (0x54, 0, 0, 0x12),
    (0x15, 6, 7, 0x02),
    (0x15, 0, 6, 6),
    (0x30, 0, 0, 6),  # version 6: the protocol above
    (0x15, 3, 0, _UDP),
    (0x30, 0, 0, 53),  # its flags; what is neither is not kept by the next lines, or is sorted out by `destination`
    (0x54, 0, 0, 0x12),
    (0x15, 0, 1, 0x02),
    (0x06, 0, 0, 512),
    (0x06, 0, 0, 0),
]


def enter() -> socket.socket:
    """Put this process into such a network, and itself into no other namespace's reach; the socket that sees it."""
    user, group = os.getuid(), os.getgid()
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_USER | _NEW_NET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 (pathlib would cost time at every start)
            file.write(text)
    _bring_up_loopback()
    for family in (socket.AF_INET, socket.AF_INET6):
        _route_all_to_loopback(family)
    seen = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0)
    program = b"".join(struct.pack("HBBI", *line) for line in _FILTER)
    buffer = ctypes.create_string_buffer(program)
    head = struct.pack("HL", len(_FILTER), ctypes.addressof(buffer))
    seen.setsockopt(socket.SOL_SOCKET, _ATTACH_FILTER, head)
    seen.bind(("lo", _ALL_PACKETS))
    return seen


def _bring_up_loopback() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh", b"lo", _UP))


def _route_all_to_loopback(family: int) -> None:
    """As `ip route add local default dev lo` does it."""
    table, by_boot, scope_host, kind_local, interface = 255, 3, 254, 2, 1
    route = struct.pack("BBBBBBBBI", family, 0, 0, 0, table, by_boot, scope_host, kind_local, 0)
    message = route + struct.pack("HHi", 8, 4, interface)
    head = struct.pack("IHHII", 16 + len(message), _NEW_ROUTE, _REQUEST_ACKNOWLEDGED_CREATE, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _ROUTE_SOCKET) as kernel:
        kernel.send(head + message)
        (problem,) = struct.unpack("i", kernel.recv(4096)[16:20])
    if problem and family == socket.AF_INET:  # version 6 may be switched off
        raise OSError(-problem, "route")


def destination(packet: bytes) -> tuple[str, int] | None:
    """(host, port) that a packet is for, a name that is asked for and its port; None if it is for none."""
    try:
        if packet[0] >> 4 == 4:
            start, protocol, address = (packet[0] & 15) * 4, packet[9], packet[16:20]
            host = socket.inet_ntop(socket.AF_INET, address)
        else:
            start, protocol, address = 40, packet[6], packet[24:40]
            host = socket.inet_ntop(socket.AF_INET6, address)
        if protocol not in (_TCP, _UDP) or host == "::1":
            return None
        (port,) = struct.unpack("!H", packet[start + 2 : start + 4])
    except (IndexError, ValueError, struct.error):
        return None
    if protocol == _UDP and port == _DNS_PORT:
        return _asked_name(packet[start + 8 :]) or host, port
    return host, port


def _asked_name(message: bytes) -> str:
    """The name that a question to a name server is about; empty if it is none."""
    at = 12
    parts: list[str] = []
    while at < len(message) and message[at] and len(parts) < 128:
        parts.append(message[at + 1 : at + 1 + message[at]].decode("ascii", errors="replace"))
        at += 1 + message[at]
    name = ".".join(parts)[:_LONGEST_NAME]
    return "".join(character if character.isprintable() else "?" for character in name)


class PacketWatcher:
    """Reports what a command sends into such a network, from the warden's side of the socket that sees it."""

    def __init__(self, descriptor: int, report: Callable[..., None]) -> None:
        self._socket = socket.socket(fileno=descriptor)
        self._socket.setblocking(False)
        self._report = report
        self._last: dict[tuple[str, int], float] = {}  # when each destination was last reported
        self._received = 0
        self.descriptor = self._socket.fileno()

    def report_attempts(self) -> bool:
        """Report what was tried, each destination at most once a second; False when there was too much to go on."""
        for _ in range(_PACKETS_AT_A_TIME):
            try:
                found = destination(self._socket.recv(512))
            except OSError:
                break
            self._received += 1
            now = time.time()
            if found is not None and now - self._last.get(found, 0.0) > 1.0:
                self._last[found] = now
                self._report(attempt=[now, *found])
        return self._received < _MOST_PACKETS and len(self._last) < _MOST_DESTINATIONS


if __name__ == "__main__":
    enter()
    os.execvp(sys.argv[1], sys.argv[1:])
