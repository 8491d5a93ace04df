"""Where programs and libraries are on this machine, and how a command finds them."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mlebench.sandbox.interface import Job

SYSTEM = ("/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/opt", "/nix")
# What programs need to know about the machine; in particular no keys, no passwords, no list of services.
SETTINGS = (
    *(
        f"/etc/{name}"
        for name in (
            "alternatives bash.bashrc ca-certificates ca-certificates.conf crypto-policies debian_version environment "
            "fonts gai.conf group host.conf hosts inputrc java julia ld.so.cache ld.so.conf ld.so.conf.d locale.alias "
            "locale.conf localtime lsb-release magic mime.types nsswitch.conf OpenCL openmpi os-release passwd perl "
            "pki profile profile.d protocols python3 python3.11 python3.12 python3.13 R resolv.conf rpc services ssl "
            "terminfo timezone vulkan"
        ).split()
    ),
    *(str(each) for each in sorted(Path("/etc").glob("java-*"))),  # Debian has a folder for each version
)
RESOLVERS = ("/run/systemd/resolve", "/run/resolvconf", "/run/nscd")  # where resolv.conf may lead
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random")
# Of the caller's variables a command gets these; no key or token of the user is among them.
_PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
PACKAGE = Path(__file__).resolve().parents[1]


def python_folders() -> list[Path]:
    """Where this Python and its packages are."""
    paths = [sys.prefix, sys.base_prefix, *(sysconfig.get_path(key) for key in ("purelib", "platlib", "stdlib"))]
    return outermost(Path(each).resolve() for each in paths)


def program_folders() -> list[Path]:
    """Where programs and libraries are, those of this Python included."""
    return outermost([*(Path(each).resolve() for each in SYSTEM if Path(each).exists()), *python_folders()])


def outermost(folders: Iterable[Path]) -> list[Path]:
    """Each folder once, without those that are below another one."""
    found: list[Path] = []
    for folder in sorted(set(folders)):
        if not any(folder.is_relative_to(each) for each in found):
            found.append(folder)
    return found


def around(folders: Iterable[Path], hidden: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """What may be read of some folders so that nothing hidden is, and the folders whose names alone may be listed."""
    read: list[Path] = []
    listed: list[Path] = []
    waiting = list(folders)
    while waiting:
        path = waiting.pop()
        if any(path == each or path.is_relative_to(each) for each in hidden):
            continue
        if not any(each.is_relative_to(path) for each in hidden):
            read.append(path)
            continue
        listed.append(path)
        waiting += [each for each in path.iterdir() if not each.is_symlink()]
    return read, listed


def environment(job: Job, home: str, temporary: str) -> Mapping[str, str]:
    """The variables of a command: where programs are, its home, and what the job sets."""
    path = [
        str(Path(sys.prefix) / "bin"),
        "/usr/local/sbin",
        "/usr/local/bin",
        "/usr/sbin",
        "/usr/bin",
        "/sbin",
        "/bin",
    ]
    kept = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    return {
        "LANG": "C.UTF-8",
        **kept,
        "PATH": os.pathsep.join(path),
        "HOME": home,
        "TMPDIR": temporary,
        "PYTHONDONTWRITEBYTECODE": "1",
        **job.environment,
    }
