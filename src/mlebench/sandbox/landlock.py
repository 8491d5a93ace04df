"""Landlock: Linux lets any process give up its own access to files, for itself and its children, for good.

No root, no daemon, no container: three system calls. The kernel refuses everything that was not allowed. This module
needs only the standard library: the warden loads it by its path.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every architecture
_VERSION_FLAG = 1
_PATH_BENEATH, _NET_PORT = 1, 2
_NO_NEW_PRIVILEGES = 38  # prctl

# Versions of the interface, and what each brought that is used here.
FILES, TCP, SCOPES = 1, 4, 6

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_READ = _EXECUTE | _READ_FILE | _READ_DIR
# Rights that each version of the interface added: all of files, linking across folders, truncating, device ioctls.
_HANDLED_BY_VERSION = {
    1: (1 << 13) - 1,
    2: (1 << 14) - 1,
    3: (1 << 15) - 1,
    4: (1 << 15) - 1,
    5: (1 << 16) - 1,
}
_FILE_RIGHTS = _EXECUTE | _WRITE_FILE | _READ_FILE | (1 << 14) | (1 << 15)
_BIND, _CONNECT = 1 << 0, 1 << 1
_ABSTRACT_SOCKETS, _SIGNALS = 1 << 0, 1 << 1


def _system_call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.syscall(number, *arguments))


def version() -> int:
    """The version of the kernel's Landlock interface; 0 where there is none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _system_call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION_FLAG)))


def restrict(
    readable: Iterable[str], listable: Iterable[str], writable: Iterable[str], ports: Iterable[int] | None
) -> None:
    """From now on this process reads only below `readable` and writes only below `writable`.

    Names can also be listed below `listable`. With a list of ports, TCP connections go to those only, as far as the
    kernel can do that. Signals and abstract sockets do not leave the confined processes, where the kernel can do that.
    """
    found = version()
    handled = _HANDLED_BY_VERSION[min(found, max(_HANDLED_BY_VERSION))]
    attributes = struct.pack("=Q", handled)
    limits_tcp = found >= TCP and ports is not None
    if found >= TCP:
        attributes += struct.pack("=Q", _BIND | _CONNECT if limits_tcp else 0)
    if found >= SCOPES:
        attributes += struct.pack("=Q", _ABSTRACT_SOCKETS | _SIGNALS)
    ruleset = _system_call(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "landlock_create_ruleset")
    for paths, rights in ((readable, _READ), (listable, _READ_DIR), (writable, handled)):
        for path in paths:
            _allow_path(ruleset, path, rights & handled)
    if limits_tcp:
        for port in ports or ():
            _add_rule(ruleset, _NET_PORT, struct.pack("=QQ", _CONNECT, port), str(port))
    if ctypes.CDLL(None).prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise OSError("prctl")
    if _system_call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0)) != 0:
        raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    os.close(ruleset)


def _allow_path(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, PermissionError):  # what is not there, or not for this user, need not be allowed
        return
    try:
        if not os.path.isdir(path):  # noqa: PTH112 (pathlib would cost time at every start)
            rights &= _FILE_RIGHTS
        _add_rule(ruleset, _PATH_BENEATH, struct.pack("=Qi", rights, descriptor), path)
    finally:
        os.close(descriptor)


def _add_rule(ruleset: int, kind: int, rule: bytes, what: str) -> None:
    if _system_call(_ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(kind), rule, ctypes.c_uint32(0)) != 0:
        raise OSError(ctypes.get_errno(), "landlock_add_rule", what)
