"""What machine a run had, and how its conditions differ from those of the published benchmark."""

from __future__ import annotations

import platform
import subprocess
from functools import cache
from typing import Any

from mlebench.base.amounts import format_bytes, format_seconds
from mlebench.base.capacity import available_cores, available_memory
from mlebench.base.wording import counted
from mlebench.sandbox.interface import Limits, Network

# The setup behind the published numbers: 36 vCPU, 440 GB of memory, one 24 GB A10, 24 hours, 3 seeds.
CANONICAL_SECONDS, CANONICAL_MEMORY, CANONICAL_CPUS, CANONICAL_SEEDS = 24 * 3600, 440 << 30, 36, 3
CANONICAL_GPU = "A10"
PUBLISHED = "published"  # the variant of the instructions


@cache
def hardware() -> dict[str, Any]:
    """Processors and memory that may be used here, and the GPUs of this machine."""
    return {
        "machine": platform.machine(),
        "system": platform.platform(),
        "cpus": available_cores(),
        "memory_bytes": available_memory(),
        "gpus": _gpus(),
    }


def _gpus() -> list[str]:
    """The names of the GPUs, as the driver's own tool tells them."""
    command = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()] if done.returncode == 0 else []


def deviations(
    limits: Limits,
    seeds: int,
    *,
    network: Network,
    variant: str = PUBLISHED,
    obfuscated: bool = False,
    material: bool = False,
    added_instructions: bool = False,
    renamed: bool = False,
) -> list[str]:
    """How the conditions of a run differ from the canonical ones, one phrase each; more seeds than three are none."""
    facts, found = hardware(), []
    if limits.seconds != CANONICAL_SECONDS:
        given = format_seconds(limits.seconds, none="no time limit")
        found.append(f"{given} instead of {format_seconds(CANONICAL_SECONDS)}")
    cpus = min(limits.cpus or facts["cpus"] or 0, facts["cpus"] or 0)
    if cpus != CANONICAL_CPUS:
        found.append(f"{cpus:g} CPU{'' if cpus == 1 else 's'} instead of {CANONICAL_CPUS}")
    memory = min(limits.memory_bytes or facts["memory_bytes"] or 0, facts["memory_bytes"] or CANONICAL_MEMORY)
    if abs(memory - CANONICAL_MEMORY) > CANONICAL_MEMORY / 10:
        found.append(f"{format_bytes(memory)} of memory instead of {format_bytes(CANONICAL_MEMORY)}")
    gpus = facts["gpus"][: limits.gpus]
    if len(gpus) != 1 or CANONICAL_GPU not in gpus[0]:
        found.append(f"{', '.join(gpus) or 'no GPU'} instead of one 24 GB {CANONICAL_GPU}")
    if seeds < CANONICAL_SEEDS:
        found.append(f"{counted(seeds, 'seed')} instead of at least {CANONICAL_SEEDS}")
    if not network.full:
        found.append(f"{'network only to ' + str(network) if network.allowed else 'no network'} instead of an open one")
    if variant != PUBLISHED:
        found.append(f"the instructions {variant} instead of the published ones")
    if obfuscated:
        found.append("the name of the competition hidden from the agent")
    if material:
        found.append("reading material for the agent")
    if added_instructions:
        found.append("further instructions for the agent")
    if renamed:
        found.append("files and columns under neutral names")
    return found
