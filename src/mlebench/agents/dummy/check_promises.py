"""Check from inside what a sandbox promises. Plain Python 3.8, nothing else.

Reads $AGENT_DIR/promises.json, which says what is promised and where there is something to try:

    {"promised": ["ANSWERS_HIDDEN", …], "private": [paths], "host_file": path, "runs": path, "package": path,
     "pid": number, "start_time": number, "network": "none" | "full" | "list", "ports": [numbers], "gpus": number}

Prints a line per promise and writes the same to $LOGS_DIR/promises.json:

    passed          it is promised, and the attempts to break it failed
    failed          it is promised, but an attempt succeeded
    not promised    whether it holds anyway follows in brackets
    not visible     it is promised, but can only be seen from outside: limits, and what survives the end

Exit code 0 if nothing failed.
"""

from __future__ import annotations

import ctypes
import glob
import json
import os
import socket
import stat
import subprocess
import sys
from typing import Any, Callable, Dict

Probes = Dict[str, Any]
DATA = os.environ.get("DATA_DIR", "/home/data")
OUTSIDE = (
    "NOTHING_SURVIVES",
    "TIME_LIMITED",
    "MEMORY_LIMITED",
    "UNHELD_MEMORY_LIMITED",
    "CPUS_LIMITED",
    "PROCESSES_LIMITED",
    "DISK_LIMITED",
    "OUTPUT_LIMITED",
)
SOCKETS = ("/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket")


class BrokenError(Exception):
    """An attempt succeeded; the message says which."""


def answers_hidden(probes: Probes) -> None:
    """Read private files: directly, by a link, through the process that started this one."""
    for path in probes.get("private", []):
        link = os.path.join(os.environ.get("LOGS_DIR", "."), ".link")
        for attempt in (path, f"/proc/{probes.get('pid')}/root{path}", f"/proc/1/root{path}"):
            if can_read(attempt):
                raise BrokenError(f"read {attempt}")
        try:
            os.symlink(path, link)
            if can_read(link):
                raise BrokenError(f"read {path} by a link")
            os.unlink(link)
            os.link(path, link)
            if can_read(link):
                raise BrokenError(f"read {path} by a hard link")
        except OSError:
            pass
        finally:
            if os.path.lexists(link):
                os.unlink(link)


def host_files_hidden(probes: Probes) -> None:
    """Read a file of the user who started the run."""
    if can_read(probes.get("host_file", "")):
        raise BrokenError(f"read {probes['host_file']}")


def other_runs_hidden(probes: Probes) -> None:
    """List the folder with all runs."""
    try:
        names = os.listdir(probes.get("runs") or "/nowhere")
    except OSError:
        return
    raise BrokenError(f"listed {probes['runs']} with {len(names)} entries")


def data_read_only(probes: Probes) -> None:
    """Add a file to the data, open one of them for writing."""
    if made := can_make(DATA):
        raise BrokenError(f"made {made}")
    for name in sorted(os.listdir(DATA)):
        path = os.path.join(DATA, name)
        if os.path.isfile(path) and can_append(path):
            raise BrokenError(f"opened {path} for writing")


def host_files_unchanged(probes: Probes) -> None:
    """Open a file of the user for writing, make one beside it, or in a folder of the system."""
    if can_append(probes.get("host_file", "")):
        raise BrokenError(f"opened {probes['host_file']} for writing")
    for folder in (probes.get("runs", ""), "/etc", "/usr", "/opt"):
        if folder and (made := can_make(folder)):
            raise BrokenError(f"made {made}")


def modes_unchanged(probes: Probes) -> None:
    """Set the mode of a file of the data, to what it is already."""
    path = os.path.join(DATA, "description.md")
    try:
        os.chmod(path, stat.S_IMODE(os.stat(path).st_mode))
    except OSError:
        return
    raise BrokenError(f"set the mode of {path}")


def no_tcp(probes: Probes) -> None:
    """Connect to servers that listen on this machine; nothing is ever sent to another one."""
    if probes.get("network") == "full":
        return
    granted = {*probes.get("ports", []), proxy_port()}
    places = [("127.0.0.1", port) for port in listening() - granted]
    for place in places:
        if can_connect(socket.AF_INET, place):
            raise BrokenError("connected to {}:{}".format(*place))


def no_network(probes: Probes) -> None:
    """All of that, and look for a way to other machines, without sending anything there."""
    no_tcp(probes)
    if probes.get("network") == "full":
        return
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        try:
            out.connect(("192.0.2.1", 9))  # of a datagram socket: only asks the kernel for a route
        except OSError:
            return
        if out.getsockname()[0] == "192.0.2.1":  # one that leads back here
            return
    raise BrokenError("found a route to other machines")


def no_signals(probes: Probes) -> None:
    """Signal the process that started this run, and read its memory and its environment."""
    pid = the_starter(probes)
    if pid is None:
        return
    for path in (f"/proc/{pid}/environ", f"/proc/{pid}/mem"):
        if can_read(path, 0):
            raise BrokenError(f"opened {path}")
    try:
        os.kill(pid, 0)
    except OSError:
        return
    raise BrokenError(f"could signal process {pid}")


def no_priorities(probes: Probes) -> None:
    """Set the priority of the process that started this run, to what it is already."""
    pid = the_starter(probes)
    if pid is None:
        return
    try:
        os.setpriority(os.PRIO_PROCESS, pid, os.getpriority(os.PRIO_PROCESS, pid))
    except OSError:
        return
    raise BrokenError(f"set the priority of process {pid}")


def processes_hidden(probes: Probes) -> None:
    """See the process that started this run."""
    if (pid := the_starter(probes)) is not None:
        raise BrokenError(f"saw process {pid}")


def no_host_sockets(probes: Probes) -> None:
    """Connect to services of the host."""
    for path in SOCKETS:
        if can_connect(socket.AF_UNIX, path):
            raise BrokenError(f"connected to {path}")


def no_abstract_sockets(probes: Probes) -> None:
    """Connect to every abstract socket there is."""
    for line in lines_of("/proc/net/unix"):
        name = line.split()[-1]
        if name.startswith("@") and can_connect(socket.AF_UNIX, "\0" + name[1:]):
            raise BrokenError(f"connected to {name}")


def no_shared_memory(probes: Probes) -> None:
    """Open what others have in shared memory."""
    for path in glob.glob("/dev/shm/*"):
        if can_read(path):
            raise BrokenError(f"read {path}")
    libc = ctypes.CDLL(None)
    for line in lines_of("/proc/sysvipc/shm"):
        if line.split()[0] != "key" and libc.shmget(int(line.split()[0]), 0, 0) >= 0:
            raise BrokenError(f"found the shared memory {line.split()[0]}")


def no_privileges(probes: Probes) -> None:
    """See whether a program could gain privileges."""
    found = dict(line.split(":", 1) for line in lines_of("/proc/self/status") if ":" in line)
    if found.get("NoNewPrivs", "1").strip() != "1":
        raise BrokenError("programs can gain privileges")
    if int(found.get("CapEff", "0").strip(), 16):
        raise BrokenError("this process has capabilities {}".format(found["CapEff"].strip()))


def no_gpu(probes: Probes) -> None:
    """Open the devices of a GPU."""
    if probes.get("gpus"):
        return
    for pattern in ("/dev/nvidia[0-9]*", "/dev/nvidiactl", "/dev/kfd", "/dev/dri/renderD*"):
        for path in glob.glob(pattern):
            if can_read(path, 0):
                raise BrokenError(f"opened {path}")


def package_hidden(probes: Probes) -> None:
    """Import the package under test, or read it."""
    package = probes.get("package", "")
    if package and can_read(os.path.join(package, "__init__.py")):
        raise BrokenError(f"read {package}")
    code = "import mlebench.competition.registry"
    for path in filter(None, ("", os.path.dirname(package))):
        code = f"import sys; sys.path.append({path!r}); {code}"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL, check=False)
    if done.returncode == 0:
        raise BrokenError("imported mlebench")


CHECKS: dict[str, Callable[[Probes], None]] = {
    function.__name__.upper(): function
    for function in (
        answers_hidden,
        host_files_hidden,
        other_runs_hidden,
        data_read_only,
        host_files_unchanged,
        modes_unchanged,
        no_tcp,
        no_network,
        no_signals,
        no_priorities,
        processes_hidden,
        no_host_sockets,
        no_abstract_sockets,
        no_shared_memory,
        no_privileges,
        no_gpu,
        package_hidden,
    )
}


def can_read(path: str, count: int = 1) -> bool:
    """Whether a file can be opened and `count` bytes of it can be read."""
    try:
        descriptor = os.open(path or "/nowhere", os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        os.read(descriptor, count)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def can_append(path: str) -> bool:
    """Whether a file can be opened for writing; nothing is written."""
    try:
        os.close(os.open(path or "/nowhere", os.O_WRONLY | os.O_APPEND | os.O_NONBLOCK))
    except OSError:
        return False
    return True


def can_make(folder: str) -> str | None:
    """The path of a file that could be made in a folder, and was removed again; else None."""
    path = os.path.join(folder, f".dummy-{os.getpid()}")
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError:
        return None
    os.unlink(path)
    return path


def can_connect(family: int, place: Any) -> bool:
    """Whether there is a server at a place that accepts a connection."""
    with socket.socket(family, socket.SOCK_STREAM) as out:
        out.settimeout(0.5)
        try:
            out.connect(place)
        except OSError:
            return False
    return True


def lines_of(path: str) -> list[str]:
    """The lines of a file of /proc that are not empty; none where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return [line for line in file.read().splitlines() if line.strip()]
    except OSError:
        return []


def proxy_port() -> int | None:
    """The port of the proxy that notes what is asked of it, and lets through what was granted."""
    port = os.environ.get("http_proxy", "").rpartition(":")[2].rstrip("/")
    return int(port) if port.isdecimal() else None


def listening() -> set[int]:
    """The TCP ports of this machine, as seen from here, on which somebody listens."""
    rows = [line.split() for line in lines_of("/proc/net/tcp")[1:]]
    return {int(row[1].split(":")[1], 16) for row in rows if len(row) > 3 and row[3] == "0A"}


def the_starter(probes: Probes) -> int | None:
    """The number of the process that started this run, if it can be seen; another one may have its number here."""
    pid = int(probes.get("pid", 0))
    for line in lines_of(f"/proc/{pid}/stat"):
        if int(line.rpartition(")")[2].split()[19]) == probes.get("start_time"):
            return pid
    return None


def outcome(name: str, promised: bool, probes: Probes) -> dict[str, str]:
    """What became of one promise."""
    if name not in CHECKS:
        status, note = ("not visible" if promised else "not promised"), "only seen from outside"
    else:
        try:
            CHECKS[name](probes)
            holds, note = True, ""
        except BrokenError as broken:
            holds, note = False, str(broken)
        except OSError as error:  # refused before it could break anything
            holds, note = True, f"{error.strerror}"
        except Exception as error:
            holds, note = False, f"could not be checked: {type(error).__name__}: {error}"
        status = "not promised" if not promised else "passed" if holds else "failed"
        if not promised:
            note = "holds here" if holds else note
    return {"promise": name, "status": status, "note": note}


def main() -> int:
    """Check every promise, print and write what was found."""
    try:
        with open(os.path.join(os.environ.get("AGENT_DIR", "."), "promises.json"), encoding="utf-8") as file:
            probes = json.load(file)
    except OSError:
        probes = {}
        print("Nobody said what is promised here.")
    promised = probes.get("promised", [])
    names = [*CHECKS, *OUTSIDE, *(name for name in promised if name not in CHECKS and name not in OUTSIDE)]
    found = [outcome(name, name in promised, probes) for name in names]
    for result in found:
        print("{status:13} {promise}".format(**result) + (" ({note})".format(**result) if result["note"] else ""))
    failed = [result["promise"] for result in found if result["status"] == "failed"]
    with open(os.path.join(os.environ.get("LOGS_DIR", "."), "promises.json"), "w", encoding="utf-8") as file:
        json.dump(found, file, indent=2)
    passed = sum(result["status"] == "passed" for result in found)
    print(f"{passed} passed, {len(failed)} failed, {len(found) - passed - len(failed)} not promised or not visible.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
