"""Where programs and libraries are on this machine, and how a command finds them."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import sysconfig
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
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
    *(str(path) for path in sorted(Path("/etc").glob("java-*"))),  # Debian has a folder for each version
)
RESOLVERS = ("/run/systemd/resolve", "/run/resolvconf", "/run/nscd")  # where resolv.conf may lead
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/urandom", "/dev/random")
# Of the caller's variables a command gets these; no key or token of the user is among them.
_PASSED_ON = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH")
PACKAGE = Path(__file__).resolve().parents[1]


def python_folders() -> list[Path]:
    """Where this Python and its packages are."""
    paths = [sys.prefix, sys.base_prefix, *(sysconfig.get_path(key) for key in ("purelib", "platlib", "stdlib"))]
    return list(_resolved(tuple(paths)))


def program_folders() -> list[Path]:
    """Where programs and libraries are, those of this Python included."""
    return outermost([*_resolved(SYSTEM), *python_folders()])


@cache
def _resolved(names: tuple[str, ...]) -> tuple[Path, ...]:
    """The outermost of some folders; where programs are does not change while they run."""
    return tuple(outermost(Path(name).resolve() for name in names if Path(name).exists()))


def outermost(folders: Iterable[Path]) -> list[Path]:
    """Each folder once, without those that are below another one."""
    found: list[Path] = []
    for folder in sorted(set(folders)):
        if not any(folder.is_relative_to(outer) for outer in found):
            found.append(folder)
    return found


def around(folders: Iterable[Path], hidden: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """What may be read of some folders so that nothing hidden is, and the folders whose names alone may be listed."""
    read: list[Path] = []
    listed: list[Path] = []
    for folder in folders:
        if any(folder.is_relative_to(path) for path in hidden):
            continue
        inside = tuple(sorted(path for path in hidden if path.is_relative_to(folder)))
        if inside:
            some_read, some_listed = _beside(folder, inside)
            read += some_read
            listed += some_listed
        else:
            read.append(folder)
    return read, listed


# By folder and what is hidden in it. Folders of packages have thousands of entries and stay as they are while a group
# runs: that they are walked once for all its runs is what lets many runs begin at the same time.
_walked: dict[tuple[Path, tuple[Path, ...]], tuple[list[Path], dict[Path, int]]] = {}


def _beside(folder: Path, hidden: tuple[Path, ...]) -> tuple[list[Path], list[Path]]:
    """What may be read in a folder with something hidden in it, and what may be listed; walked again if it changed."""
    known = _walked.get((folder, hidden))
    if known is None or any(_changed_at(path) != changed for path, changed in known[1].items()):
        known = _walked[folder, hidden] = _walk(folder, hidden)
    return known[0], list(known[1])


def _walk(folder: Path, hidden: tuple[Path, ...]) -> tuple[list[Path], dict[Path, int]]:
    """(what may be read, folders that may be listed and when they were last changed)."""
    read: list[Path] = []
    listed: dict[Path, int] = {}
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        if any(path.is_relative_to(other) for other in hidden):
            continue
        if not any(other.is_relative_to(path) for other in hidden):
            read.append(path)
            continue
        listed[path] = _changed_at(path)
        with contextlib.suppress(PermissionError):  # what this user may not list, a command may not, either
            waiting += [entry for entry in path.iterdir() if not entry.is_symlink()]
    return read, listed


def _changed_at(folder: Path) -> int:
    """When an entry of a folder was last made or removed; -1 where the folder is gone."""
    try:
        return folder.stat().st_mtime_ns
    except OSError:
        return -1


def nearest(path: Path, folders: Collection[Path]) -> Path | None:
    """The innermost of some folders that a path is in or is; they are best given as a set."""
    while path not in folders:
        if path == (parent := path.parent):
            return None
        path = parent
    return path


@dataclass(frozen=True)
class Visibility:
    """Which of the host's files a command sees: the innermost folder that is named decides on a path.

    So what is `shown` within something hidden is seen, and what is `hidden` within something shown is not. `unlisted`
    are those of the hidden folders whose names, too, must not be listed. A folder that does not exist hides nothing.
    """

    shown: tuple[Path, ...]
    hidden: tuple[Path, ...]
    unlisted: tuple[Path, ...] = ()

    def sees(self, path: Path) -> bool:
        """Whether a path is seen; a folder that is named as both is hidden."""
        shown, hidden = self._sets
        return _is_deeper(nearest(path, shown), nearest(path, hidden))

    @cached_property
    def _sets(self) -> tuple[frozenset[Path], frozenset[Path]]:
        """Shown and hidden folders as sets: every start of a command asks thousands of times."""
        return frozenset(self.shown), frozenset(self.hidden)

    def hides(self) -> list[Path]:
        """The hidden folders that exist within something that is shown, outermost first."""
        return [path for path in sorted(set(self.hidden)) if not self.sees(path) and _is_seen_above(path, self)]

    def shows(self) -> list[Path]:
        """The folders to show: without those that are within another one and not hidden by it, outermost first."""
        return [path for path in sorted(set(self.shown)) if self.sees(path) and not _is_seen_above(path, self)]

    def rules(self) -> tuple[list[Path], list[Path]]:
        """What may be read so that nothing hidden is, and the folders whose names alone may be listed.

        Both hold for all that is below a path, so a folder around something hidden cannot be named: what is in it now
        is. Its names can be listed, unless those of something `unlisted` would be, too.
        """
        read: list[Path] = []
        listed: list[Path] = []
        for folder in self.shows():
            inside = [path for path in self.hidden if path != folder and path.is_relative_to(folder)]
            some_read, some_listed = around([folder], inside)
            read += some_read
            listed += [path for path in some_listed if not any(map(partial(_is_below, path), self.unlisted))]
        return read, listed


def _is_below(folder: Path, path: Path) -> bool:
    return path.is_relative_to(folder)


def _is_deeper(one: Path | None, other: Path | None) -> bool:
    return one is not None and (other is None or len(one.parts) > len(other.parts))


def _is_seen_above(path: Path, visibility: Visibility) -> bool:
    return path != path.parent and visibility.sees(path.parent)


def private_settings(names: Sequence[str] = (*SETTINGS, *RESOLVERS)) -> list[Path]:
    """What is among the settings and not for everybody, such as private keys, which root could read all the same.

    It is looked for at every start, since it may be made at any time.
    """
    found: list[Path] = []
    waiting: list[tuple[str, bool]] = [(str(name), True) for name in names]
    while waiting:  # with the functions of os: these are hundreds of files, at every start
        path, follows = waiting.pop()
        with contextlib.suppress(OSError):
            mode = os.stat(path, follow_symlinks=follows).st_mode  # noqa: PTH116
            needed = 0o005 if stat.S_ISDIR(mode) else 0o004
            if mode & needed != needed:
                found.append(Path(path))
            elif stat.S_ISDIR(mode):
                with os.scandir(path) as entries:
                    waiting += [(entry.path, False) for entry in entries]
    return found


def public_settings(names: Sequence[str]) -> list[Path]:
    """The settings that everybody may read: whole folders, and of those with something private in them the rest."""
    private = private_settings(names)
    found: list[Path] = []
    waiting = [Path(name) for name in names]
    while waiting:
        path = waiting.pop(0)
        if path in private:
            continue
        if any(secret.is_relative_to(path) for secret in private):
            with contextlib.suppress(OSError):
                waiting += sorted(path.iterdir())
        else:
            found.append(path)
    return found


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
