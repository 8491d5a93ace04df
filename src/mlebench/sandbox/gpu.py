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
from collections.abc import Collection, Container, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mlebench.base.wording import counted
from mlebench.sandbox.interface import SandboxError

if TYPE_CHECKING:
    from filelock import BaseFileLock

_DEVICES = Path("/dev")
_DRIVER = Path("/proc/driver/nvidia/gpus")
_LOCKS = Path(tempfile.gettempdir())
_INTERVAL = 5.0
_lock = threading.Lock()
_claimed: dict[int, BaseFileLock] = {}
_allowed: frozenset[int] | None = None


def allow_only(gpus: Collection[int]) -> None:
    """Let this process grant no other GPUs, since a cluster has granted it these."""
    global _allowed
    _allowed = frozenset(gpus)


def numbers() -> list[int]:
    """The GPUs of this machine that this process may grant, by the numbers of their devices."""
    return [number for number in _devices() if _allowed is None or number in _allowed]


def _devices() -> list[int]:
    """The GPUs of this machine, by the numbers of their devices."""
    found = (re.fullmatch(r"nvidia(\d+)", path.name) for path in _DEVICES.glob("nvidia*"))
    return sorted(int(match[1]) for match in found if match)


def granted(environment: Mapping[str, str] = os.environ) -> tuple[int, ...] | None:
    """The GPUs that a cluster has granted to this process, by the numbers of their devices; None if it says nothing.

    Slurm names the devices themselves in SLURM_JOB_GPUS; CUDA_VISIBLE_DEVICES has UUIDs, or places in the order of
    the PCI bus. An error names one that cannot be given to a run: it gets devices, and a part of a GPU has none.
    """
    devices = _names(environment.get("SLURM_JOB_GPUS"))
    visible = _names(environment.get("CUDA_VISIBLE_DEVICES"))
    if devices is None and visible is None:
        return None
    for name in (*(visible or ()), *(devices or ())):
        if name.startswith("MIG-"):
            raise SandboxError(
                f"The cluster granted {name}, a part of a GPU, and runs are given whole GPUs only.",
                hint="Choose nodes whose GPUs are not divided by MIG.",
            )
    if devices and all(name.isdecimal() for name in devices):
        return tuple(int(name) for name in devices)
    return tuple(_device(name) for name in devices or visible or ())


def _names(text: str | None) -> list[str] | None:
    """The GPUs that a variable lists; None for a variable that is not set."""
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip() not in ("", "-1", "NoDevFiles")]


def _device(name: str) -> int:
    """The number of the device of a GPU that CUDA_VISIBLE_DEVICES names by its place or its UUID."""
    by_bus = _by_bus()
    if name.isdecimal() and not by_bus:
        return int(name)
    found = [number for place, (number, uuid) in enumerate(by_bus) if name == str(place) or uuid.startswith(name)]
    if len(found) != 1:
        raise SandboxError(
            f"The cluster granted the GPU {name}, which this machine does not have.",
            hint="Compare CUDA_VISIBLE_DEVICES of a job with `nvidia-smi -L`.",
        )
    return found[0]


def _by_bus() -> list[tuple[int, str]]:
    """(number of the device, UUID) of every GPU, in the order of the PCI bus."""
    found: list[tuple[int, str]] = []
    for file in sorted(_DRIVER.glob("*/information")):
        with contextlib.suppress(OSError, ValueError):
            facts = dict(line.split(":", 1) for line in file.read_text().splitlines() if ":" in line)
            found.append((int(facts.get("Device Minor", "")), facts.get("GPU UUID", "").strip()))
    return found


def identifier(number: int) -> str:
    """What NVIDIA's own tools call a GPU: by its UUID, since they count in another order than devices are numbered."""
    for file in _DRIVER.glob("*/information"):
        with contextlib.suppress(OSError):
            facts = dict(line.split(":", 1) for line in file.read_text().splitlines() if ":" in line)
            uuid = facts.get("GPU UUID", "").strip()
            if facts.get("Device Minor", "").strip() == str(number) and re.fullmatch(r"GPU-[0-9a-f-]+", uuid):
                return uuid
    return str(number)


def variables(gpus: Sequence[int]) -> dict[str, str]:
    """What tells CUDA which GPUs a command has, where it could find others: by UUIDs, for which no order matters."""
    if not _devices():
        return {}
    names = [identifier(number) for number in gpus]
    if any(name.isdecimal() for name in names):  # the driver names none: devices alone must do
        return {}
    return {"CUDA_VISIBLE_DEVICES": ",".join(names)}


class GpusTakenError(SandboxError):
    """There are enough GPUs, but other runs have them now."""


def require(count: int) -> None:
    """Raise an error if this machine does not have this many GPUs, whoever has them now."""
    if count > len(numbers()):
        raise SandboxError(
            f"A run was granted {counted(count, 'GPU')}, but this machine has {len(numbers()) or 'none'}.",
            hint="Grant fewer with --gpus.",
        )


def claim(count: int) -> list[int]:
    """GPUs that no other run of this user has, in whatever process; they must be released, or go with this process."""
    require(count)
    from filelock import FileLock, Timeout

    with _lock:
        found: dict[int, BaseFileLock] = {}
        for number in numbers():
            lock = FileLock(_LOCKS / f"mlebench-gpu{number}-{os.getuid()}.lock")
            with contextlib.suppress(Timeout):
                if len(found) < count and number not in _claimed:
                    lock.acquire(timeout=0)
                    found[number] = lock
        if len(found) < count:
            for held in found.values():
                held.release()
            raise GpusTakenError(
                f"The run was granted {counted(count, 'GPU')}, but {len(found)} of {len(numbers())} are free."
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
    names = [*(f"nvidia{number}" for number in gpus), *common]
    return [_DEVICES / name for name in names if (_DEVICES / name).exists()]


class GpuMeter:
    """Samples the memory that a run's processes hold on GPUs, and for how long its GPUs were busy."""

    def __init__(self, gpus: Sequence[int]) -> None:
        self._names = {identifier(number) for number in gpus}
        self._tool = shutil.which("nvidia-smi")
        self.peak_memory: int | None = None
        self.seconds: float | None = None
        self._last: float | None = None

    def measure(self, processes: Container[int]) -> None:
        """Measure now, at most every few seconds: each measurement starts a program."""
        now = time.monotonic()
        if self._tool is None or (self._last is not None and now - self._last < _INTERVAL):
            return
        rows = self._ask("--query-compute-apps=pid,used_gpu_memory")
        busy = self._ask("--query-gpu=uuid,index,utilization.gpu")
        if rows is None or busy is None:
            return
        own = [int(memory) << 20 for pid, memory in rows if int(pid) in processes and memory.isdecimal()]
        self.peak_memory = max(self.peak_memory or 0, sum(own))
        shares = [int(percent) for *names, percent in busy if self._names & {*names} and percent.isdecimal()]
        elapsed = now - self._last if self._last is not None else 0.0
        self.seconds = (self.seconds or 0.0) + sum(shares) / 100 * elapsed
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
