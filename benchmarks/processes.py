"""Running a piece of Python in a process of its own, and measuring that process."""

from __future__ import annotations

import subprocess
import sys
import time

# The kernel's account for a process (ru_maxrss) begins with the peak of the one that started it; this one does not.
_PEAK = "print([int(l.split()[1]) for l in open('/proc/self/status') if l.startswith('VmHWM')][0])"


def measured(code: str) -> tuple[float, int]:
    """(seconds, peak memory in bytes) of running code in a new Python; whatever it prints is dropped."""
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", f"{code}\n{_PEAK}"], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"failed: {code}")
    return time.monotonic() - start, int(done.stdout.splitlines()[-1]) * 1024
