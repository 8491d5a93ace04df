"""A run gets as many GPUs as it was granted, and none that another run has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mlebench.sandbox import SandboxError, gpu


@pytest.fixture(autouse=True)
def three_gpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nvidia0", "nvidia1", "nvidia2", "nvidiactl", "nvidia-uvm", "nvidia-fs0"):
        (tmp_path / name).touch()
    (tmp_path / "nvidia-caps").mkdir()
    monkeypatch.setattr(gpu, "_DEVICES", tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(gpu, "_LOCKS", tmp_path)


def test_claims() -> None:
    first, second = gpu.claim(2), gpu.claim(1)
    try:
        assert (first, second) == ([0, 1], [2])
        with pytest.raises(gpu.GpusTakenError, match="granted 1 GPU, but 0 of 3 are free"):
            gpu.claim(1)
        with pytest.raises(SandboxError, match="granted 4 GPUs, but this machine has 3"):
            gpu.claim(4)
    finally:
        gpu.release(first)
    assert gpu.claim(1) == [0]
    gpu.release([0, *second])


def test_devices() -> None:
    assert [path.name for path in gpu.devices([1])] == ["nvidia1", "nvidiactl", "nvidia-uvm"]
    assert gpu.devices([]) == []


def test_another_process_has_a_gpu() -> None:
    code = f"""
import pathlib, sys
from mlebench.sandbox import gpu
gpu._DEVICES = pathlib.Path({str(gpu._DEVICES)!r})
print(gpu.claim(1), flush=True)
sys.stdin.read()
"""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "[0]\n"
        assert gpu.claim(1) == [1]
        gpu.release([1])
        other.kill()
    assert gpu.claim(1) == [0]  # it goes with its process
    gpu.release([0])


def test_tools_count_gpus_in_another_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for bus, number in (("0000:01:00.0", 2), ("0000:02:00.0", 0)):
        (tmp_path / bus).mkdir()
        lines = [f"GPU UUID: \t GPU-{number}a", "Bus Location: \t " + bus, f"Device Minor: \t {number}"]
        (tmp_path / bus / "information").write_text("\n".join(lines))
    monkeypatch.setattr(gpu, "_DRIVER", tmp_path)
    assert [gpu.identifier(number) for number in (0, 1, 2)] == ["GPU-0a", "1", "GPU-2a"]
