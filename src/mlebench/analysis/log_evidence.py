"""What the output of an agent tells about its end: exceptions, missing packages, memory or disk that ran out, signals.

The last line that tells of a failure decides, because what came before it was survived. A line counts if it ends a
traceback, or if it is what a shell, a compiler or another language prints when it fails. A line in which the agent says
that it has dealt with a failure does not count.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from mlebench.score.result_line import AGENT_LOG

Kind: TypeAlias = Literal["host memory", "GPU memory", "disk", "package", "signal", "exception"]

_TAIL = 1 << 20  # bytes of the log that are looked at: how it ended is at its end
_LONGEST = 300  # characters of a line that is shown
_MOST_READ = 2000  # characters of a line that is looked at
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
# What loggers, exception groups and containers put before a line, once or several times.
_PREFIX = re.compile(
    r"(?:\[[^\]\n]{1,40}\] ?|\d{4}-\d\d-\d\d[T ][\d:.,]+(?:Z|[+-][\d:]+)? ?|\d\d:\d\d:\d\d[.,\d]* ?|"
    r"(?:DEBUG|INFO|WARNING|ERROR|CRITICAL|FATAL)\b:? ?(?:- )?| *[|+] | *\| ?|[\w.-]{1,40} +\| ?)+"
)
_MEMORY = re.compile(
    r"\bout of memory\b|\w*MemoryError\b|\bmalloc\b.*\bfail|Unable to allocate .+ for an array|\bbad_alloc\b|"
    r"cannot allocate memory|DefaultCPUAllocator: |cannot allocate vector|RESOURCE_EXHAUSTED|"
    r"ResourceExhaustedError.*OOM|OOM when allocating|ALLOC_FAILED|ERROR_OUT_OF_MEMORY|cudaErrorMemoryAllocation|"
    r"(?:not enough|insufficient) memory|oom-kill|OOM ?killer",
    re.IGNORECASE,
)
_GPU = re.compile(
    r"cuda|\bhip\b|\brocm\b|\bmps\b|gpu|cudnn|cublas|xla|RESOURCE_EXHAUSTED|ResourceExhausted|\.cu:", re.IGNORECASE
)
_DISK = re.compile(r"No space left on device|Disk quota exceeded|\[Errno (?:28|122)\]", re.IGNORECASE)
_PACKAGE = re.compile(
    r"No module named '?(?P<module>[\w.]+)|"
    r"ImportError: cannot import name '?(?P<name>[\w.]+)|"
    r"Missing optional dependency '(?P<optional>[\w.-]+)'|"
    r"No package metadata was found for (?P<metadata>[\w.-]+)|"
    r"The '(?P<required>[\w.-]+)[^']*' distribution was not found|"
    r"(?:^|: )(?P<command>[\w.+/-]+): (?:command )?not found\b|"
    r"env: .(?P<interpreter>[\w.+/-]+).: No such file or directory|"
    r": (?P<script>\S+): (?:\S+: bad interpreter|bad interpreter|cannot execute: required file not found)|"
    r"(?:No matching distribution found for|satisfies the requirement) (?P<distribution>[\w.-]+)|"
    r"(?:[Uu]nable|[Ff]ailed|[Cc]ould not|[Cc]annot|[Cc]an't) (?:to )?(?:locate|find|load|import|resolve|select) "
    r"(?:the )?(?:package|module|library|dependency|packages|dependencies)(?: named)?:? ['‘`\"]?(?P<sought>[\w.@-]+)|"
    r"\b(?:[Pp]ackage|[Mm]odule|[Ll]ibrary|[Dd]ependency|[Cc]rate) ['‘`\"]?(?P<lacking>[\w.@-]+)['’`\"]? "
    r"(?:(?:is|was|could|can) )?(?:not (?:be )?(?:found|installed|available|resolved)|required but)|"
    r"(?P<unfound>[\w.@-]+) was not found in the package registry|"
    r"(?P<conda>PackagesNotFoundError|ResolvePackageNotFound|UnsatisfiableError)\b|"
    r"there is no package called .(?P<r>[\w.]+)|"
    r"ArgumentError: Package (?P<julia>\w+) not found|"
    r"Can't locate (?P<perl>[\w/]+)\.pm in @INC|"
    r"cannot load such file -- (?P<ruby>[\w/-]+)|"
    r"Cannot find (?:module|package) '(?P<node>@?[A-Za-z][\w@/-]*)'|"
    r"(?:ClassNotFoundException|NoClassDefFoundError): (?P<java>[\w./]+)|"
    r"(?:error while loading shared libraries: |Error: )(?P<library>[\w.+-]+\.so[\w.]*)"
)
_IMPORT_ERRORS = ("ModuleNotFoundError", "ImportError", "PackageNotFoundError", "DistributionNotFound")
_NAMED_PACKAGE = re.compile(r"pip3? install (?:-\S+ )*['\"]?([A-Za-z][\w.-]*\w)|['\"`]([A-Za-z][\w.-]*)['\"`]")
_SIGNAL_WORDS = {
    "Killed": "SIGKILL",
    "Segmentation fault": "SIGSEGV",
    "Aborted": "SIGABRT",
    "Bus error": "SIGBUS",
    "Illegal instruction": "SIGILL",
    "Floating point exception": "SIGFPE",
    "Terminated": "SIGTERM",
}
_SIGNAL = re.compile(
    rf"(?:line \d+: +\d+ |Fatal Python error: |^)(?P<word>{'|'.join(_SIGNAL_WORDS)})(?: *\(core dumped\)|\s{{2,}}|$)|"
    r"died with <Signals\.(?P<name>SIG\w+)"
)
_EXCEPTION = re.compile(r"(?P<name>(?:[A-Za-z_]\w*\.)*_?[A-Za-z]\w*)(?::|$)")
# Exceptions that only pass on that something else failed.
_MESSENGERS = ("CalledProcessError", "ChildFailedError", "CellExecutionError", "RemoteTraceback", "RemoteError")
_BEHIND = 200  # lines before such a message in which the reason is looked for
_FROM = "The above exception was the direct cause of the following exception"
_DURING = "During handling of the above exception, another exception occurred"
_DEALT_WITH = re.compile(
    r"\b(?:handled|caught|retry\w*|try(?:ing)? again|again with|reduc\w+|fall(?:s|ing)? ?back|fallback|instead|"
    r"skipp\w+|ignor\w+|recover\w*|smaller|going on|continuing|so that|in case|no longer|"
    r"if (?:you|we|there|it|this|any))\b|^\W*(?:note|tip|hint|plan|todo|thought|warning)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Found:
    """A line of the log, of what kind of failure it tells, and what narrows that down."""

    line: str
    kind: Kind
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


def last_failure(log: list[str]) -> Found | None:
    """The last line of the log that tells of a failure which was not dealt with."""
    lines = [_without_prefix(line[:_MOST_READ]) for line in log]
    messenger, least = None, 0
    for place in range(len(lines) - 1, -1, -1):
        found = _exception(lines, place) or _message(lines[place])
        if found is None:
            continue
        if messenger is None:
            if not _passes_on(found):
                return found
            messenger, least = found, place - _BEHIND
        elif place < least:
            break
        elif not _passes_on(found) and (messenger.kind == "exception" or found.kind in ("host memory", "GPU memory")):
            return found
    return messenger


def _passes_on(found: Found) -> bool:
    """Whether a line only tells that another program failed, which may have told why."""
    return found.kind == "signal" or found.detail in _MESSENGERS


def _without_prefix(line: str) -> str:
    match = _PREFIX.match(line)
    return line[match.end() :] if match else line


def _exception(lines: list[str], place: int) -> Found | None:
    """The exception that a line tells, if a traceback comes before it: a line of a report is none."""
    match = _EXCEPTION.match(lines[place])
    if match is None:
        return None
    top = _top_of_traceback(lines, place, match["name"])
    if top is None:
        return None
    name = match["name"].rpartition(".")[2]
    # A message may have several lines; the first ones say what it is about.
    text = " ".join(lines[place : place + 2])
    found = _classified(lines[place], text) or Found(_shown(lines[place]), "exception", name)
    if found.kind == "exception" and name in _IMPORT_ERRORS:
        named = _NAMED_PACKAGE.search(text)
        found = Found(found.line, "package", next(filter(None, named.groups()), "") if named else "")
    return _behind(lines, top, found) if found.kind == "exception" else found


def _behind(lines: list[str], top: int, found: Found) -> Found:
    """What an exception was raised for: memory, a disk or a package that was the cause of the cause counts."""
    near = range(top - 1, max(-1, top - 4), -1)
    joint = next((place for place in near if lines[place].startswith((_FROM, _DURING))), -1)
    for place in range(joint - 1, max(-1, joint - 4), -1):
        earlier = _exception(lines, place)
        if earlier is not None:
            counts = earlier.kind in ("host memory", "GPU memory") or lines[joint].startswith(_FROM)
            return earlier if counts and earlier.kind != "exception" else found
    return found


def _top_of_traceback(lines: list[str], place: int, name: str) -> int | None:
    """Where the traceback above an exception begins; None if there is none.

    Its frames are indented and one of them names a file, as Python prints it; or it is in a box that ends above; or it
    began with the name of the exception, as in a notebook.
    """
    above = place - 1
    if above >= 0 and lines[above].startswith(("╰", "└")):
        return next((each for each in range(above, -1, -1) if lines[each].startswith(("╭", "┌"))), 0)
    has_file = False
    while above >= 0 and lines[above].startswith(" "):
        has_file = has_file or lines[above].lstrip().startswith('File "')
        above -= 1
    if has_file:
        return above if above >= 0 and "Traceback (most recent call last)" in lines[above] else above + 1
    begins = re.compile(rf"{re.escape(name)}\s+Traceback \(most recent call last\)")
    return next((each for each in range(place - 1, max(-1, place - 500), -1) if begins.match(lines[each])), None)


def _message(line: str) -> Found | None:
    """What a line tells that ends no traceback, unless it says that the failure was dealt with or may come."""
    found = _classified(line, line)
    return None if found is None or _DEALT_WITH.search(line) else found


def _classified(line: str, text: str) -> Found | None:
    """The kind of failure that is known by its words."""
    for kind, tell in _KINDS:
        detail = tell(text)
        if detail is not None:
            return Found(_shown(line), kind, detail)
    return None


def _told_by(pattern: re.Pattern[str]) -> Callable[[str], str | None]:
    return lambda text: "" if pattern.search(text) else None


def _package(text: str) -> str | None:
    match = _PACKAGE.search(text)
    return match and next(each for each in match.groups() if each)


def _signal(text: str) -> str | None:
    match = _SIGNAL.search(text)
    return match and (match["name"] or _SIGNAL_WORDS[match["word"]])


_KINDS: tuple[tuple[Kind, Callable[[str], str | None]], ...] = (
    ("GPU memory", lambda text: "" if _MEMORY.search(text) and _GPU.search(text) else None),
    ("host memory", _told_by(_MEMORY)),
    ("disk", _told_by(_DISK)),
    ("package", _package),
    ("signal", _signal),
)


def _shown(line: str) -> str:
    text = "".join(each if each.isprintable() else " " for each in line.strip())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
