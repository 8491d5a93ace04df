"""How a process becomes the command of a run: it gives up what the specification says, for good, and then runs it.

This module needs only the standard library: the warden loads it by its path.
"""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

_DROP_BOUNDING, _NO_NEW_PRIVILEGES = 24, 38  # prctl
_CAPABILITY_VERSION_3 = 0x20080522
ARGUMENTS = 100  # the descriptor, beyond all in use, at which a command finds arguments that nobody else can see


def become_command(
    specification: dict[str, Any], output: int, warden: socket.socket, load: Callable[[str], Any]
) -> None:
    """Turn this process into the command, confined; does not return.

    What it prints goes to `output`. Descriptors that the warden watches are sent to it by the socket `warden`. `load`
    loads a module beside this one.
    """
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, target)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    is_linux = sys.platform.startswith("linux")
    write_file = load("descendants").write_file
    if is_linux:
        os.setpriority(os.PRIO_PROCESS, 0, specification["priority"])
        write_file("/proc/self/oom_score_adj", "300")
        _leave_keyring()
        if specification["cpus"]:
            os.sched_setaffinity(0, specification["cpus"])
    for group in specification["cgroups"]:
        if not write_file(group + "/cgroup.procs", "0"):
            raise OSError(f"the control group {group} takes no process")
    for name, value in specification["limits"].items():
        _limit(getattr(resource, name), value)
    os.chdir(specification["folder"])
    confinement = specification["landlock"]
    # Loaded before anything is given up.
    seccomp = load("seccomp") if specification["call_filter"] else None
    if confinement is not None:
        load("landlock").restrict(**confinement)
    if specification["watches_packets"]:
        with load("packets").enter() as seen:
            socket.send_fds(warden, [b"."], [seen.fileno()])
    if specification["drops_capabilities"] and is_linux:
        _drop_capabilities()
    if seccomp is not None:
        rules = seccomp.confined_rules(specification["call_filter"] == "network")
        listener = seccomp.install_asking(seccomp.program(rules, seccomp.refuse(errno.ENOSYS)))
        socket.send_fds(warden, [b"."], [listener])
        os.close(listener)
    if specification["arguments"]:
        if any("\0" in argument for argument in specification["arguments"]):  # where one ends, another would begin
            raise ValueError("embedded null byte")
        os.dup2(_in_memory("\0".join(specification["arguments"])), ARGUMENTS, inheritable=True)
    os.execvpe(specification["command"][0], specification["command"], specification["environment"])


def _limit(which: int, value: int) -> None:
    _, hard = resource.getrlimit(which)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(which, (value, value))


def _in_memory(text: str) -> int:
    """A file without a name that has this content, to be read from its beginning."""
    descriptor = os.memfd_create("arguments")
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(text.encode("utf-8", "surrogateescape"))
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def _leave_keyring() -> None:
    """Go on without the keys that the kernel keeps for the session of whoever started the run."""
    keyctl, join_new = {"x86_64": 250, "aarch64": 219}.get(os.uname().machine), 1
    if keyctl is not None:
        ctypes.CDLL(None).syscall(keyctl, join_new, None)


def _drop_capabilities() -> None:
    """Give up all that root may do beyond its own files, for good."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
    for capability in range(64):
        if libc.prctl(_DROP_BOUNDING, capability, 0, 0, 0) != 0:
            break
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    if libc.capset(header, (ctypes.c_uint32 * 6)()) != 0:
        raise OSError(ctypes.get_errno(), "capset")
