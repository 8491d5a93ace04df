"""What the output of an agent tells about its end: exceptions, missing packages, memory that ran out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mlebench.score.result_line import AGENT_LOG

_TAIL = 1 << 20  # bytes of the log that are looked at: how it ended is at its end
_LONGEST = 300  # characters of a line that is shown
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_GPU_MEMORY = re.compile(
    r"CUDA out of memory|CUDA_ERROR_OUT_OF_MEMORY|CUDNN_STATUS_ALLOC_FAILED|CUBLAS_STATUS_ALLOC_FAILED|"
    r"OutOfMemoryError: (CUDA|HIP|MPS)|ResourceExhaustedError.*OOM|HIP out of memory"
)
_HOST_MEMORY = re.compile(
    r"\bMemoryError\b|Unable to allocate .+ for an array|std::bad_alloc|Cannot allocate memory|"
    r"DefaultCPUAllocator: (can't|not enough) |[Oo]ut of memory|java\.lang\.OutOfMemoryError|cannot allocate vector"
)
_PACKAGE = re.compile(
    r"ModuleNotFoundError: No module named '?(?P<module>[\w.]+)|"
    r"ImportError: (?:No module named|cannot import name) '?(?P<name>[\w.]+)|"
    r"(?:^|: )(?P<command>[\w.+/-]+): (?:command )?not found\b|"
    r"(?:No matching distribution found for|satisfies the requirement) (?P<distribution>[\w.-]+)|"
    r"there is no package called .(?P<r>[\w.]+)|"
    r"error while loading shared libraries: (?P<library>[\w.+-]+)"
)
_EXCEPTION = re.compile(r"^(?P<name>(?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?::|$)")


@dataclass(frozen=True)
class Found:
    """A line of the log, and what it tells."""

    line: str
    detail: str


def read_log(folder: Path, tail: int = _TAIL) -> list[str]:
    """The last lines of an agent's output, from so many bytes at its end, without escape codes."""
    path = folder / AGENT_LOG
    if path.is_symlink():  # a group from elsewhere must not show files of this machine
        return []
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - tail))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    return [line.rstrip() for line in re.split(r"[\r\n]+", _ESCAPES.sub("", text)) if line.strip()]


def last_line(log: list[str]) -> str:
    """The last line, as far as it can be shown."""
    return _shown(log[-1]) if log else ""


def last_evidence(log: list[str], kind: Literal["memory", "package", "exception"]) -> Found | None:
    """The last line of the log that tells of memory, of a package or of an exception.

    An exception counts only if a traceback comes before it, so that a line of a report is none.
    """
    for place in range(len(log) - 1, -1, -1):
        line = log[place]
        if kind == "memory":
            if _GPU_MEMORY.search(line):
                return Found(_shown(line), "GPU")
            if _HOST_MEMORY.search(line):
                return Found(_shown(line), "host")
        elif kind == "package":
            match = _PACKAGE.search(line)
            if match:
                return Found(_shown(line), next(each for each in match.groups() if each))
        else:
            match = _EXCEPTION.match(line)
            if match and _has_traceback(log, place):
                return Found(_shown(line), match["name"].rpartition(".")[2])
    return None


def _has_traceback(log: list[str], place: int) -> bool:
    """Whether the lines above are the frames of a traceback: indented, and beginning with a file."""
    above = place - 1
    while above >= 0 and log[above].startswith(" "):
        if log[above].lstrip().startswith('File "'):
            return True
        above -= 1
    return False


def _shown(line: str) -> str:
    text = "".join(each if each.isprintable() else " " for each in line.strip())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
