"""GPUs in a sandbox: there is one when it was granted, and none otherwise; its use is measured."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from sandbox.running import run

from mlebench.sandbox import Job, Limits, ProcessSandbox, Sandbox, SandboxError
from mlebench.sandbox.docker import DockerSandbox
from mlebench.sandbox.engine import grants_gpus

pytestmark = pytest.mark.skipif(not Path("/dev/nvidia0").exists(), reason="this machine has no NVIDIA GPU")
_CUDA = """
import ctypes, sys, time
cuda = ctypes.CDLL('libcuda.so.1')
def call(name, *arguments):
    code = getattr(cuda, name)(*arguments)
    if code != 0:
        sys.exit(f'{name}: {code}')
count, device, context, memory = ctypes.c_int(), ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
call('cuInit', 0)
call('cuDeviceGetCount', ctypes.byref(count))
call('cuDeviceGet', ctypes.byref(device), 0)
call('cuCtxCreate_v2', ctypes.byref(context), 0, device)
call('cuMemAlloc_v2', ctypes.byref(memory), ctypes.c_size_t(512 << 20))
call('cuMemsetD8_v2', memory, 1, ctypes.c_size_t(512 << 20))
call('cuCtxSynchronize')
print('devices:', count.value, flush=True)
time.sleep(8)
"""


def has_no_gpu_as_root(sandbox: Sandbox) -> bool:
    return isinstance(sandbox, ProcessSandbox) and os.getuid() == 0


def test_a_granted_gpu_works_and_is_measured(sandbox: Sandbox, job: Job) -> None:
    granted = replace(job, command=["bash", "-c", f'python3 -c "{_CUDA}"'], limits=Limits(gpus=1))
    if has_no_gpu_as_root(sandbox):
        with pytest.raises(SandboxError, match="Run as root"):
            sandbox.start(granted)
        return
    if isinstance(sandbox, DockerSandbox) and not grants_gpus():
        with pytest.raises(SandboxError, match="NVIDIA Container Toolkit"):
            sandbox.start(granted)
        return
    ending = run(sandbox, granted)
    log = job.log.read_text()
    assert ending.exit_code == 0, log
    assert "devices:" in log
    assert ending.usage.gpu_memory_bytes is not None


def test_there_is_none_otherwise(sandbox: Sandbox, job: Job) -> None:
    ending = run(sandbox, replace(job, command=["python3", "-c", _CUDA]))
    assert ending.exit_code != 0
    assert "devices:" not in job.log.read_text()
