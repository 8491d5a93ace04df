"""The use of NVIDIA GPUs by a run, asked from the driver's own tool; nothing where there is none."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Container

_INTERVAL = 5.0


class GpuMeter:
    """Samples the memory that a run's processes hold on GPUs, and for how long a GPU was busy."""

    def __init__(self) -> None:
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
        busy = self._ask("--query-gpu=utilization.gpu,memory.used")
        if rows is None or busy is None:
            return
        own = [int(memory) << 20 for pid, memory in rows if int(pid) in processes and memory.isdigit()]
        self.peak_memory = max(self.peak_memory or 0, sum(own))
        share = sum(int(percent) for percent, _ in busy if percent.isdigit()) / 100
        elapsed = now - self._last if self._last is not None else 0.0
        self.seconds = (self.seconds or 0.0) + (share * elapsed if own else 0.0)
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
