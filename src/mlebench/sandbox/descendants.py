"""The processes below this one: which there are, and ending all of them.

This module needs only the standard library: the warden loads it by its path.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Iterable


def end_descendants(groups: list[str], reap: Callable[[], bool]) -> None:
    """End every process below this one: first stop all of it, so that nothing forks while it is being ended.

    `reap` takes note of children that have ended, and tells whether there are others.
    """
    seen: set[int] = set()
    for _ in range(100):
        new = descendants().keys() - seen
        if not new:
            break
        signal_all(new, signal.SIGSTOP)
        seen |= new
    while True:
        for group in groups:
            write_file(group + "/pids.max", "0")  # nothing begins any more
            write_file(group + "/cgroup.kill", "1")
        alive = descendants()
        signal_all(alive, signal.SIGKILL)
        # A process that ends while the next one of a chain begins is in no list, but it is a child of this one.
        if not reap() and not alive:
            return
        time.sleep(0.002)


def descendants() -> dict[int, int]:
    """Every process below this one, with its depth, parents first; children of this one that have ended are not."""
    children: dict[int, list[int]] = {}
    for pid, parent, state in _all_processes():
        if not (state == "Z" and parent == os.getpid()):
            children.setdefault(parent, []).append(pid)
    depths: dict[int, int] = {}
    level, depth = children.get(os.getpid(), []), 1
    while level:
        depths.update(dict.fromkeys(level, depth))
        level, depth = [child for pid in level for child in children.get(pid, [])], depth + 1
    return depths


def _all_processes() -> Iterable[tuple[int, int, str]]:
    """(id, parent, state) of every process of this machine."""
    if not sys.platform.startswith("linux"):
        import subprocess

        command = ["/bin/ps", "-axo", "pid=,ppid=,state="]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as shown:
            lines = [line.split() for line in shown.stdout or ()]
        own = str(shown.pid)  # it lists itself, and was a child of this process
        yield from (
            (int(cells[0]), int(cells[1]), cells[2][0]) for cells in lines if len(cells) >= 3 and cells[0] != own
        )
        return
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
            except OSError:
                continue
            yield int(name), int(parent), state.decode()


def signal_all(pids: Iterable[int], number: int) -> None:
    """Send a signal to some processes, as far as they are there and it is allowed."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            continue


def write_file(path: str, text: str) -> bool:
    """Write to a file of the kernel; whether it took the text."""
    try:
        with open(path, "w") as file:  # noqa: PTH123 (pathlib would cost time at every start)
            file.write(text)
    except OSError:
        return False
    return True
