"""NVIDIA GPUs: which ones a run gets, and how much it uses them; nothing where there are none."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Container, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.sandbox.interface import SandboxError

if TYPE_CHECKING:
    from filelock import BaseFileLock

_DEVICES = Path("/dev")
_INTERVAL = 5.0
_lock = threading.Lock()
_claimed: dict[int, BaseFileLock] = {}


def numbers() -> list[int]:
    """The GPUs of this machine, by the numbers of their devices."""
    found = (re.fullmatch(r"nvidia(\d+)", each.name) for each in _DEVICES.glob("nvidia*"))
    return sorted(int(match[1]) for match in found if match)


def claim(count: int) -> list[int]:
    """GPUs that no other run of this user has, in whatever process; they must be released, or go with this process."""
    from filelock import FileLock, Timeout

    with _lock:
        found: dict[int, BaseFileLock] = {}
        for number in numbers():
            lock = FileLock(Path(tempfile.gettempdir()) / f"mlebench-gpu{number}-{os.getuid()}.lock")
            with contextlib.suppress(Timeout):
                if len(found) < count and number not in _claimed:
                    lock.acquire(timeout=0)
                    found[number] = lock
        if len(found) < count:
            for held in found.values():
                held.release()
            raise SandboxError(
                f"The run was granted {count} GPUs, but {len(found)} of {len(numbers())} are free here.",
                hint="Use fewer --workers, or grant fewer with --gpus.",
            )
        _claimed.update(found)
        return list(found)


def release(gpus: Sequence[int]) -> None:
    """Let other runs have them."""
    with _lock:
        for number in gpus:
            if number in _claimed:
                _claimed.pop(number).release()


def devices(gpus: Sequence[int]) -> list[Path]:
    """The devices that a program needs to use some GPUs, and no others."""
    if not gpus:
        return []
    common = ("nvidiactl", "nvidia-uvm", "nvidia-uvm-tools", "nvidia-modeset")
    names = [*(f"nvidia{each}" for each in gpus), *common]
    return [_DEVICES / each for each in names if (_DEVICES / each).exists()]


class GpuMeter:
    """Samples the memory that a run's processes hold on GPUs, and for how long its GPUs were busy."""

    def __init__(self, gpus: Sequence[int]) -> None:
        self._gpus = gpus
        self._tool = shutil.which("nvidia-smi")
        self.peak_memory: int | None = None
        self.seconds: float | None = None
        self._last: float | None = None

    def look(self, processes: Container[int]) -> None:
        """Measure now, at most every few seconds: each look starts a program."""
        now = time.monotonic()
        if self._tool is None or (self._last is not None and now - self._last < _INTERVAL):
            return
        rows = self._ask("--query-compute-apps=pid,used_gpu_memory")
        busy = self._ask("--query-gpu=index,utilization.gpu")
        if rows is None or busy is None:
            return
        own = [int(memory) << 20 for pid, memory in rows if int(pid) in processes and memory.isdigit()]
        self.peak_memory = max(self.peak_memory or 0, sum(own))
        share = sum(int(percent) for index, percent in busy if int(index) in self._gpus and percent.isdigit()) / 100
        elapsed = now - self._last if self._last is not None else 0.0
        self.seconds = (self.seconds or 0.0) + share * elapsed
        self._last = now

    def _ask(self, query: str) -> list[list[str]] | None:
        assert self._tool is not None
        try:
            done = subprocess.run(
                [self._tool, query, "--format=csv,noheader,nounits"],
                capture_output=True,
                text=True,
                timeout=20,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return [[cell.strip() for cell in line.split(",")] for line in done.stdout.splitlines() if "," in line]
